#include "apiserver/front/local/kubelet_pins.h"

#include "api/object/edit.h"
#include "apiserver/front/local/local_client.h"
#include "base/log.h"
#include "client/bounded_client.h"

namespace proa::apiserver {
namespace kubelet_pins {

const Log kLog{"apiserver"};

// The uid is a precondition: a new Node of that name has another kubelet.
json::Document patch_of(const ExpectedKubelet& kubelet) {
  json::Document patch({}, json::Value::object());
  const api::Edit metadata = api::Edit(patch).object("metadata");
  if (!kubelet.uid.empty()) metadata.set("uid", kubelet.uid);
  metadata.object("annotations").set(kKubeletPin, kubelet.pin);
  return patch;
}

Result<void> store_pin(const ApiContext& context, Clock& clock, const ExpectedKubelet& kubelet) {
  LocalClient local(
      context, clock,
      {.name = "system:apiserver", .uid = {}, .groups = {"system:masters"}, .extra = {}});
  const client::BoundedClient client(local, clock);
  TRY(client.patch({.resource = context.schema.find_resource("", "v1", "nodes"),
                    .name_space = "",
                    .name = kubelet.node,
                    .subresource = ""},
                   api::PatchType::kMerge, patch_of(kubelet), {}));
  return {};
}

}  // namespace kubelet_pins

void store_kubelet_pins(const std::shared_ptr<KubeletTrust>& trust, const ApiContext& context,
                        Clock& clock, WorkerPool& pool) {
  const std::weak_ptr<KubeletTrust> weak = trust;
  trust->set_remember([weak, &context, &clock, &pool](const ExpectedKubelet& kubelet) {
    // If the pool is full, the pin lasts until this process ends.
    (void)pool.submit([weak, &context, &clock, kubelet] {
      const Result<void> stored = kubelet_pins::store_pin(context, clock, kubelet);
      const bool is_over = stored || stored.is(Reason::kNotFound) || stored.is(Reason::kConflict);
      if (!stored) {
        kubelet_pins::kLog.warn("storing a kubelet's certificate failed",
                                {{"node", kubelet.node}, {"error", stored.status()}});
      }
      if (const auto alive = weak.lock(); alive != nullptr && is_over) alive->forget(kubelet.uid);
    });
  });
}

}  // namespace proa::apiserver

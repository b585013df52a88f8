#include "controllers/storage/ephemeral.h"

#include <algorithm>

#include "controllers/framework/claim.h"
#include "controllers/framework/writes.h"
#include "controllers/storage/pod_claims.h"
#include "json/print.h"

namespace proa::controllers {
namespace ephemeral {

using client::Again;
using client::Change;
using client::Key;

bool needs_claims(const api::Object& pod) {
  if (pod.metadata().being_deleted) return false;
  const auto& uses = storage::pod_claims(pod).uses;
  return std::any_of(uses.begin(), uses.end(),
                     [](const storage::PodClaims::Use& use) { return use.ephemeral; });
}

class EphemeralVolumes final : public Controller {
 public:
  explicit EphemeralVolumes(const ControllerContext& context)
      : client_(context.client),
        events_(context.events),
        pod_resource_(*context.schema.find_resource("", "v1", "pods")),
        claim_resource_(*context.schema.find_resource("", "v1", "persistentvolumeclaims")),
        pods_(storage::pods_by_claim(context.informers)),
        claims_(context.informers.of("", "persistentvolumeclaims")) {}

  void listen(client::WorkQueue& queue) override {
    // The volumes of a pod never change.
    pods_.add_handler([&queue](const Change& change) {
      const bool is_new = change.before == nullptr || change.after == nullptr ||
                          change.before->metadata().uid != change.after->metadata().uid;
      if (change.after != nullptr && is_new && needs_claims(*change.after)) queue.add(change.key);
    });
    // A claim was deleted: the pod still needs it, or the name was taken before.
    claims_.add_handler([this, &queue](const Change& change) {
      if (change.after != nullptr) return;
      for (const api::ObjectPtr& pod : pods_.cache().find("claim", change.key.str())) {
        if (needs_claims(*pod)) queue.add(Key::of(*pod));
      }
    });
  }

  Result<Again> reconcile(const Key& key) override {
    const api::ObjectPtr pod = pods_.cache().get(key);
    if (pod == nullptr || !needs_claims(*pod)) return Again{};
    const json::Document document = TRY(pod->document());
    for (const api::View volume : api::View(document.root())["spec"]["volumes"].items()) {
      if (!volume["ephemeral"]) continue;
      const Result<void> made = make_claim(*pod, volume);
      if (made) continue;
      if (is_namespace_terminating(made.status())) return Again{};
      events_.warning(client::ObjectReference::to(*pod), "FailedBinding",
                      "ephemeral volume " + std::string(volume["name"].text()) + ": " +
                          made.status().message());
      return made.status();
    }
    return Again{};
  }

 private:
  Result<void> make_claim(const api::Object& pod, api::View volume) {
    const Key key{std::string(pod.metadata().name_space),
                  storage::ephemeral_claim_name(pod.metadata().name, volume["name"].text())};
    if (const api::ObjectPtr claim = claims_.cache().get(key)) {
      if (storage::is_made_for(*claim, pod)) return {};
      return Status(Reason::kConflict, "PVC " + key.str() + " was not created for pod " +
                                           Key::of(pod).str() + " (pod is not owner)");
    }
    const client::Place place{
        .resource = &claim_resource_, .name_space = key.name_space, .name = {}, .subresource = {}};
    const Result<api::ObjectPtr> made = client_.create(place, make_claim(pod, key, volume), {});
    if (made) return {};
    // The cache is stale; the pending event requeues the pod.
    if (made.is(Reason::kAlreadyExists)) return check_made(pod, key);
    return made.status().in("create PVC " + key.name);
  }

  Result<void> check_made(const api::Object& pod, const Key& key) {
    const api::ObjectPtr claim = TRY(client_.get(place_of(claim_resource_, key)));
    if (storage::is_made_for(*claim, pod)) return {};
    return Status(Reason::kConflict, "PVC " + key.str() + " was not created for pod " +
                                         Key::of(pod).str() + " (pod is not owner)");
  }

  json::Document make_claim(const api::Object& pod, const Key& key, api::View volume) const {
    const api::View wanted = volume["ephemeral"]["volumeClaimTemplate"];
    json::Document document;
    document.root() = json::Value::object();
    const api::Edit claim(document);
    const api::Edit metadata = claim.object("metadata");
    metadata.set("name", key.name);
    metadata.copy("annotations", wanted["metadata"]["annotations"]);
    metadata.copy("labels", wanted["metadata"]["labels"]);
    put_owner_reference(metadata, {.resource = pod_resource_, .object = pod});
    claim.copy("spec", wanted["spec"]);
    return document;
  }

  const client::BoundedClient client_;
  client::EventRecorder& events_;
  const api::Resource& pod_resource_;
  const api::Resource& claim_resource_;
  client::Informer& pods_;
  client::Informer& claims_;
};

}  // namespace ephemeral

std::unique_ptr<Controller> make_ephemeral_volumes(const ControllerContext& context) {
  return std::make_unique<ephemeral::EphemeralVolumes>(context);
}

}  // namespace proa::controllers

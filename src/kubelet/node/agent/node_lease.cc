#include "kubelet/node/agent/node_lease.h"

#include "api/object/edit.h"
#include "base/log.h"
#include "client/informer/backoff.h"
#include "json/print.h"

namespace proa::kubelet {
namespace node_lease {

const Log kLog{"kubelet"};

// As upstream waits when it can't get at its Lease.
constexpr client::Backoff kBackoff{
    .first = std::chrono::milliseconds(200), .most = std::chrono::seconds(7), .jitter = 0};
// Jitter of the renewal interval, so that nodes that started together spread out.
constexpr double kJitter = 0.04;
// On a conflict: how often the Lease is read again at once.
constexpr int kMostTries = 5;

}  // namespace node_lease

NodeLease::NodeLease(client::BoundedClient client, const api::Resource& leases, Clock& clock,
                     Random& random, api::NodeNameView node_name, Duration duration)
    : client_(std::move(client)),
      clock_(clock),
      random_(random),
      place_{.resource = &leases,
             .name_space = "kube-node-lease",
             .name = node_name.str(),
             .subresource = {}},
      duration_(duration) {}

Duration NodeLease::renew(api::UidView node_uid) {
  const Result<void> renewed = try_renew(node_uid);
  if (renewed) {
    failures_ = 0;
    return client::jittered(duration_ / 4, node_lease::kJitter, random_);
  }
  node_lease::kLog.warn("node lease renewal failed, retrying", {{"error", renewed.status()}});
  seen_ = nullptr;
  return node_lease::kBackoff.after(++failures_, random_);
}

Result<void> NodeLease::try_renew(api::UidView node_uid) {
  Result<void> updated;
  for (int tries = 0; tries < node_lease::kMostTries; ++tries) {
    if (seen_ == nullptr) {
      Result<api::ObjectPtr> found = client_.get(place_);
      if (found.is(Reason::kNotFound)) return create(node_uid);
      if (!found) return found.status();
      seen_ = std::move(*found);
    }
    updated = update(node_uid);
    if (!updated.is(Reason::kConflict) && !updated.is(Reason::kNotFound)) return updated;
    seen_ = nullptr;
  }
  return updated;
}

Result<void> NodeLease::create(api::UidView node_uid) {
  json::Document document;
  document.root() = json::Value::object();
  const api::Edit lease(document);
  lease.set("apiVersion", "coordination.k8s.io/v1");
  lease.set("kind", "Lease");
  lease.object("metadata").set("name", place_.name);
  lease.object("metadata").set("namespace", place_.name_space);
  lease.object("spec").set("holderIdentity", place_.name);
  write(document, node_uid);
  seen_ = TRY(client_.create(place_, std::move(document), {}));
  return {};
}

Result<void> NodeLease::update(api::UidView node_uid) {
  json::Document document = TRY(seen_->document());
  write(document, node_uid);
  seen_ = TRY(client_.update(place_, std::move(document), {}));
  return {};
}

void NodeLease::write(json::Document& document, api::UidView node_uid) const {
  const api::Edit lease(document);
  const api::Edit spec = lease.object("spec");
  spec.set("leaseDurationSeconds",
           int64_t{std::chrono::duration_cast<std::chrono::seconds>(duration_).count()});
  spec.set("renewTime", format_micro_time(clock_.now()));
  const api::Edit metadata = lease.object("metadata");
  if (!metadata["ownerReferences"].empty()) return;
  metadata.remove("ownerReferences");
  const api::Edit owner = metadata.array("ownerReferences").push_object();
  owner.set("apiVersion", "v1");
  owner.set("kind", "Node");
  owner.set("name", place_.name);
  owner.set("uid", node_uid.view());
}

}  // namespace proa::kubelet

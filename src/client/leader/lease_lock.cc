#include "client/leader/lease_lock.h"

#include "api/object/edit.h"
#include "json/print.h"

namespace proa::client {
namespace lease_lock {

LeaseRecord record_of(api::View spec) {
  return {.holder = std::string(spec["holderIdentity"].text()),
          .duration_seconds = spec["leaseDurationSeconds"].integer(),
          .acquired = std::string(spec["acquireTime"].text()),
          .renewed = std::string(spec["renewTime"].text()),
          .transitions = spec["leaseTransitions"].integer()};
}

void write(const LeaseRecord& record, const api::Edit& spec) {
  if (record.holder.empty()) {
    spec.remove("holderIdentity");
  } else {
    spec.set("holderIdentity", record.holder);
  }
  spec.set("leaseDurationSeconds", record.duration_seconds);
  spec.set("acquireTime", record.acquired);
  spec.set("renewTime", record.renewed);
  spec.set("leaseTransitions", record.transitions);
}

}  // namespace lease_lock

Result<LeaseRecord> LeaseLock::read() {
  seen_ = TRY(client_.get(place_));
  const json::Document document = TRY(seen_->document());
  return lease_lock::record_of(api::View(document.root())["spec"]);
}

Result<void> LeaseLock::create(const LeaseRecord& record) {
  json::Document document;
  document.root() = json::Value::object();
  const api::Edit lease(document);
  lease.set("apiVersion", "coordination.k8s.io/v1");
  lease.set("kind", "Lease");
  lease.object("metadata").set("name", place_.name);
  lease.object("metadata").set("namespace", place_.name_space);
  lease_lock::write(record, lease.object("spec"));
  seen_ = TRY(client_.create(place_, std::move(document), {}));
  return {};
}

Result<void> LeaseLock::update(const LeaseRecord& record) {
  CHECK(seen_ != nullptr);
  json::Document document = TRY(seen_->document());
  lease_lock::write(record, api::Edit(document).object("spec"));
  seen_ = TRY(client_.update(place_, std::move(document), {}));
  return {};
}

}  // namespace proa::client

#pragma once

#include "controllers/framework/freshness.h"
#include "controllers/workload/stateful/stateful_plan.h"
#include "controllers/workload/stateful/stateful_pod.h"

namespace proa::controllers {

// Creates, updates and deletes pods and claims of StatefulSets and records events on the set.
// Thread-safe.
class StatefulActions {
 public:
  // Everything in the context outlives it.
  explicit StatefulActions(const ControllerContext& context);

  // See Freshness.
  bool is_fresh(const client::Key& set);
  void forget(const client::Key& set);
  client::Informer& pods() { return pods_; }
  client::Informer& claims() { return claims_; }

  // Reads the state of the pod's claims into the member. `pod`: null if it does not exist.
  void look_at_claims(const StatefulSource& set, const api::ObjectPtr& pod,
                      StatefulMember& member) const;

  // Creates missing claims first. `pod`: from new_stateful_pod().
  Result<void> create(const StatefulSource& set, int64_t ordinal, json::Document pod);
  // `create`: also creates missing claims. `pod`: null if it does not exist.
  Result<void> put_claims(const StatefulSource& set, int64_t ordinal, const api::ObjectPtr& pod,
                          bool create);
  Result<void> repair(const StatefulSource& set, int64_t ordinal, const api::ObjectPtr& pod);
  Result<void> remove(const StatefulSource& set, const api::Object& pod);

 private:
  api::ObjectPtr find_claim(const StatefulSource& set, size_t index, int64_t ordinal) const;
  Result<void> create_claim(const StatefulSource& set, size_t index, int64_t ordinal);
  Result<void> own_claim(const StatefulSource& set, const api::Object& claim,
                         const ClaimParties& parties);
  Result<void> update_pod(const StatefulSource& set, int64_t ordinal, const api::Object& pod);
  // Records the outcome of a write.
  static Result<void> record_write(Freshness& writes, const StatefulSource& set,
                                   const Result<api::ObjectPtr>& answer);
  // `verb`: "Create".
  void record_event(const StatefulSource& set, std::string_view verb, std::string_view pod,
                    const Result<void>& outcome);

  const client::BoundedClient client_;
  client::EventRecorder& events_;
  const api::Resource& pod_resource_;
  const api::Resource& claim_resource_;
  client::Informer& pods_;
  client::Informer& claims_;
  Freshness pod_writes_;
  Freshness claim_writes_;
};

}  // namespace proa::controllers

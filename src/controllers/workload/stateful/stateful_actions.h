#pragma once

#include "controllers/framework/freshness.h"
#include "controllers/workload/stateful/stateful_plan.h"
#include "controllers/workload/stateful/stateful_pod.h"

namespace proa::controllers {

// Makes, repairs and removes the pods of StatefulSets and their claims, and tells people so by
// events about the set. Safe to use from any thread.
class StatefulActions {
 public:
  // Everything in the context outlives it.
  explicit StatefulActions(const ControllerContext& context);

  // See Freshness.
  bool is_fresh(const client::Key& set);
  void forget(const client::Key& set);
  client::Informer& pods() { return pods_; }
  client::Informer& claims() { return claims_; }

  // What the claims of a pod lack. `pod`: null when there is none yet.
  void look_at_claims(const StatefulSource& set, const api::ObjectPtr& pod,
                      StatefulMember& member) const;

  // Its claims first. `pod`: from new_stateful_pod().
  Result<void> create(const StatefulSource& set, int64_t ordinal, json::Document pod);
  // `create`: those that are missing, too. `pod`: null when there is none yet.
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
  // What became of a write, for those who must know of it.
  static Result<void> heard(Freshness& writes, const StatefulSource& set,
                            const Result<api::ObjectPtr>& answer);
  // `verb`: "Create".
  void tell(const StatefulSource& set, std::string_view verb, std::string_view pod,
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

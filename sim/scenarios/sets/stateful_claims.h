#pragma once

#include <map>
#include <set>
#include <string>

#include "sim/scenarios/checks.h"
#include "sim/scenarios/sets/stateful_rules.h"

namespace proa::sim {

// Invariants of StatefulSet claims: they are deleted only if the retention policy allows it.
class StatefulClaims {
 public:
  explicit StatefulClaims(std::string set) : set_(std::move(set)) {}

  // User actions: a set was created or changed; it, or a claim, is going to be deleted.
  void wrote(const api::Object& set);
  void removes_set() { removed_ = true; }
  void removes_claim(const api::Object& claim);

  // Claims that were deleted wrongly. Call before the next user action.
  Violations look(Cluster& cluster, const StatefulRules& rules);
  // When the cluster is at rest. `set`: null if there is none.
  Violations at_rest(Cluster& cluster, const api::ObjectPtr& set) const;

 private:
  struct Claim {
    int64_t ordinal = 0;
    bool unwanted = false;  // at least for a while
    bool removed = false;   // by a user
  };
  bool may_go(const Claim& claim) const;
  int64_t ordinal_of(const api::Object& claim) const;

  const std::string set_;
  bool goes_with_pod_ = false;  // the policy was Delete at some time
  bool goes_with_set_ = false;
  bool removed_ = false;                 // a set
  std::map<std::string, Claim> claims_;  // by uid
};

}  // namespace proa::sim

#pragma once

#include <map>
#include <set>
#include <string>

#include "sim/scenarios/checks.h"
#include "sim/scenarios/sets/stateful_rules.h"

namespace proa::sim {

// What must hold of the claims of StatefulSets: what people stored is lost only where the set's
// retention policy allows it.
class StatefulClaims {
 public:
  explicit StatefulClaims(std::string set) : set_(std::move(set)) {}

  // What users do: a set was created or changed; it, or a claim, will be removed.
  void wrote(const api::Object& set);
  void removes_set() { removed_ = true; }
  void removes_claim(const api::Object& claim);

  // What went that should have stayed. To be asked before users act again.
  Complaints look(Cluster& cluster, const StatefulRules& rules);
  // When nothing moves any more. `set`: null when there is none.
  Complaints at_the_end(Cluster& cluster, const api::ObjectPtr& set) const;

 private:
  struct Claim {
    int64_t ordinal = 0;
    bool unwanted = false;  // for a while at least
    bool removed = false;   // by a user
  };
  bool may_go(const Claim& claim) const;
  int64_t ordinal_of(const api::Object& claim) const;

  const std::string set_;
  bool goes_with_pod_ = false;  // a policy said so once
  bool goes_with_set_ = false;
  bool removed_ = false;                 // a set
  std::map<std::string, Claim> claims_;  // by uid
};

}  // namespace proa::sim

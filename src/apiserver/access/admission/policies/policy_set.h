#pragma once

#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "apiserver/access/admission/matching/resource_index.h"
#include "apiserver/access/admission/policies/policy.h"
#include "apiserver/objects/follower.h"
#include "base/threads/mutex.h"

namespace proa::apiserver {

using PolicyPtr = std::shared_ptr<const Policy>;
using PolicyBindingPtr = std::shared_ptr<const PolicyBinding>;

// A policy and its bindings, by name.
struct BoundPolicy {
  PolicyPtr policy;
  std::vector<PolicyBindingPtr> bindings;
};

// All bound policies of one kind at one moment, by name, and which of them may be about a resource.
// Immutable.
class BoundPolicies {
 public:
  explicit BoundPolicies(std::vector<BoundPolicy> policies);

  // By the plural name of a resource of any group.
  std::vector<const BoundPolicy*> about(std::string_view resource) const;

 private:
  const std::vector<BoundPolicy> policies_;
  ResourceIndex by_resource_;  // its places are those of `policies_`
};

using BoundPoliciesPtr = std::shared_ptr<const BoundPolicies>;

// The stored policies of one kind, compiled when they are bound and again when they change. Current
// when read. Thread-safe.
class PolicySet {
 public:
  // "validatingadmissionpolicies", "validatingadmissionpolicybindings". REQUIRES: the store and the
  // schema outlive it.
  PolicySet(store::Store& store, const api::Schema& schema, std::string_view policies,
            std::string_view bindings);

  BoundPoliciesPtr bound() EXCLUDES(mutex_);

 private:
  struct Stored {
    api::ObjectPtr object;
    PolicyPtr compiled;  // null until it is bound
  };
  void take(std::string_view key, const api::ObjectPtr& object);
  // REQUIRES: the follower is locked, and the mutex is held.
  BoundPoliciesPtr build();

  const std::string policies_prefix_;
  const std::string bindings_prefix_;
  // Both by name. Written with the follower locked; `compiled` with the mutex.
  std::map<std::string, Stored, std::less<>> policies_;
  std::map<std::string, PolicyBindingPtr, std::less<>> bindings_;
  uint64_t changes_ = 0;  // the same
  Follower follower_;
  Mutex mutex_;
  BoundPoliciesPtr bound_ GUARDED_BY(mutex_);
  uint64_t bound_changes_ GUARDED_BY(mutex_) = 0;
};

}  // namespace proa::apiserver

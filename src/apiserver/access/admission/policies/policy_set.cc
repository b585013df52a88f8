#include "apiserver/access/admission/policies/policy_set.h"

#include <tuple>

#include "apiserver/objects/reader.h"
#include "base/log.h"

namespace proa::apiserver {
namespace policy_set {

const Log kLog{"admission"};

std::string prefix(const store::Store& store, const api::Schema& schema,
                   std::string_view resource) {
  return ObjectReader(store, schema).prefix("admissionregistration.k8s.io", resource);
}

}  // namespace policy_set

BoundPolicies::BoundPolicies(std::vector<BoundPolicy> policies) : policies_(std::move(policies)) {
  for (const BoundPolicy& bound : policies_) by_resource_.add(bound.policy->criteria());
}

std::vector<const BoundPolicy*> BoundPolicies::about(std::string_view resource) const {
  std::vector<const BoundPolicy*> about;
  for (const uint32_t place : by_resource_.find(resource)) about.push_back(&policies_[place]);
  return about;
}

PolicySet::PolicySet(store::Store& store, const api::Schema& schema, std::string_view policies,
                     std::string_view bindings)
    : policies_prefix_(policy_set::prefix(store, schema, policies)),
      bindings_prefix_(policy_set::prefix(store, schema, bindings)),
      follower_(store, {policies_prefix_, bindings_prefix_},
                [this](std::string_view key, const api::ObjectPtr& object) { take(key, object); }) {
}

void PolicySet::take(std::string_view key, const api::ObjectPtr& object) {
  ++changes_;
  if (key.starts_with(policies_prefix_)) {
    const std::string name(key.substr(policies_prefix_.size()));
    if (object == nullptr) {
      policies_.erase(name);
    } else {
      policies_.insert_or_assign(name, Stored{object, nullptr});
    }
    return;
  }
  const std::string name(key.substr(bindings_prefix_.size()));
  bindings_.erase(name);
  if (object == nullptr) return;
  const Result<json::Document> document = object->document();
  if (!document) {
    policy_set::kLog.error("binding cannot be read",
                           {{"name", name}, {"error", document.status()}});
    return;
  }
  bindings_.emplace(name, std::make_shared<const PolicyBinding>(document->root()));
}

BoundPoliciesPtr PolicySet::bound() {
  MutexLock lock(mutex_);
  const BoundPoliciesPtr before = bound_;
  const uint64_t seen = bound_changes_;
  std::tie(bound_, bound_changes_) = follower_.read([&] {
    const bool same = before != nullptr && seen == changes_;
    return std::tuple(same ? before : build(), changes_);
  });
  return bound_;
}

BoundPoliciesPtr PolicySet::build() {
  std::map<std::string_view, std::vector<PolicyBindingPtr>> by_policy;
  for (const auto& [name, binding] : bindings_) by_policy[binding->policy()].push_back(binding);
  std::vector<BoundPolicy> bound;
  for (auto& [name, bindings] : by_policy) {
    const auto stored = policies_.find(name);
    if (stored == policies_.end()) continue;
    PolicyPtr& compiled = stored->second.compiled;
    if (compiled == nullptr) {
      const Result<json::Document> document = stored->second.object->document();
      if (!document) {
        policy_set::kLog.error("policy cannot be read",
                               {{"name", name}, {"error", document.status()}});
        continue;
      }
      compiled = std::make_shared<const Policy>(document->root());
    }
    bound.push_back({compiled, std::move(bindings)});
  }
  return std::make_shared<const BoundPolicies>(std::move(bound));
}

}  // namespace proa::apiserver

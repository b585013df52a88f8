#pragma once

#include <string>
#include <vector>

#include "apiserver/access/admission/quota/configuration.h"
#include "kinds/core/quota/usage/evaluator.h"

namespace proa::apiserver::quota {

using kinds::quota::Amounts;
using kinds::quota::Change;
using kinds::quota::ClusterObjects;
using kinds::quota::Evaluator;
using kinds::quota::ResourceNames;

// The relevant parts of a ResourceQuota in the namespace.
struct QuotaFacts {
  std::string name;
  std::vector<ScopeRule> scopes;
  Amounts hard;
  Amounts used;
};

// A write that may increase usage.
struct Demand {
  const Evaluator& evaluator;
  std::string_view group;
  std::string_view resource;
  Change change;
  const ClusterObjects& cluster;
};

// Whether the quota limits a resource of the object, and its scopes match.
bool is_limited_by(const QuotaFacts& quota, api::View object, const Demand& demand);

struct Decision {
  // Upstream's message; empty: allowed.
  std::string refusal = {};
  // The failure is not the client's, but upstream reports it without explanation.
  bool is_unexplained = false;
  // The charge of each quota, parallel to `quotas`.
  std::vector<Amounts> charges = {};
};

// Pure. REQUIRES: `used` is current in all quotas that limit the object.
Result<Decision> decide(const Demand& demand, const std::vector<QuotaFacts>& quotas,
                        const Configuration& configuration);

}  // namespace proa::apiserver::quota

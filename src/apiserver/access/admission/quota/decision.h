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

// A ResourceQuota of the namespace, as far as it matters.
struct QuotaFacts {
  std::string name;
  std::vector<ScopeRule> scopes;
  Amounts hard;
  Amounts used;
};

// A write that may need more of what is limited.
struct Demand {
  const Evaluator& evaluator;
  std::string_view group;
  std::string_view resource;
  Change change;
  const ClusterObjects& cluster;
};

// Whether a quota limits something of an object, and the object is one of those that it is for.
bool is_limited_by(const QuotaFacts& quota, api::View object, const Demand& demand);

struct Decision {
  // In the words of upstream; empty: the write may happen.
  std::string refusal = {};
  // Not the one who writes is at fault, but upstream's answer is as if nobody knew who is.
  bool is_unexplained = false;
  // What each quota is charged; as long as the list of quotas.
  std::vector<Amounts> charges = {};
};

// Touches nothing. REQUIRES: `used` is right in all quotas that limit the object.
Result<Decision> decide(const Demand& demand, const std::vector<QuotaFacts>& quotas,
                        const Configuration& configuration);

}  // namespace proa::apiserver::quota

#pragma once

#include <vector>

#include "api/object/edit.h"
#include "api/object/object.h"
#include "kinds/core/quota/usage/evaluator.h"

namespace proa::controllers {

// The spec of a ResourceQuota, read once.
struct QuotaFacts {
  kinds::quota::Amounts hard;
  kinds::quota::ResourceNames names;  // names of the limited resources
  std::vector<kinds::quota::ScopeRule> scopes;
};

const QuotaFacts& quota_facts(const api::Object& quota);

// Whether objects of that resource count towards the quota.
bool limits(const QuotaFacts& quota, const kinds::quota::Evaluator& evaluator);

// Whether the object's usage has changed, judged by the object alone.
bool charges_differently(const QuotaFacts& quota, const kinds::quota::Evaluator& evaluator,
                         api::View before, api::View after, Time now);

// Writes hard and used into the status; false if unchanged. Usage that was not measured (counted by
// admission) is kept.
bool put_quota_status(api::Edit quota, const QuotaFacts& facts,
                      const kinds::quota::Amounts& measured);

}  // namespace proa::controllers

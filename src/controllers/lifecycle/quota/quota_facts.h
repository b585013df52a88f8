#pragma once

#include <vector>

#include "api/object/edit.h"
#include "api/object/object.h"
#include "kinds/core/quota/usage/evaluator.h"

namespace proa::controllers {

// What a ResourceQuota limits, and for which objects: its spec, read once.
struct QuotaFacts {
  kinds::quota::Amounts hard;
  kinds::quota::ResourceNames names;  // of what is limited
  std::vector<kinds::quota::ScopeRule> scopes;
};

const QuotaFacts& quota_facts(const api::Object& quota);

// Whether objects of that resource use something that the quota limits.
bool limits(const QuotaFacts& quota, const kinds::quota::Evaluator& evaluator);

// Whether the quota charges another amount for the object than it did before. Only what the object
// says itself is looked at.
bool charges_differently(const QuotaFacts& quota, const kinds::quota::Evaluator& evaluator,
                         api::View before, api::View after, Time now);

// Writes what is limited and used into the status; false when it stands there already. What was not
// measured (objects of others, that are counted when they are written) stays as it was.
bool put_quota_status(api::Edit quota, const QuotaFacts& facts,
                      const kinds::quota::Amounts& measured);

}  // namespace proa::controllers

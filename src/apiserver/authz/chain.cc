#include "apiserver/authz/chain.h"

#include <algorithm>

namespace proa::apiserver {

Verdict AuthorizerChain::authorize(const Attributes& attributes) {
  Verdict none;
  for (const std::unique_ptr<Authorizer>& authorizer : authorizers_) {
    Verdict verdict = authorizer->authorize(attributes);
    if (verdict.decision != Decision::kNoOpinion) return verdict;
    if (verdict.reason.empty()) continue;
    if (!none.reason.empty()) none.reason += '\n';
    none.reason += verdict.reason;
  }
  return none;
}

bool AuthorizerChain::may_wait(const Attributes& attributes) const {
  return std::any_of(
      authorizers_.begin(), authorizers_.end(),
      [&](const std::unique_ptr<Authorizer>& one) { return one->may_wait(attributes); });
}

void AuthorizerChain::list_rules(const User& user, std::string_view name_space, RuleList& rules) {
  for (const std::unique_ptr<Authorizer>& authorizer : authorizers_) {
    authorizer->list_rules(user, name_space, rules);
  }
}

}  // namespace proa::apiserver

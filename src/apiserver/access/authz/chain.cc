#include "apiserver/access/authz/chain.h"

#include <algorithm>

namespace proa::apiserver {

namespace authorizer_chain {

// Reasons of authorizers without opinion are reported if access is denied.
void add_reason(Verdict& none, const Verdict& verdict) {
  if (verdict.reason.empty()) return;
  if (!none.reason.empty()) none.reason += '\n';
  none.reason += verdict.reason;
}

}  // namespace authorizer_chain

Verdict AuthorizerChain::authorize(const Attributes& attributes) {
  Verdict none;
  for (const std::shared_ptr<Authorizer>& authorizer : authorizers_) {
    Verdict verdict = authorizer->authorize(attributes);
    if (verdict.decision != Decision::kNoOpinion) return verdict;
    authorizer_chain::add_reason(none, verdict);
  }
  return none;
}

std::optional<Verdict> AuthorizerChain::authorize_now(const Attributes& attributes) {
  Verdict none;
  for (const std::shared_ptr<Authorizer>& authorizer : authorizers_) {
    std::optional<Verdict> verdict = authorizer->authorize_now(attributes);
    if (!verdict || verdict->decision != Decision::kNoOpinion) return verdict;
    authorizer_chain::add_reason(none, *verdict);
  }
  return none;
}

bool AuthorizerChain::may_wait(const Attributes& attributes) const {
  return std::any_of(
      authorizers_.begin(), authorizers_.end(),
      [&](const std::shared_ptr<Authorizer>& one) { return one->may_wait(attributes); });
}

void AuthorizerChain::list_rules(const User& user, std::string_view name_space, RuleList& rules) {
  for (const std::shared_ptr<Authorizer>& authorizer : authorizers_) {
    authorizer->list_rules(user, name_space, rules);
  }
}

}  // namespace proa::apiserver

#pragma once

#include <memory>
#include <string>
#include <vector>

#include "apiserver/access/authz/authorizer.h"
#include "base/result.h"

namespace proa::apiserver {

// Runs authorizers in order: the first with an opinion decides. No opinion at all denies.
class AuthorizerChain final : public Authorizer {
 public:
  explicit AuthorizerChain(std::vector<std::shared_ptr<Authorizer>> authorizers)
      : authorizers_(std::move(authorizers)) {}

  Verdict authorize(const Attributes& attributes) override;
  bool may_wait(const Attributes& attributes) const override;
  // Authorizers after the deciding one are not run, so it does not matter whether they would block.
  std::optional<Verdict> authorize_now(const Attributes& attributes) override;
  void list_rules(const User& user, std::string_view name_space, RuleList& rules) override;

 private:
  const std::vector<std::shared_ptr<Authorizer>> authorizers_;
};

}  // namespace proa::apiserver

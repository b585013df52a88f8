#pragma once

#include "apiserver/access/authz/authorizer.h"
#include "apiserver/access/authz/rbac/index.h"

namespace proa::apiserver {

// Allows what the user's roles allow; never denies.
class RbacAuthorizer final : public Authorizer {
 public:
  // REQUIRES: the index outlives it.
  explicit RbacAuthorizer(RbacIndex& index) : index_(index) {}

  Verdict authorize(const Attributes& attributes) override;
  void list_rules(const User& user, std::string_view name_space, RuleList& rules) override;

 private:
  RbacIndex& index_;
};

}  // namespace proa::apiserver

#pragma once

#include <string>

#include "apiserver/access/authz/authorizer.h"

namespace proa::apiserver {

// Allows everything to a group, independent of roles, so that administrators can repair broken
// roles.
class PrivilegedGroup final : public Authorizer {
 public:
  explicit PrivilegedGroup(std::string group = "system:masters") : group_(std::move(group)) {}

  Verdict authorize(const Attributes& attributes) override;
  // Adds nothing, as upstream: only RBAC rules are listed.
  void list_rules(const User& user, std::string_view name_space, RuleList& rules) override;

 private:
  const std::string group_;
};

}  // namespace proa::apiserver

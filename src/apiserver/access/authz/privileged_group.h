#pragma once

#include <string>

#include "apiserver/access/authz/authorizer.h"

namespace proa::apiserver {

// Allows everything to a group, whatever roles say: with it, those who run the cluster can put
// roles right that somebody broke.
class PrivilegedGroup final : public Authorizer {
 public:
  explicit PrivilegedGroup(std::string group = "system:masters") : group_(std::move(group)) {}

  Verdict authorize(const Attributes& attributes) override;
  // Nothing, as upstream: roles are what is listed.
  void list_rules(const User& user, std::string_view name_space, RuleList& rules) override;

 private:
  const std::string group_;
};

}  // namespace proa::apiserver

#pragma once

#include "apiserver/access/authz/authorizer.h"

namespace proa::apiserver {

// The authorization modes AlwaysAllow and AlwaysDeny.
class AlwaysAllow final : public Authorizer {
 public:
  Verdict authorize(const Attributes&) override { return {Decision::kAllow}; }
  void list_rules(const User&, std::string_view, RuleList& rules) override {
    rules.resources.push_back({{"*"}, {"*"}, {"*"}, {}});
    rules.paths.push_back({{"*"}, {"*"}});
  }
};

class AlwaysDeny final : public Authorizer {
 public:
  Verdict authorize(const Attributes&) override {
    return {Decision::kNoOpinion, "Everything is forbidden."};
  }
  void list_rules(const User&, std::string_view, RuleList&) override {}
};

}  // namespace proa::apiserver

#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "apiserver/access/authz/authorizer.h"
#include "kinds/rbac/rule.h"

namespace proa::apiserver {

using kinds::PolicyRule;

// An access request to be matched against many roles; computes once what each match needs.
// REQUIRES: the attributes outlive it.
class AccessQuestion {
 public:
  explicit AccessQuestion(const Attributes& attributes);

  const Attributes& attributes;
  const uint32_t verb;           // its bit; zero: not a common verb
  const uint64_t resource;       // hash of "pods", "pods/log"
  const uint64_t any_with_part;  // hash of "*/log"; zero without a subresource

  // Whether a resource of a rule matches the requested one.
  bool is_about(std::string_view resource_in_rule) const;
};

// The rules of a role, indexed: roles without a rule for the resource are rejected by one
// comparison. Immutable; shared by all subjects of the role. Thread-safe.
class CompiledRole {
 public:
  explicit CompiledRole(std::vector<PolicyRule> rules);
  CompiledRole(const CompiledRole&) = delete;
  CompiledRole& operator=(const CompiledRole&) = delete;

  bool allows(const AccessQuestion& question) const;
  // The original rules.
  std::span<const PolicyRule> rules() const { return original_rules_; }

 private:
  using Sorted = std::vector<std::string_view>;
  struct Rule {
    uint32_t verbs = 0;  // bits of the common ones
    bool any_verb = false;
    bool any_group = false;
    Sorted other_verbs;
    Sorted groups;
    Sorted names;  // empty: any
  };
  struct Place {
    uint64_t hash;
    std::string_view resource;
    uint32_t rule;
  };

  void add_rule(const PolicyRule& original);
  bool allows_at(uint64_t hash, const AccessQuestion& question) const;
  bool allows_path(const AccessQuestion& question) const;
  static bool verb_allowed(const Rule& rule, const AccessQuestion& question);
  static bool allowed(const Rule& rule, const AccessQuestion& question);

  const std::vector<PolicyRule> original_rules_;
  std::vector<Rule> rules_;
  std::vector<Place> places_;            // named resources, by hash
  uint64_t marks_ = 0;                   // one-word Bloom filter of `places_`
  std::vector<uint32_t> on_everything_;  // rules with the resource "*"
  std::vector<uint32_t> on_paths_;       // rules with paths
};

using RolePtr = std::shared_ptr<const CompiledRole>;

}  // namespace proa::apiserver

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

// A question that is put to many roles: what each of them needs of it is worked out once. REQUIRES:
// the attributes outlive it.
class AccessQuestion {
 public:
  explicit AccessQuestion(const Attributes& attributes);

  const Attributes& attributes;
  const uint32_t verb;           // its bit; zero: none of the usual ones
  const uint64_t resource;       // hash of "pods", "pods/log"
  const uint64_t any_with_part;  // hash of "*/log"; zero when there is no subresource

  // Whether a resource in a rule means the one that is asked for.
  bool is_about(std::string_view resource_in_rule) const;
};

// The rules of a role, made ready to answer: most roles say nothing about what is asked for, which
// shows at one look. Immutable; shared by all who hold the role, from any thread.
class CompiledRole {
 public:
  explicit CompiledRole(std::vector<PolicyRule> rules);
  CompiledRole(const CompiledRole&) = delete;
  CompiledRole& operator=(const CompiledRole&) = delete;

  bool allows(const AccessQuestion& question) const;
  // As they were written.
  std::span<const PolicyRule> rules() const { return said_; }

 private:
  using Sorted = std::vector<std::string_view>;
  struct Rule {
    uint32_t verbs = 0;  // bits of the usual ones
    bool any_verb = false;
    bool any_group = false;
    Sorted other_verbs;
    Sorted groups;
    Sorted names;  // none: any
  };
  struct Place {
    uint64_t hash;
    std::string_view resource;
    uint32_t rule;
  };

  void add_rule(const PolicyRule& said);
  bool allows_at(uint64_t hash, const AccessQuestion& question) const;
  bool allows_path(const AccessQuestion& question) const;
  static bool verb_allowed(const Rule& rule, const AccessQuestion& question);
  static bool allowed(const Rule& rule, const AccessQuestion& question);

  const std::vector<PolicyRule> said_;
  std::vector<Rule> rules_;
  std::vector<Place> places_;            // of resources that are named, by hash
  uint64_t marks_ = 0;                   // a bit for each place
  std::vector<uint32_t> on_everything_;  // rules with the resource "*"
  std::vector<uint32_t> on_paths_;       // rules with paths
};

using RolePtr = std::shared_ptr<const CompiledRole>;

}  // namespace proa::apiserver

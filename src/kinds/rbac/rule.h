#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "api/object/view.h"

namespace proa::kinds {

// A PolicyRule of rbac.authorization.k8s.io/v1: allows all of its verbs on all of its resources in
// all of its groups, or on all of its paths.
struct PolicyRule {
  std::vector<std::string> verbs = {};
  std::vector<std::string> groups = {};
  std::vector<std::string> resources = {};
  std::vector<std::string> names = {};  // empty: any name
  std::vector<std::string> paths = {};

  bool operator==(const PolicyRule&) const = default;
};

PolicyRule read_rule(api::View rule);
// The field `rules` of a role.
std::vector<PolicyRule> read_rules(api::View rules);

// Whether a path in a rule ("/healthz", "/healthz/*") matches `path`.
bool path_covers(std::string_view path_in_rule, std::string_view path);

// `{APIGroups:["apps"], Resources:["deployments"], Verbs:["get" "list"]}`: upstream's
// CompactString. Different rules have different texts.
std::string describe(const PolicyRule& rule);
// `["a" "b"]`: %q of a slice of strings in Go.
std::string quoted_list(std::span<const std::string> texts);

}  // namespace proa::kinds

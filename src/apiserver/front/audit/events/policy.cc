#include "apiserver/front/audit/events/policy.h"

#include <algorithm>

namespace proa::apiserver::audit {
namespace policy {

constexpr std::string_view kLevelNames[] = {"None", "Metadata", "Request", "RequestResponse"};
constexpr std::string_view kStageNames[] = {"RequestReceived", "ResponseStarted",
                                            "ResponseComplete", "Panic"};

// Below this, comparing is faster than searching.
constexpr size_t kFewNames = 8;

// "/healthz*": a prefix. As upstream's pathMatches, which ignores all final stars.
bool path_matches(std::string_view path, std::string_view pattern) {
  if (pattern == "*" || pattern == path) return true;
  if (!pattern.ends_with('*')) return false;
  while (pattern.ends_with('*')) pattern.remove_suffix(1);
  return path.starts_with(pattern);
}

}  // namespace policy

std::string_view name_of(Level level) { return policy::kLevelNames[static_cast<size_t>(level)]; }
std::string_view name_of(Stage stage) { return policy::kStageNames[static_cast<size_t>(stage)]; }

std::optional<Level> level_from(std::string_view name) {
  const auto* found = std::ranges::find(policy::kLevelNames, name);
  if (found == std::end(policy::kLevelNames)) return std::nullopt;
  return kLevels[found - std::begin(policy::kLevelNames)];
}

std::optional<Stage> stage_from(std::string_view name) {
  const auto* found = std::ranges::find(policy::kStageNames, name);
  if (found == std::end(policy::kStageNames)) return std::nullopt;
  return kStages[found - std::begin(policy::kStageNames)];
}

Policy::Names::Names(std::vector<std::string> names) : sorted_(std::move(names)) {
  std::ranges::sort(sorted_);
}

bool Policy::Names::has(std::string_view name) const {
  if (sorted_.size() > policy::kFewNames) {
    return std::binary_search(sorted_.begin(), sorted_.end(), name, std::less<>());
  }
  return std::ranges::any_of(sorted_, [&](const std::string& one) { return one == name; });
}

// As upstream's ruleMatchesResource. "pods/" and "*/*" match nothing.
Policy::Pattern::Pattern(std::string_view text) {
  everything = text == "*";
  const size_t slash = text.find('/');
  if (slash == std::string_view::npos) {
    is_resource = true;
    resource = text;
    return;
  }
  resource = text.substr(0, slash);
  subresource = text.substr(slash + 1);
  whole_resource = subresource == "*";
  any_resource = resource == "*";
  is_resource = !subresource.empty();
}

bool Policy::Pattern::matches(const Attributes& attributes) const {
  if (everything) return true;
  if (whole_resource) return attributes.resource == resource;
  if (any_resource) {
    return !attributes.subresource.empty() && attributes.subresource == subresource;
  }
  return is_resource && attributes.resource == resource && attributes.subresource == subresource;
}

bool Policy::Target::matches(const Attributes& attributes) const {
  if (!any_group && group != attributes.group) return false;
  if (patterns.empty()) return true;
  if (!names.empty() && !names.has(attributes.name)) return false;
  return std::ranges::any_of(patterns, [&](const Pattern& one) { return one.matches(attributes); });
}

bool Policy::Compiled::matches_user(const User* user) const {
  if (!users.empty() && (user == nullptr || !users.has(user->name))) return false;
  if (groups.empty()) return true;
  if (user == nullptr) return false;
  return std::ranges::any_of(user->groups,
                             [&](const std::string& group) { return groups.has(group); });
}

bool Policy::Compiled::matches_resource(const Attributes& attributes) const {
  if (!attributes.is_resource) return false;
  if (!namespaces.empty() && !namespaces.has(attributes.name_space)) return false;
  if (targets.empty()) return true;
  return std::ranges::any_of(targets, [&](const Target& one) { return one.matches(attributes); });
}

bool Policy::Compiled::matches_path(std::string_view path) const {
  return std::ranges::any_of(
      paths, [&](const std::string& pattern) { return policy::path_matches(path, pattern); });
}

bool Policy::Compiled::matches(const Attributes& attributes) const {
  if (!verbs.empty() && !verbs.has(attributes.verb)) return false;
  if (!matches_user(attributes.user)) return false;
  if (!namespaces.empty() || !targets.empty()) return matches_resource(attributes);
  if (!paths.empty()) return !attributes.is_resource && matches_path(attributes.path);
  return true;
}

Policy::Policy(const std::vector<Rule>& rules, StageSet omitted, bool omits_managed_fields)
    : otherwise_{
          .level = Level::kNone, .omitted = omitted, .omits_managed_fields = omits_managed_fields} {
  for (const Rule& rule : rules) {
    Compiled& compiled = rules_.emplace_back();
    compiled.users = Names(rule.users);
    compiled.groups = Names(rule.groups);
    compiled.verbs = Names(rule.verbs);
    compiled.namespaces = Names(rule.namespaces);
    compiled.paths = rule.paths;
    for (const GroupResources& stated : rule.resources) {
      Target& target = compiled.targets.emplace_back();
      target.any_group = stated.group == "*";
      target.group = stated.group;
      target.names = Names(stated.names);
      for (const std::string& resource : stated.resources) target.patterns.emplace_back(resource);
    }
    compiled.choice = {
        .level = rule.level,
        .omitted = omitted | rule.omitted,
        .omits_managed_fields = rule.omits_managed_fields.value_or(omits_managed_fields)};
  }
}

Choice Policy::evaluate(const Attributes& attributes) const {
  for (const Compiled& rule : rules_) {
    if (rule.matches(attributes)) return rule.choice;
  }
  return otherwise_;
}

}  // namespace proa::apiserver::audit

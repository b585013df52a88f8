#include "apiserver/access/authz/rbac/compiled_role.h"

#include <algorithm>
#include <array>

namespace proa::apiserver {
namespace compiled_role {

// FNV-1a. Strings with equal hashes are compared, so collisions grant nothing.
constexpr uint64_t kNothing = 0xcbf29ce484222325;
uint64_t hash(uint64_t state, std::string_view text) {
  for (const char c : text) state = (state ^ static_cast<uint8_t>(c)) * 0x100000001b3;
  return state;
}

// The upper bits depend on the whole string.
uint64_t mark(uint64_t hash) { return uint64_t{1} << (hash >> 58); }

constexpr std::array<std::string_view, 16> kVerbs = {
    "get",   "list", "watch", "create",      "update", "patch", "delete",  "deletecollection",
    "proxy", "use",  "bind",  "impersonate", "sign",   "post",  "approve", "escalate",
};

uint32_t verb_bit(std::string_view verb) {
  for (size_t i = 0; i < kVerbs.size(); ++i) {
    if (kVerbs[i] == verb) return uint32_t{1} << i;
  }
  return 0;
}

std::vector<std::string_view> sorted(const std::vector<std::string>& texts) {
  std::vector<std::string_view> sorted(texts.begin(), texts.end());
  std::sort(sorted.begin(), sorted.end());
  sorted.erase(std::unique(sorted.begin(), sorted.end()), sorted.end());
  return sorted;
}

bool has(const std::vector<std::string_view>& sorted, std::string_view text) {
  return std::binary_search(sorted.begin(), sorted.end(), text);
}

uint64_t resource_hash(const Attributes& attributes) {
  const uint64_t resource = hash(kNothing, attributes.resource);
  if (attributes.subresource.empty()) return resource;
  return hash(hash(resource, "/"), attributes.subresource);
}

uint64_t any_with_part_hash(const Attributes& attributes) {
  if (attributes.subresource.empty()) return 0;
  return hash(hash(kNothing, "*/"), attributes.subresource);
}

// "pods/log" is "pods", "log".
bool is_joined(std::string_view text, std::string_view resource, std::string_view part) {
  return text.size() == resource.size() + 1 + part.size() && text.starts_with(resource) &&
         text[resource.size()] == '/' && text.ends_with(part);
}

}  // namespace compiled_role

AccessQuestion::AccessQuestion(const Attributes& asked)
    : attributes(asked),
      verb(compiled_role::verb_bit(asked.verb)),
      resource(compiled_role::resource_hash(asked)),
      any_with_part(compiled_role::any_with_part_hash(asked)) {}

bool AccessQuestion::is_about(std::string_view resource_in_rule) const {
  const std::string_view part = attributes.subresource;
  if (part.empty()) return resource_in_rule == attributes.resource;
  return compiled_role::is_joined(resource_in_rule, attributes.resource, part) ||
         compiled_role::is_joined(resource_in_rule, "*", part);
}

CompiledRole::CompiledRole(std::vector<PolicyRule> rules) : original_rules_(std::move(rules)) {
  rules_.reserve(original_rules_.size());
  for (const PolicyRule& rule : original_rules_) add_rule(rule);
  std::sort(places_.begin(), places_.end(), [](const Place& a, const Place& b) {
    return a.hash != b.hash ? a.hash < b.hash : a.rule < b.rule;
  });
}

void CompiledRole::add_rule(const PolicyRule& original) {
  const auto index = static_cast<uint32_t>(rules_.size());
  Rule& rule = rules_.emplace_back();
  for (const std::string_view verb : compiled_role::sorted(original.verbs)) {
    const uint32_t bit = compiled_role::verb_bit(verb);
    rule.verbs |= bit;
    if (verb == "*") rule.any_verb = true;
    if (bit == 0) rule.other_verbs.push_back(verb);
  }
  rule.groups = compiled_role::sorted(original.groups);
  rule.any_group = compiled_role::has(rule.groups, "*");
  rule.names = compiled_role::sorted(original.names);
  if (!original.paths.empty()) on_paths_.push_back(index);
  const Sorted resources = compiled_role::sorted(original.resources);
  if (compiled_role::has(resources, "*")) {
    on_everything_.push_back(index);
    return;
  }
  for (const std::string_view resource : resources) {
    const uint64_t hash = compiled_role::hash(compiled_role::kNothing, resource);
    places_.push_back({hash, resource, index});
    marks_ |= compiled_role::mark(hash);
  }
}

bool CompiledRole::allows(const AccessQuestion& question) const {
  if (!question.attributes.is_resource) return allows_path(question);
  for (const uint32_t index : on_everything_) {
    if (allowed(rules_[index], question)) return true;
  }
  if (allows_at(question.resource, question)) return true;
  return question.any_with_part != 0 && allows_at(question.any_with_part, question);
}

bool CompiledRole::allows_at(uint64_t hash, const AccessQuestion& question) const {
  if ((marks_ & compiled_role::mark(hash)) == 0) return false;
  auto place = std::lower_bound(places_.begin(), places_.end(), hash,
                                [](const Place& a, uint64_t b) { return a.hash < b; });
  for (; place != places_.end() && place->hash == hash; ++place) {
    if (allowed(rules_[place->rule], question) && question.is_about(place->resource)) return true;
  }
  return false;
}

bool CompiledRole::verb_allowed(const Rule& rule, const AccessQuestion& question) {
  if (rule.any_verb || (rule.verbs & question.verb) != 0) return true;
  return question.verb == 0 && compiled_role::has(rule.other_verbs, question.attributes.verb);
}

// Matches everything but the resource.
bool CompiledRole::allowed(const Rule& rule, const AccessQuestion& question) {
  return verb_allowed(rule, question) &&
         (rule.any_group || compiled_role::has(rule.groups, question.attributes.group)) &&
         (rule.names.empty() || compiled_role::has(rule.names, question.attributes.name));
}

bool CompiledRole::allows_path(const AccessQuestion& question) const {
  for (const uint32_t index : on_paths_) {
    if (!verb_allowed(rules_[index], question)) continue;
    for (const std::string& path : original_rules_[index].paths) {
      if (kinds::path_covers(path, question.attributes.path)) return true;
    }
  }
  return false;
}

}  // namespace proa::apiserver

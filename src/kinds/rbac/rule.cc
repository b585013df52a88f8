#include "kinds/rbac/rule.h"

#include "api/validation/go_text.h"
#include "base/strings.h"

namespace proa::kinds {
namespace rule {

std::vector<std::string> texts(api::View list) {
  std::vector<std::string> texts;
  texts.reserve(list.size());
  for (const api::View item : list.items()) texts.emplace_back(item.text());
  return texts;
}

}  // namespace rule

PolicyRule read_rule(api::View rule) {
  return {.verbs = rule::texts(rule["verbs"]),
          .groups = rule::texts(rule["apiGroups"]),
          .resources = rule::texts(rule["resources"]),
          .names = rule::texts(rule["resourceNames"]),
          .paths = rule::texts(rule["nonResourceURLs"])};
}

std::vector<PolicyRule> read_rules(api::View rules) {
  std::vector<PolicyRule> all;
  all.reserve(rules.size());
  for (const api::View rule : rules.items()) all.push_back(read_rule(rule));
  return all;
}

bool path_covers(std::string_view path_in_rule, std::string_view path) {
  if (path_in_rule == path) return true;
  if (!path_in_rule.ends_with('*')) return false;
  // Several trailing stars are equivalent to one.
  return path.starts_with(path_in_rule.substr(0, path_in_rule.find_last_not_of('*') + 1));
}

std::string describe(const PolicyRule& rule) {
  std::vector<std::string> parts;
  const auto add = [&parts](const char* name, const std::vector<std::string>& texts) {
    if (!texts.empty()) parts.push_back(name + quoted_list(texts));
  };
  add("APIGroups:", rule.groups);
  add("Resources:", rule.resources);
  add("NonResourceURLs:", rule.paths);
  add("ResourceNames:", rule.names);
  add("Verbs:", rule.verbs);
  return "{" + join(parts, ", ") + "}";
}

std::string quoted_list(std::span<const std::string> texts) {
  std::string list = "[";
  for (const std::string& text : texts) {
    if (list.size() > 1) list += ' ';
    list += api::quoted(text);
  }
  return list + "]";
}

}  // namespace proa::kinds

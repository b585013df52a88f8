#include "controllers/lifecycle/policies/checked_kinds.h"

#include <algorithm>
#include <string_view>

namespace proa::controllers::policies {
namespace checked_kinds {

std::vector<std::string> sorted(api::View names) {
  std::vector<std::string> all;
  for (const api::View name : names.items()) all.emplace_back(name.text());
  std::ranges::sort(all);
  return all;
}

bool has_wildcard(const std::vector<std::string>& names) {
  return std::ranges::any_of(
      names, [](const std::string& name) { return name.find('*') != std::string::npos; });
}

}  // namespace checked_kinds

std::vector<CheckedResource> checked_resources(api::View rule) {
  const std::vector<std::string> groups = checked_kinds::sorted(rule["apiGroups"]);
  const std::vector<std::string> versions = checked_kinds::sorted(rule["apiVersions"]);
  if (checked_kinds::has_wildcard(groups) || checked_kinds::has_wildcard(versions)) return {};
  std::vector<CheckedResource> all;
  for (const std::string& group : groups) {
    for (const std::string& version : versions) {
      for (const std::string& resource : checked_kinds::sorted(rule["resources"])) {
        if (resource.find_first_of("*/") != std::string::npos) continue;
        all.push_back({group, version, resource});
      }
    }
  }
  return all;
}

}  // namespace proa::controllers::policies

#include "apiserver/representation/discovery/groups.h"

#include <algorithm>
#include <map>
#include <tuple>

#include "api/schema/version_order.h"

namespace proa::apiserver {
namespace groups {

bool version_before(const ServedVersion& a, const ServedVersion& b) {
  if (a.priority != b.priority) return a.priority > b.priority;
  return api::version_precedes(a.name, b.name);
}

bool group_before(const ServedGroup& a, const ServedGroup& b) {
  return std::tuple(-a.priority, a.name) < std::tuple(-b.priority, b.name);
}

}  // namespace groups

std::vector<ServedGroup> sort_into_groups(std::span<const api::Resource* const> resources,
                                          std::span<const RemoteVersion> remotes) {
  std::map<std::string_view, std::map<std::string_view, ServedVersion>> found;
  std::map<std::string_view, int> priorities;
  for (const api::Resource* resource : resources) {
    ServedVersion& version = found[resource->group][resource->version];
    version.group_version = resource->group_version();
    version.name = resource->version;
    version.priority = std::max(version.priority, resource->version_priority);
    version.resources.push_back(resource);
    int& priority = priorities[resource->group];
    priority = std::max(priority, resource->group_priority);
  }
  for (const RemoteVersion& remote : remotes) {
    ServedVersion& version = found[remote.group][remote.version];
    version.group_version = remote.group_version;
    version.name = remote.version;
    version.priority = remote.version_priority;
    version.remote = &remote;
    int& priority = priorities[remote.group];
    priority = std::max(priority, remote.group_priority);
  }
  std::vector<ServedGroup> sorted;
  for (auto& [name, versions] : found) {
    ServedGroup& group = sorted.emplace_back();
    group.name = name;
    group.priority = priorities[name];
    for (auto& [version_name, version] : versions) {
      std::sort(version.resources.begin(), version.resources.end(),
                [](const auto* a, const auto* b) { return a->name < b->name; });
      group.versions.push_back(std::move(version));
    }
    std::sort(group.versions.begin(), group.versions.end(), groups::version_before);
  }
  std::sort(sorted.begin(), sorted.end(), groups::group_before);
  return sorted;
}

}  // namespace proa::apiserver

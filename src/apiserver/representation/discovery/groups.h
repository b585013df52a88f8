#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "api/schema/resource.h"
#include "apiserver/representation/discovery/remote_version.h"

namespace proa::apiserver {

// Resources by group and version in discovery order: by priority, then by name; the first version
// is the preferred one.
struct ServedVersion {
  std::string_view group_version;  // "apps/v1"
  std::string_view name;           // "v1"
  int priority = 0;
  std::vector<const api::Resource*> resources;
  const RemoteVersion* remote = nullptr;  // not null: another server answers for this version
};

struct ServedGroup {
  std::string_view name;
  int priority = 0;  // the highest of its versions
  std::vector<ServedVersion> versions;
};

// REQUIRES: both outlive the result.
std::vector<ServedGroup> sort_into_groups(std::span<const api::Resource* const> resources,
                                          std::span<const RemoteVersion> remotes = {});

}  // namespace proa::apiserver

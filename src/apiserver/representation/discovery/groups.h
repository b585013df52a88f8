#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "api/schema/resource.h"

namespace proa::apiserver {

// Resources by group and version in discovery order: by priority, then by name; the first version
// is the preferred one.
struct ServedVersion {
  std::string_view group_version;  // "apps/v1"
  std::string_view name;           // "v1"
  int priority = 0;
  std::vector<const api::Resource*> resources;
};

struct ServedGroup {
  std::string_view name;
  int priority = 0;  // the highest of its versions
  std::vector<ServedVersion> versions;
};

std::vector<ServedGroup> sort_into_groups(std::span<const api::Resource* const> resources);

}  // namespace proa::apiserver

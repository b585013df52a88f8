#pragma once

#include <span>
#include <string>
#include <vector>

#include "apiserver/representation/openapi/operations.h"

namespace proa::apiserver {

// A part of the API with its own OpenAPI v3 document: a group version, or a path outside of groups.
struct Section {
  std::string name;  // "apis/apps/v1", "version": the path without surrounding slashes
  GroupVersion group_version;
  std::vector<const api::Resource*> resources;  // only for a group version
};

// Sorted by name.
std::vector<Section> sections_of(std::span<const api::Resource* const> resources);

std::vector<PathItem> paths_of(const Section& section, const CommonTypes& types);
// The paths that are none of its resources'.
std::vector<PathItem> own_paths_of(const Section& section, const CommonTypes& types);

}  // namespace proa::apiserver

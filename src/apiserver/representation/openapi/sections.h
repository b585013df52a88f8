#pragma once

#include <span>
#include <string>
#include <vector>

#include "apiserver/representation/openapi/operations.h"

namespace proa::apiserver {

// The API in parts, each of which is a document of its own in OpenAPI v3: a group and version, or
// one of the paths beside them.
struct Section {
  std::string name;  // "apis/apps/v1", "version": the path, without slashes around it
  GroupVersion group_version;
  std::vector<const api::Resource*> resources;  // empty but for a group and version
};

// In the order of their names.
std::vector<Section> sections_of(std::span<const api::Resource* const> resources);

std::vector<PathItem> paths_of(const Section& section, const CommonTypes& types);

}  // namespace proa::apiserver

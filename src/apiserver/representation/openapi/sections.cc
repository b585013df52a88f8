#include "apiserver/representation/openapi/sections.h"

#include <map>

namespace proa::apiserver {

namespace sections {

constexpr std::string_view kJson[] = {"application/json"};
constexpr std::string_view kKeySet[] = {"application/jwk-set+json"};

std::string name_of(std::string_view path) { return std::string(path.substr(1)); }

PathItem version_path(const Section& section, const CommonTypes& types) {
  return plain_path("/version/", section.name, "getCodeVersion", "get the version of this server",
                    kJson, &types.version_info);
}

PathItem issuer_path(const Section& section, const CommonTypes&) {
  return plain_path(
      "/" + section.name + "/", "WellKnown", "getServiceAccountIssuerOpenIDConfiguration",
      "get what must be known to check the tokens of service accounts", kJson, nullptr);
}

PathItem key_set_path(const Section& section, const CommonTypes&) {
  return plain_path("/" + section.name + "/", "openid", "getServiceAccountIssuerOpenIDKeyset",
                    "get the keys that the tokens of service accounts are signed with", kKeySet,
                    nullptr);
}

PathItem versions_path(const Section&, const CommonTypes& types) {
  return plain_path("/api/", "core", "getCoreAPIVersions", "get available API versions",
                    object_media(true), &types.versions);
}

PathItem groups_path(const Section&, const CommonTypes& types) {
  return plain_path("/apis/", "apis", "getAPIVersions", "get available API versions",
                    object_media(true), &types.group_list);
}

// Paths that exist independent of resources.
struct Fixed {
  std::string_view name;
  PathItem (*path)(const Section& section, const CommonTypes& types);
};
constexpr Fixed kFixed[] = {
    {".well-known/openid-configuration", issuer_path},
    {"api", versions_path},
    {"apis", groups_path},
    {"openid/v1/jwks", key_set_path},
    {"version", version_path},
};

PathItem group_path(const Section& section, const CommonTypes& types) {
  const GroupVersion& group = section.group_version;
  return plain_path("/" + section.name + "/", tag_of(group), "get" + id_of(group) + "APIGroup",
                    "get information of a group", object_media(true), &types.group);
}

PathItem resources_path(const Section& section, const CommonTypes& types) {
  const GroupVersion& group_version = section.group_version;
  return plain_path("/" + section.name + "/", tag_of(group_version),
                    "get" + id_of(group_version) + "APIResources", "get available resources",
                    object_media(true), &types.resource_list);
}

}  // namespace sections

std::vector<Section> sections_of(std::span<const api::Resource* const> resources) {
  std::map<std::string, Section> found;
  const auto find = [&](std::string name, const GroupVersion& group_version) -> Section& {
    Section& section = found[name];
    section.name = std::move(name);
    section.group_version = group_version;
    return section;
  };
  for (const sections::Fixed& fixed : sections::kFixed) find(std::string(fixed.name), {});
  for (const api::Resource* resource : resources) {
    const GroupVersion group_version{.group = resource->group, .version = resource->version};
    find(sections::name_of(path_of(group_version)), group_version).resources.push_back(resource);
    if (resource->group.empty()) continue;
    find("apis/" + std::string(resource->group), {.group = resource->group, .version = ""});
  }
  std::vector<Section> ordered;
  for (auto& [name, section] : found) ordered.push_back(std::move(section));
  return ordered;
}

std::vector<PathItem> own_paths_of(const Section& section, const CommonTypes& types) {
  for (const sections::Fixed& fixed : sections::kFixed) {
    if (fixed.name == section.name) return {fixed.path(section, types)};
  }
  if (section.resources.empty()) return {sections::group_path(section, types)};
  return {sections::resources_path(section, types)};
}

std::vector<PathItem> paths_of(const Section& section, const CommonTypes& types) {
  std::vector<PathItem> paths = own_paths_of(section, types);
  for (const api::Resource* resource : section.resources) {
    for (PathItem& item : paths_of(*resource, types)) paths.push_back(std::move(item));
  }
  return paths;
}

}  // namespace proa::apiserver

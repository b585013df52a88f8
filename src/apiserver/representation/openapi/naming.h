#pragma once

#include <string>
#include <string_view>

#include "api/schema/resource.h"

namespace proa::apiserver {

struct GroupVersion {
  std::string_view group;  // "" for the core
  std::string_view version;

  bool operator==(const GroupVersion&) const = default;
};

// Of "apps/v1", and of "v1", whose group is the core.
GroupVersion split_group_version(std::string_view text);

// Where its resources are: "/apis/apps/v1", "/api/v1".
std::string path_of(const GroupVersion& group_version);

// How operations are grouped, and the middle of their ids: "rbacAuthorization_v1" and
// "RbacAuthorizationV1". Without a version, that of the group: "rbacAuthorization".
std::string tag_of(const GroupVersion& group_version);
std::string id_of(const GroupVersion& group_version);

// With its first letter large, and every one behind a character that no name may have.
std::string capitalized(std::string_view text);

}  // namespace proa::apiserver

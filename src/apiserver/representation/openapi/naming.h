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

// Splits "apps/v1", and "v1" of the core group.
GroupVersion split_group_version(std::string_view text);

// The path of its resources: "/apis/apps/v1", "/api/v1".
std::string path_of(const GroupVersion& group_version);

// The tag of its operations and the middle of their ids: "rbacAuthorization_v1" and
// "RbacAuthorizationV1". Without a version, those of the group: "rbacAuthorization".
std::string tag_of(const GroupVersion& group_version);
std::string id_of(const GroupVersion& group_version);

// Capitalizes the first letter and every letter after a character that is not valid in names.
std::string capitalized(std::string_view text);

}  // namespace proa::apiserver

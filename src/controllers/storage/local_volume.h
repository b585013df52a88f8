#pragma once

#include <string>

#include "api/object/object.h"
#include "api/object/view.h"
#include "base/result.h"

namespace proa::controllers::storage {

inline constexpr std::string_view kLocalPathProvisioner = "proa.dev/local-path";
inline constexpr std::string_view kLocalPathClass = "local-path";
// Where folders of volumes are on their nodes, unless the class has a parameter "path".
inline constexpr std::string_view kLocalPathRoot = "/var/lib/proa/storage";
// On volumes: the name of the node that has the folder.
inline constexpr std::string_view kLocalPathNode = "proa.dev/local-path-node";

// The name of the volume that is made for a claim: always the same, so that none is made twice.
std::string local_volume_name(const api::Object& claim);

// A volume for the claim: a folder on that node. kInvalid, saying why, when there can't be one.
Result<std::string> make_local_volume(const api::Object& claim, const api::Object& storage_class,
                                      const api::Object& node);

// The class. `is_default`: claims that choose none get it.
std::string local_path_class(bool is_default);

}  // namespace proa::controllers::storage

#pragma once

#include <string>

#include "api/object/object.h"
#include "api/object/view.h"
#include "base/result.h"

namespace proa::controllers::storage {

inline constexpr std::string_view kLocalPathProvisioner = "proa.dev/local-path";
inline constexpr std::string_view kLocalPathClass = "local-path";
// Default parent directory of volumes on nodes; overridden by the class parameter "path".
inline constexpr std::string_view kLocalPathRoot = "/var/lib/proa/storage";
// Annotation on volumes: the node of the directory.
inline constexpr std::string_view kLocalPathNode = "proa.dev/local-path-node";

// The name of a claim's volume: deterministic, so that none is created twice.
std::string local_volume_name(const api::Object& claim);

// A volume for the claim in a directory of that node. kInvalid, with the reason, if impossible.
Result<std::string> make_local_volume(const api::Object& claim, const api::Object& storage_class,
                                      const api::Object& node);

// The storage class. `is_default`: used by claims without a class.
std::string local_path_class(bool is_default);

}  // namespace proa::controllers::storage

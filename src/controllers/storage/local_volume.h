#pragma once

#include <string>

#include "api/object/object.h"
#include "api/object/view.h"
#include "base/result.h"

namespace proa::controllers::storage {

inline constexpr std::string_view kLocalPathClass = "local-path";
// Parent directory of volumes on nodes whose kubelet does not manage them; overridden, like the
// node's own, by the class parameter "path".
inline constexpr std::string_view kForeignRoot = "/var/lib/proa/storage";

// The name of a claim's volume: deterministic, so that none is created twice.
std::string local_volume_name(const api::Object& claim);

// Why a directory of a node cannot serve the claim; empty if it can.
std::string why_not_local(api::View claim, api::View storage_class);

// A volume for the claim in a directory of that node. kInvalid, with the reason, if impossible.
//
// A kubelet that manages such directories says so with an annotation on its Node. It gets a volume
// of the source "local", which applies fsGroup, with a finalizer that it removes together with the
// directory. Any other kubelet gets a hostPath, which it creates and nobody removes.
Result<std::string> make_local_volume(const api::Object& claim, const api::Object& storage_class,
                                      const api::Object& node);

// The storage class. `is_default`: used by claims without a class.
std::string local_path_class(bool is_default);

}  // namespace proa::controllers::storage

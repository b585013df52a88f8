#pragma once

#include <string>
#include <string_view>

#include "base/result.h"

namespace proa::cli {

// kForbidden unless this process is root: "ACTION requires root; ADVICE".
Result<void> require_root(std::string_view action, std::string_view advice = "try sudo");

// With advice, if a user who is not root lacked rights on this machine.
Status with_rights_hint(const Status& failure, bool is_root);

// kForbidden, with advice, if other users may write to this directory: they could replace the keys
// and objects in it. It belongs to root or to this process' user, and is writable by its owner
// only.
Result<void> require_private(const std::string& directory);

}  // namespace proa::cli

#pragma once

#include <string_view>

#include "base/result.h"

namespace proa::cli {

// kForbidden unless this process is root: "ACTION requires root; ADVICE".
Result<void> require_root(std::string_view action, std::string_view advice = "try sudo");

}  // namespace proa::cli

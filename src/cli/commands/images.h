#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "cli/command_line/command.h"

namespace proa::cli {

Command images_command();

// The images that `ctr images import` says it imported, in its order: "docker.io/library/a:1".
std::vector<std::string> imported_names(std::string_view output);

}  // namespace proa::cli

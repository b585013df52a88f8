#pragma once

#include <string>
#include <string_view>

#include "base/result.h"

namespace proa::kubelet {

// A variable from a file that an init container wrote to a volume (env.valueFrom.fileKeyRef): lines
// NAME='value', where quoted values may span lines, and comments. Empty if there is no such
// variable; kBadRequest for a syntax error before it.
Result<std::string> find_in_variable_file(std::string_view text, std::string_view key);

// Reads such a file. `path` is user input: neither it nor links in the volume lead out of `root`,
// and only regular files of limited size are read.
Result<std::string> read_variable_file(const std::string& root, const std::string& path);

}  // namespace proa::kubelet

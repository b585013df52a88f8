#pragma once

#include <string>
#include <string_view>

#include "base/result.h"

namespace proa::kubelet {

// A variable of a file that an init container left in a volume (env.valueFrom.fileKeyRef): lines of
// NAME='value', in which quotes may span lines, and comments. Empty when there is no such variable;
// kBadRequest when the file is written otherwise as far as it had to be read.
Result<std::string> find_in_variable_file(std::string_view text, std::string_view key);

// The text of such a file. `path` is whatever a user wrote: neither it nor links in the volume lead
// out of `root`, and nothing but a plain file of bounded length is read.
Result<std::string> read_variable_file(const std::string& root, const std::string& path);

}  // namespace proa::kubelet

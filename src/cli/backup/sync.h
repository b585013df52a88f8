#pragma once

#include <string>

#include "base/result.h"

namespace proa::cli {

// Syncs an open file to disk; `path` is for the error message.
Result<void> sync_file(int file, const std::string& path);
// Syncs the entries of a directory, so that files created or renamed there survive a power loss.
Result<void> sync_directory(const std::string& path);
// The same, recursively.
Result<void> sync_directories(const std::string& path);

}  // namespace proa::cli

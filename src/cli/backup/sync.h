#pragma once

#include <string>

#include "base/result.h"

namespace proa::cli {

// The bytes of an open file are on the disk when this returns; `path` is for the message.
Result<void> sync_file(int file, const std::string& path);
// The names in a directory are on the disk: a file that was made or renamed there survives a power
// loss only then.
Result<void> sync_directory(const std::string& path);
// The same for all directories below it too.
Result<void> sync_directories(const std::string& path);

}  // namespace proa::cli

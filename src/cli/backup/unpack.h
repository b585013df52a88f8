#pragma once

#include <string>

#include "base/files.h"
#include "base/result.h"
#include "cli/backup/manifest.h"
#include "cli/backup/progress.h"

namespace proa::cli {

// Unpacks a backup into a new directory and verifies it: each file's checksum against the manifest,
// and the store's integrity. Everything is synced to disk on success. A damaged, truncated or
// hostile backup is refused; files unpacked until then are left in `directory`, none elsewhere.
Result<Manifest> unpack_backup(int file, const std::string& what, Files& files,
                               const std::string& directory, Progress& progress);

}  // namespace proa::cli

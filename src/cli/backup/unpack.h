#pragma once

#include <string>

#include "base/files.h"
#include "base/result.h"
#include "cli/backup/manifest.h"
#include "cli/backup/progress.h"

namespace proa::cli {

// Unpacks a backup into a directory that is made for it, and verifies everything: that each file is
// the one that the manifest names, byte for byte, and that the store is whole. All is on the disk
// when this returns. A backup that is damaged, cut off or hostile is refused; what was unpacked of
// it until then lies in `directory`, and nothing lies elsewhere.
Result<Manifest> unpack_backup(int file, const std::string& what, Files& files,
                               const std::string& directory, Progress& progress);

}  // namespace proa::cli

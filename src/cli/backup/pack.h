#pragma once

#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "cli/backup/archive.h"
#include "cli/backup/manifest.h"
#include "cli/backup/progress.h"

namespace proa::cli {

// A file of a backup and its source path.
struct BackupSource {
  std::string name;
  std::string path;
};

// The files of a cluster; those of the store come from the checkpoint.
Result<std::vector<BackupSource>> find_sources(const std::string& data_dir,
                                               const std::string& checkpoint);
// Reads every file once to get size and checksum.
Result<std::vector<BackupFile>> describe_sources(std::span<const BackupSource> sources,
                                                 Progress& progress);
// REQUIRES: manifest.files describes `sources`, one by one.
Result<void> write_backup(const Manifest& manifest, std::span<const BackupSource> sources,
                          ArchiveWriter& archive, Progress& progress);

}  // namespace proa::cli

#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/files.h"
#include "base/result.h"
#include "cli/backup/pack.h"

// Data of local-path volumes in a backup. Each volume is an archive of its own, made by tar, which
// knows owners, links, sparse files and extended attributes; it is cut into parts, since a member
// of a backup has less than 8 GiB.

namespace proa::cli {

// Of a data directory; the node has the same name for it.
inline constexpr std::string_view kStorageName = "storage";

struct VolumeArchives {
  std::vector<BackupSource> parts;
  size_t volumes = 0;
  // Of volumes with files that changed while they were read.
  std::vector<std::string> changed;
};

// Archives the volumes in the data directory into `directory`, which needs space for all of them.
Result<VolumeArchives> archive_volumes(Files& files, const Clock& clock,
                                       const std::string& data_dir, const std::string& directory);

// Extracts the archives in an unpacked backup: DIRECTORY/volumes into DIRECTORY/storage. Returns
// the number of volumes; without any, nothing is created. Synced to disk on success.
Result<size_t> extract_volumes(Files& files, const Clock& clock, const std::string& directory);

// Whether a backup may contain a file of this name as a part of a volume:
// "volumes/pvc-7f3c.tar.0000".
bool is_volume_part(std::string_view name);

}  // namespace proa::cli

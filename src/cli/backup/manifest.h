#pragma once

#include <sys/types.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace proa::cli {

// The parts of a data directory that a backup contains. The store comes last: if it is present, the
// other parts are.
inline constexpr std::string_view kKubeconfigName = "admin.kubeconfig";
inline constexpr std::string_view kPartsOfACluster[] = {"tls", kKubeconfigName, "store"};

struct BackupFile {
  std::string name;  // relative to the data directory: "store/db/000012.sst"
  uint64_t size = 0;
  std::string sha256;

  bool operator==(const BackupFile&) const = default;
};

// The first member of a backup: describes the backup and lists its files in order.
struct Manifest {
  std::string version;   // of the proa that wrote it
  int64_t revision = 0;  // last revision in the backup
  std::string time;      // RFC 3339
  std::vector<BackupFile> files;

  uint64_t bytes() const;
  bool operator==(const Manifest&) const = default;
};

inline constexpr std::string_view kManifestName = "manifest.json";
// About 100 bytes per file; a store of a terabyte has 16,000 files.
inline constexpr size_t kMaxManifestBytes = 16u << 20;

std::string print_manifest(const Manifest& manifest);
// The text is treated as hostile: files outside of the known parts are refused.
Result<Manifest> parse_manifest(std::string_view text);

// Whether a backup may contain a file of this name: it stays inside one of the parts, and means the
// same on every file system.
bool is_backup_name(std::string_view name);
// Public files are readable by everyone who can enter the data directory, others by the owner only.
mode_t mode_of(std::string_view name);

}  // namespace proa::cli

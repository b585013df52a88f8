#pragma once

#include <sys/types.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace proa::cli {

// What a data directory is made of, and what a backup holds of it. The store is the last: when it
// is there, all is there.
inline constexpr std::string_view kKubeconfigName = "admin.kubeconfig";
inline constexpr std::string_view kPartsOfACluster[] = {"tls", kKubeconfigName, "store"};

struct BackupFile {
  std::string name;  // below the data directory: "store/db/000012.sst"
  uint64_t size = 0;
  std::string sha256;

  bool operator==(const BackupFile&) const = default;
};

// The first member of a backup: what it is, and what follows, in order.
struct Manifest {
  std::string version;   // of the proa that wrote it
  int64_t revision = 0;  // everything up to here is in it
  std::string time;      // RFC 3339
  std::vector<BackupFile> files;

  uint64_t bytes() const;
  bool operator==(const Manifest&) const = default;
};

inline constexpr std::string_view kManifestName = "manifest.json";
// Some hundred bytes a file, and a store of a terabyte has 16,000 files.
inline constexpr size_t kMostManifestBytes = 16u << 20;

std::string print_manifest(const Manifest& manifest);
// Takes the text as hostile: what it names lies in one of the parts, and nowhere else.
Result<Manifest> parse_manifest(std::string_view text);

// Whether a file of this name may be in a backup: it stays below the data directory, in one of the
// parts, and does not depend on how a system reads odd names.
bool is_backup_name(std::string_view name);
// What is public is readable to all who get into the data directory; the rest is its owner's.
mode_t mode_of(std::string_view name);

}  // namespace proa::cli

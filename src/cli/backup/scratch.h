#pragma once

#include <string>

#include "base/files.h"
#include "base/random.h"

namespace proa::cli {

// A directory inside a data directory for the time of one backup or restore: on the same file
// system as what is linked or moved there. It goes with its owner.
class ScratchDirectory {
 public:
  enum class Use : uint8_t { kCheckpoint, kRestore };

  // Chooses a name and makes nothing yet.
  ScratchDirectory(const std::string& data_dir, Use use, Random& random);
  ~ScratchDirectory();
  ScratchDirectory(const ScratchDirectory&) = delete;
  ScratchDirectory& operator=(const ScratchDirectory&) = delete;

  const std::string& name() const { return name_; }
  const std::string& path() const { return path_; }

 private:
  std::string name_;
  std::string path_;
};

// What backups and restores left behind that were killed. REQUIRES: the caller has the store, so
// that none is under way.
Result<void> remove_scratch(Files& files, const std::string& data_dir);

}  // namespace proa::cli

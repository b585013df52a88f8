#pragma once

#include <string>
#include <vector>

#include "base/files.h"
#include "base/random.h"

namespace proa::cli {

// A temporary directory inside a data directory for one backup or restore, on the same file system
// as the files that are linked or moved. Removed on destruction.
class ScratchDirectory {
 public:
  enum class Use : uint8_t { kCheckpoint, kRestore };

  // Chooses a name; does not create the directory.
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

// Creates a directory and its parents. On destruction, those that it created are removed again if
// they are empty: a refused restore leaves nothing behind.
class NewDirectory {
 public:
  static Result<NewDirectory> make(Files& files, const std::string& path);
  ~NewDirectory();
  NewDirectory(NewDirectory&&) noexcept = default;
  NewDirectory& operator=(NewDirectory&&) = delete;

 private:
  explicit NewDirectory(std::vector<std::string> created) : created_(std::move(created)) {}
  std::vector<std::string> created_;  // innermost first
};

// Removes temporary directories of killed backups and restores. REQUIRES: the caller has the store
// open, so that none is in progress.
Result<void> remove_scratch(Files& files, const std::string& data_dir);

}  // namespace proa::cli

#pragma once

#include <rocksdb/file_system.h>

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "base/random.h"
#include "base/threads/mutex.h"

namespace proa::testkit {

// A file system that can lose power: what was written but not synced is then gone, or there in
// part, or with sectors missing in the middle; names that came, went or moved since their directory
// was synced are as they were before, from some point on. Writes go through to real files; lose()
// takes back.
class PowerLossFileSystem final : public rocksdb::FileSystemWrapper {
 public:
  // `trash` is a directory on the same file system for files that may have to come back.
  explicit PowerLossFileSystem(std::string trash);

  // From here on every change fails, as if the machine had stopped.
  void power_off() EXCLUDES(mutex_);
  // Makes the directories look as they do when the machine comes back. REQUIRES: power_off() was
  // called, and nobody has a file open.
  void lose(Random& random) EXCLUDES(mutex_);

  const char* Name() const override { return "PowerLossFileSystem"; }
  rocksdb::IOStatus NewWritableFile(const std::string& name, const rocksdb::FileOptions& options,
                                    std::unique_ptr<rocksdb::FSWritableFile>* file,
                                    rocksdb::IODebugContext* debug) override;
  rocksdb::IOStatus NewDirectory(const std::string& name, const rocksdb::IOOptions& options,
                                 std::unique_ptr<rocksdb::FSDirectory>* directory,
                                 rocksdb::IODebugContext* debug) override;
  rocksdb::IOStatus DeleteFile(const std::string& name, const rocksdb::IOOptions& options,
                               rocksdb::IODebugContext* debug) override;
  rocksdb::IOStatus RenameFile(const std::string& from, const std::string& to,
                               const rocksdb::IOOptions& options,
                               rocksdb::IODebugContext* debug) override;

 private:
  friend class LossyFile;
  friend class LossyDirectory;

  struct Content {
    uint64_t size = 0;
    uint64_t synced_size = 0;
    uint64_t dirty_begin = UINT64_MAX;  // what was written since the last sync
    uint64_t dirty_end = 0;
  };
  // A change of names that no sync of the directory has followed yet.
  struct NameChange {
    std::string directory;
    std::string created;  // the name that came
    std::string gone;     // the name that went; with `created`: moved
    std::string saved;    // what stood under the name that went away, in the trash
  };

  rocksdb::IOStatus check_power() EXCLUDES(mutex_);
  void written(const std::string& name, uint64_t begin, uint64_t end) EXCLUDES(mutex_);
  void truncated(const std::string& name, uint64_t size) EXCLUDES(mutex_);
  void synced(const std::string& name) EXCLUDES(mutex_);
  void directory_synced(const std::string& directory) EXCLUDES(mutex_);
  std::string save(const std::string& name) REQUIRES(mutex_);
  void take_back(const NameChange& change) REQUIRES(mutex_);
  static void lose(const std::string& name, const Content& content, Random& random);

  const std::string trash_;
  Mutex mutex_;
  bool off_ GUARDED_BY(mutex_) = false;
  int saved_ GUARDED_BY(mutex_) = 0;
  std::map<std::string, Content> contents_ GUARDED_BY(mutex_);
  std::vector<NameChange> changes_ GUARDED_BY(mutex_);
};

}  // namespace proa::testkit

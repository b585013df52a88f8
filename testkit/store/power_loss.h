#pragma once

#include <rocksdb/file_system.h>

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "base/random.h"
#include "base/threads/mutex.h"

namespace proa::testkit {

// A file system that simulates power loss: unsynced data is lost completely, partially, or with
// missing sectors; names created, removed or renamed since the last sync of their directory revert,
// from some point on. Writes go to real files; lose() reverts them.
class PowerLossFileSystem final : public rocksdb::FileSystemWrapper {
 public:
  // `trash` is a directory on the same file system for files that may have to be restored.
  explicit PowerLossFileSystem(std::string trash);

  // From here on every change fails, as if the machine had stopped.
  void power_off() EXCLUDES(mutex_);
  // Brings the directories into a state after power loss. REQUIRES: power_off() was called, and no
  // file is open.
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
    uint64_t dirty_begin = UINT64_MAX;  // written since the last sync
    uint64_t dirty_end = 0;
  };
  // A change of names that is not followed by a sync of the directory.
  struct NameChange {
    std::string directory;
    std::string created;  // the new name
    std::string gone;     // the removed name; with `created`: renamed
    std::string saved;    // the previous content of the name, in the trash
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

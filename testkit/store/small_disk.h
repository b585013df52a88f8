#pragma once

#include <rocksdb/file_system.h>

#include <memory>
#include <string>

#include "base/threads/mutex.h"
#include "store/rocks/disk/disk.h"

namespace proa::testkit {

// A disk of limited size for the files below a directory, whose operations can also be made to
// fail. A write that does not fit is written in part. Wraps the real file system.
class SmallDisk {
 public:
  SmallDisk(std::string directory, uint64_t bytes)
      : directory_(std::move(directory)), bytes_(bytes) {}

  // Space that others occupy.
  void occupy(uint64_t bytes) EXCLUDES(mutex_);
  // Others occupy all that is free, and all that becomes free.
  void fill(bool on) EXCLUDES(mutex_);
  struct Faults {
    bool writes = false;
    bool syncs = false;
    bool opens = false;  // as if there were no descriptors
  };
  void fail(const Faults& faults) EXCLUDES(mutex_);
  uint64_t free_bytes() const EXCLUDES(mutex_);

  // Both refer to this object.
  std::shared_ptr<rocksdb::FileSystem> files();
  std::unique_ptr<store::Disk> disk();

 private:
  friend class SmallFile;
  friend class SmallFileSystem;
  friend class LimitedDisk;
  Faults faults() const EXCLUDES(mutex_);
  uint64_t used() const;

  const std::string directory_;
  const uint64_t bytes_;
  mutable Mutex mutex_;
  uint64_t occupied_ GUARDED_BY(mutex_) = 0;
  bool filled_ GUARDED_BY(mutex_) = false;
  Faults faults_ GUARDED_BY(mutex_);
};

}  // namespace proa::testkit

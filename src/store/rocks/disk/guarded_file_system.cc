#include "store/rocks/disk/guarded_file_system.h"

#include <rocksdb/file_system.h>

namespace proa::store {
namespace guarded_file_system {

using rocksdb::IODebugContext;
using rocksdb::IOOptions;
using rocksdb::IOStatus;

template <typename Operation>
IOStatus attempt(DiskGuard& guard, Operation&& operation) {
  uint64_t given_up = guard.given_up();
  IOStatus status = operation();
  while (!status.ok() && guard.give_way(status, given_up)) {
    given_up = guard.given_up();
    status = operation();
  }
  return status;
}

class GuardedFile final : public rocksdb::FSWritableFileOwnerWrapper {
 public:
  GuardedFile(std::unique_ptr<rocksdb::FSWritableFile> target, std::shared_ptr<DiskGuard> guard)
      : FSWritableFileOwnerWrapper(std::move(target)), guard_(std::move(guard)) {}

  IOStatus Append(const rocksdb::Slice& data, const IOOptions& options,
                  IODebugContext* debug) override {
    if (postponed_) return IOStatus::NoSpace("a compaction does not fit on the disk");
    if (is_compaction()) return target()->Append(data, options, debug);
    return attempt(*guard_, [&] { return target()->Append(data, options, debug); });
  }
  IOStatus Append(const rocksdb::Slice& data, const IOOptions& options,
                  const rocksdb::DataVerificationInfo&, IODebugContext* debug) override {
    return Append(data, options, debug);
  }
  IOStatus Sync(const IOOptions& options, IODebugContext* debug) override {
    return synced(target()->Sync(options, debug));
  }
  IOStatus Fsync(const IOOptions& options, IODebugContext* debug) override {
    return synced(target()->Fsync(options, debug));
  }
  void SetPreallocationBlockSize(size_t size) override {
    expected_bytes_ = size;
    target()->SetPreallocationBlockSize(size);
  }
  // Precedes the first Append.
  void PrepareWrite(size_t offset, size_t size, const IOOptions& options,
                    IODebugContext* debug) override {
    if (offset == 0 && is_compaction() && !guard_->has_room_to_compact(expected_bytes_)) {
      postponed_ = true;
    }
    if (!postponed_) target()->PrepareWrite(offset, size, options, debug);
  }

 private:
  // RocksDB's priority for files of compactions, and only for those.
  bool is_compaction() { return GetIOPriority() == rocksdb::Env::IO_LOW; }
  IOStatus synced(IOStatus status) {
    if (!status.ok()) guard_->note_failed_sync();
    return status;
  }

  const std::shared_ptr<DiskGuard> guard_;
  size_t expected_bytes_ = 0;
  bool postponed_ = false;
};

// RocksDB's own log, which is not worth the reserve. Its writer must not see failures: some builds
// of RocksDB abort when a file is written after one, and the logger does not stop.
class MessageFile final : public rocksdb::FSWritableFileOwnerWrapper {
 public:
  explicit MessageFile(std::unique_ptr<rocksdb::FSWritableFile> target)
      : FSWritableFileOwnerWrapper(std::move(target)) {}

  IOStatus Append(const rocksdb::Slice& data, const IOOptions& options,
                  IODebugContext* debug) override {
    static_cast<void>(target()->Append(data, options, debug));
    return IOStatus::OK();
  }
  IOStatus Append(const rocksdb::Slice& data, const IOOptions& options,
                  const rocksdb::DataVerificationInfo&, IODebugContext* debug) override {
    return Append(data, options, debug);
  }
  IOStatus Flush(const IOOptions& options, IODebugContext* debug) override {
    static_cast<void>(target()->Flush(options, debug));
    return IOStatus::OK();
  }
};

class GuardedFileSystem final : public rocksdb::FileSystemWrapper {
 public:
  GuardedFileSystem(const std::shared_ptr<rocksdb::FileSystem>& target,
                    std::shared_ptr<DiskGuard> guard)
      : FileSystemWrapper(target), guard_(std::move(guard)) {}

  const char* Name() const override { return "GuardedFileSystem"; }

  IOStatus NewWritableFile(const std::string& name, const rocksdb::FileOptions& options,
                           std::unique_ptr<rocksdb::FSWritableFile>* file,
                           IODebugContext* debug) override {
    IOStatus status =
        attempt(*guard_, [&] { return target()->NewWritableFile(name, options, file, debug); });
    if (status.ok() && name.ends_with("/LOG")) {
      *file = std::make_unique<MessageFile>(std::move(*file));
      return status;
    }
    if (status.ok()) *file = std::make_unique<GuardedFile>(std::move(*file), guard_);
    // A new log for each write buffer: often enough.
    if (name.ends_with(".log")) guard_->check_room();
    return status;
  }
  // Not the target's, which would not write through this file system.
  IOStatus NewLogger(const std::string& name, const IOOptions& options,
                     std::shared_ptr<rocksdb::Logger>* logger, IODebugContext* debug) override {
    // NOLINTNEXTLINE(bugprone-parent-virtual-call)
    return FileSystem::NewLogger(name, options, logger, debug);
  }
  IOStatus NewSequentialFile(const std::string& name, const rocksdb::FileOptions& options,
                             std::unique_ptr<rocksdb::FSSequentialFile>* file,
                             IODebugContext* debug) override {
    return attempt(*guard_,
                   [&] { return target()->NewSequentialFile(name, options, file, debug); });
  }
  IOStatus NewRandomAccessFile(const std::string& name, const rocksdb::FileOptions& options,
                               std::unique_ptr<rocksdb::FSRandomAccessFile>* file,
                               IODebugContext* debug) override {
    return attempt(*guard_,
                   [&] { return target()->NewRandomAccessFile(name, options, file, debug); });
  }
  IOStatus NewDirectory(const std::string& name, const IOOptions& options,
                        std::unique_ptr<rocksdb::FSDirectory>* directory,
                        IODebugContext* debug) override {
    return attempt(*guard_,
                   [&] { return target()->NewDirectory(name, options, directory, debug); });
  }
  IOStatus GetChildren(const std::string& name, const IOOptions& options,
                       std::vector<std::string>* children, IODebugContext* debug) override {
    return attempt(*guard_, [&] { return target()->GetChildren(name, options, children, debug); });
  }
  IOStatus RenameFile(const std::string& from, const std::string& to, const IOOptions& options,
                      IODebugContext* debug) override {
    return attempt(*guard_, [&] { return target()->RenameFile(from, to, options, debug); });
  }
  IOStatus LockFile(const std::string& name, const IOOptions& options, rocksdb::FileLock** lock,
                    IODebugContext* debug) override {
    return attempt(*guard_, [&] { return target()->LockFile(name, options, lock, debug); });
  }

 private:
  const std::shared_ptr<DiskGuard> guard_;
};

}  // namespace guarded_file_system

std::shared_ptr<rocksdb::FileSystem> make_guarded_file_system(
    const std::shared_ptr<rocksdb::FileSystem>& target, std::shared_ptr<DiskGuard> guard) {
  return std::make_shared<guarded_file_system::GuardedFileSystem>(target, std::move(guard));
}

}  // namespace proa::store

#include "store/rocks/log_file_system.h"

#include <string>

namespace proa::store {
namespace log_file_system {

using rocksdb::IODebugContext;
using rocksdb::IOOptions;
using rocksdb::IOStatus;

// Zeros written ahead at a time: enough for about two hundred small commits.
constexpr size_t kAhead = 256u << 10;
// In pages: the kernel writes a whole page back if any byte of it is dirty.
constexpr size_t kPiece = 4096;
// Larger synced writes just append.
constexpr size_t kSmall = 32u << 10;

// Appends by position, so that an append that failed in part can be repeated.
class PlacedFile : public rocksdb::FSWritableFileOwnerWrapper {
 public:
  explicit PlacedFile(std::unique_ptr<rocksdb::FSWritableFile> target)
      : FSWritableFileOwnerWrapper(std::move(target)) {}

  IOStatus Append(const rocksdb::Slice& data, const IOOptions& options,
                  IODebugContext* debug) override {
    IOStatus status = target()->PositionedAppend(data, end_, options, debug);
    if (status.ok()) end_ += data.size();
    return status;
  }
  IOStatus Append(const rocksdb::Slice& data, const IOOptions& options,
                  const rocksdb::DataVerificationInfo&, IODebugContext* debug) override {
    return Append(data, options, debug);
  }
  uint64_t GetFileSize(const IOOptions&, IODebugContext*) override { return end_; }

 protected:
  uint64_t end() const { return end_; }

 private:
  uint64_t end_ = 0;  // of the appended data
};

class LogFile final : public PlacedFile {
 public:
  using PlacedFile::Append;
  using PlacedFile::PlacedFile;

  IOStatus Append(const rocksdb::Slice& data, const IOOptions& options,
                  IODebugContext* debug) override {
    IOStatus status = PlacedFile::Append(data, options, debug);
    if (!status.ok()) return status;
    unsynced_ += data.size();
    if (end() <= written_) return status;
    written_ = end();
    if (unsynced_ <= kSmall) write_ahead(options, debug);
    return status;
  }
  IOStatus Sync(const IOOptions& options, IODebugContext* debug) override {
    unsynced_ = 0;
    return target()->Sync(options, debug);
  }
  IOStatus Fsync(const IOOptions& options, IODebugContext* debug) override {
    unsynced_ = 0;
    return target()->Fsync(options, debug);
  }
  IOStatus Close(const IOOptions& options, IODebugContext* debug) override {
    const IOStatus cut = target()->Truncate(end(), options, debug);
    const IOStatus closed = target()->Close(options, debug);
    return cut.ok() ? closed : cut;
  }

 private:
  // Only saves time later: without room for it, nothing is lost.
  void write_ahead(const IOOptions& options, IODebugContext* debug) {
    static const std::string zeros(kPiece, '\0');
    const uint64_t ahead = (end() + kAhead) / kPiece * kPiece;
    while (written_ < ahead) {
      const size_t size = kPiece - written_ % kPiece;
      const IOStatus status =
          target()->PositionedAppend({zeros.data(), size}, written_, options, debug);
      if (!status.ok()) return;
      written_ += size;
    }
  }

  uint64_t written_ = 0;  // of the written blocks
  uint64_t unsynced_ = 0;
};

class LogFileSystem final : public rocksdb::FileSystemWrapper {
 public:
  explicit LogFileSystem(const std::shared_ptr<rocksdb::FileSystem>& target)
      : FileSystemWrapper(target) {}

  const char* Name() const override { return "LogFileSystem"; }
  IOStatus NewWritableFile(const std::string& name, const rocksdb::FileOptions& options,
                           std::unique_ptr<rocksdb::FSWritableFile>* file,
                           IODebugContext* debug) override {
    IOStatus status = FileSystemWrapper::NewWritableFile(name, options, file, debug);
    if (!status.ok()) return status;
    if (name.ends_with(".log")) {
      *file = std::make_unique<LogFile>(std::move(*file));
    } else {
      *file = std::make_unique<PlacedFile>(std::move(*file));
    }
    return status;
  }
};

}  // namespace log_file_system

std::shared_ptr<rocksdb::FileSystem> make_log_file_system(
    std::shared_ptr<rocksdb::FileSystem> target) {
  return std::make_shared<log_file_system::LogFileSystem>(std::move(target));
}

}  // namespace proa::store

#include "testkit/store/small_disk.h"

#include <filesystem>
#include <fstream>

namespace proa::testkit {

namespace fs = std::filesystem;
using rocksdb::IODebugContext;
using rocksdb::IOOptions;
using rocksdb::IOStatus;

class SmallFile final : public rocksdb::FSWritableFileOwnerWrapper {
 public:
  SmallFile(std::unique_ptr<rocksdb::FSWritableFile> target, SmallDisk& disk)
      : FSWritableFileOwnerWrapper(std::move(target)), disk_(disk) {}

  IOStatus Append(const rocksdb::Slice& data, const IOOptions& options,
                  IODebugContext* debug) override {
    return write(data, size_, [&](const rocksdb::Slice& part) {
      return target()->Append(part, options, debug);
    });
  }
  IOStatus Append(const rocksdb::Slice& data, const IOOptions& options,
                  const rocksdb::DataVerificationInfo&, IODebugContext* debug) override {
    return Append(data, options, debug);
  }
  IOStatus PositionedAppend(const rocksdb::Slice& data, uint64_t offset, const IOOptions& options,
                            IODebugContext* debug) override {
    return write(data, offset, [&](const rocksdb::Slice& part) {
      return target()->PositionedAppend(part, offset, options, debug);
    });
  }
  IOStatus Sync(const IOOptions&, IODebugContext*) override { return sync(); }
  IOStatus Fsync(const IOOptions&, IODebugContext*) override { return sync(); }
  // Preallocated blocks would not be counted.
  void PrepareWrite(size_t, size_t, const IOOptions&, IODebugContext*) override {}

 private:
  template <typename Write>
  IOStatus write(const rocksdb::Slice& data, uint64_t offset, Write&& write) {
    if (disk_.faults().writes) return IOStatus::IOError("Input/output error");
    const uint64_t end = offset + data.size();
    const uint64_t growth = end > size_ ? end - size_ : 0;
    const uint64_t room = growth == 0 ? 0 : disk_.free_bytes();
    const uint64_t missing = growth > room ? growth - room : 0;
    const size_t fitting = data.size() - std::min<uint64_t>(missing, data.size());
    IOStatus status = fitting == 0 ? IOStatus::OK() : write({data.data(), fitting});
    if (!status.ok()) return status;
    size_ = std::max(size_, offset + fitting);
    return missing == 0 ? status : IOStatus::NoSpace("No space left on device");
  }
  // The real file is not synced: nothing here loses power.
  IOStatus sync() {
    return disk_.faults().syncs ? IOStatus::IOError("Input/output error") : IOStatus::OK();
  }

  SmallDisk& disk_;
  uint64_t size_ = 0;
};

class SmallFileSystem final : public rocksdb::FileSystemWrapper {
 public:
  explicit SmallFileSystem(SmallDisk& disk)
      : FileSystemWrapper(rocksdb::FileSystem::Default()), disk_(disk) {}

  const char* Name() const override { return "SmallFileSystem"; }
  IOStatus NewWritableFile(const std::string& name, const rocksdb::FileOptions& options,
                           std::unique_ptr<rocksdb::FSWritableFile>* file,
                           IODebugContext* debug) override {
    if (disk_.faults().opens) return IOStatus::IOError("Too many open files");
    IOStatus status = FileSystemWrapper::NewWritableFile(name, options, file, debug);
    if (status.ok()) *file = std::make_unique<SmallFile>(std::move(*file), disk_);
    return status;
  }

 private:
  SmallDisk& disk_;
};

class LimitedDisk final : public store::Disk {
 public:
  explicit LimitedDisk(SmallDisk& disk) : disk_(disk) {}

  store::DiskSpace space() const override {
    return {.free_bytes = disk_.free_bytes(), .total_bytes = disk_.bytes_};
  }
  bool occupies(const std::string& path, uint64_t bytes) const override {
    std::error_code ignored;
    const uintmax_t size = fs::file_size(path, ignored);
    return !ignored && size >= bytes;
  }
  Result<void> allocate(const std::string& path, uint64_t bytes) override {
    if (disk_.free_bytes() < bytes) {
      return Status(Reason::kInsufficientStorage, "No space left on device");
    }
    std::ofstream(path, std::ios::trunc).close();
    fs::resize_file(path, bytes);
    return {};
  }
  void remove(const std::string& path) override {
    std::error_code ignored;
    fs::remove(path, ignored);
  }

 private:
  SmallDisk& disk_;
};

void SmallDisk::occupy(uint64_t bytes) {
  MutexLock lock(mutex_);
  occupied_ = bytes;
}

void SmallDisk::fill(bool on) {
  MutexLock lock(mutex_);
  filled_ = on;
}

void SmallDisk::fail(const Faults& faults) {
  MutexLock lock(mutex_);
  faults_ = faults;
}

SmallDisk::Faults SmallDisk::faults() const {
  MutexLock lock(mutex_);
  return faults_;
}

uint64_t SmallDisk::used() const {
  uint64_t bytes = 0;
  std::error_code ignored;
  for (const auto& file : fs::recursive_directory_iterator(directory_, ignored)) {
    std::error_code gone;
    const uintmax_t size = file.is_regular_file(gone) ? file.file_size(gone) : 0;
    if (!gone) bytes += size;
  }
  return bytes;
}

uint64_t SmallDisk::free_bytes() const {
  const uint64_t used = this->used();
  MutexLock lock(mutex_);
  if (filled_ || used + occupied_ >= bytes_) return 0;
  return bytes_ - used - occupied_;
}

std::shared_ptr<rocksdb::FileSystem> SmallDisk::files() {
  return std::make_shared<SmallFileSystem>(*this);
}

std::unique_ptr<store::Disk> SmallDisk::disk() { return std::make_unique<LimitedDisk>(*this); }

}  // namespace proa::testkit

#include "testkit/store/power_loss.h"

#include <algorithm>
#include <filesystem>
#include <fstream>

namespace proa::testkit {

namespace fs = std::filesystem;
using rocksdb::IODebugContext;
using rocksdb::IOOptions;
using rocksdb::IOStatus;

class LossyFile final : public rocksdb::FSWritableFileOwnerWrapper {
 public:
  LossyFile(std::unique_ptr<rocksdb::FSWritableFile> target, std::string name,
            PowerLossFileSystem& system)
      : FSWritableFileOwnerWrapper(std::move(target)), name_(std::move(name)), system_(system) {}

  IOStatus Append(const rocksdb::Slice& data, const IOOptions& options,
                  IODebugContext* debug) override {
    IOStatus status = system_.check_power();
    if (status.ok()) status = target()->Append(data, options, debug);
    if (status.ok()) system_.written(name_, size_, size_ + data.size());
    size_ += data.size();
    return status;
  }
  IOStatus Append(const rocksdb::Slice& data, const IOOptions& options,
                  const rocksdb::DataVerificationInfo&, IODebugContext* debug) override {
    return Append(data, options, debug);
  }
  IOStatus PositionedAppend(const rocksdb::Slice& data, uint64_t offset, const IOOptions& options,
                            IODebugContext* debug) override {
    IOStatus status = system_.check_power();
    if (status.ok()) status = target()->PositionedAppend(data, offset, options, debug);
    if (status.ok()) system_.written(name_, offset, offset + data.size());
    return status;
  }
  IOStatus Truncate(uint64_t size, const IOOptions& options, IODebugContext* debug) override {
    IOStatus status = system_.check_power();
    if (status.ok()) status = target()->Truncate(size, options, debug);
    if (status.ok()) system_.truncated(name_, size);
    return status;
  }
  IOStatus Sync(const IOOptions& options, IODebugContext* debug) override {
    return sync([&] { return target()->Sync(options, debug); });
  }
  IOStatus Fsync(const IOOptions& options, IODebugContext* debug) override {
    return sync([&] { return target()->Fsync(options, debug); });
  }

 private:
  // The real file is not synced: power loss is only simulated.
  template <typename Sync>
  IOStatus sync(Sync&&) {
    IOStatus status = system_.check_power();
    if (status.ok()) system_.synced(name_);
    return status;
  }

  const std::string name_;
  PowerLossFileSystem& system_;
  uint64_t size_ = 0;
};

class LossyDirectory final : public rocksdb::FSDirectoryWrapper {
 public:
  LossyDirectory(std::unique_ptr<rocksdb::FSDirectory> target, std::string name,
                 PowerLossFileSystem& system)
      : FSDirectoryWrapper(std::move(target)), name_(std::move(name)), system_(system) {}

  IOStatus Fsync(const IOOptions&, IODebugContext*) override {
    IOStatus status = system_.check_power();
    if (status.ok()) system_.directory_synced(name_);
    return status;
  }
  IOStatus FsyncWithDirOptions(const IOOptions& options, IODebugContext* debug,
                               const rocksdb::DirFsyncOptions&) override {
    return Fsync(options, debug);
  }

 private:
  const std::string name_;
  PowerLossFileSystem& system_;
};

PowerLossFileSystem::PowerLossFileSystem(std::string trash)
    : FileSystemWrapper(rocksdb::FileSystem::Default()), trash_(std::move(trash)) {
  fs::create_directories(trash_);
}

void PowerLossFileSystem::power_off() {
  MutexLock lock(mutex_);
  off_ = true;
}

IOStatus PowerLossFileSystem::check_power() {
  MutexLock lock(mutex_);
  return off_ ? IOStatus::IOError("the power is off") : IOStatus::OK();
}

void PowerLossFileSystem::written(const std::string& name, uint64_t begin, uint64_t end) {
  MutexLock lock(mutex_);
  Content& content = contents_[name];
  content.size = std::max(content.size, end);
  content.dirty_begin = std::min(content.dirty_begin, begin);
  content.dirty_end = std::max(content.dirty_end, end);
}

void PowerLossFileSystem::truncated(const std::string& name, uint64_t size) {
  MutexLock lock(mutex_);
  Content& content = contents_[name];
  content.size = size;
  content.synced_size = std::min(content.synced_size, size);
  content.dirty_end = std::min(content.dirty_end, size);
}

void PowerLossFileSystem::synced(const std::string& name) {
  MutexLock lock(mutex_);
  Content& content = contents_[name];
  content = {.size = content.size, .synced_size = content.size};
}

void PowerLossFileSystem::directory_synced(const std::string& directory) {
  MutexLock lock(mutex_);
  const fs::path synced_path = fs::path(directory).lexically_normal();
  std::erase_if(changes_, [&](const NameChange& change) {
    const bool here = fs::path(change.directory) == synced_path ||
                      fs::path(change.directory) == synced_path.parent_path();
    if (here && !change.saved.empty()) fs::remove(change.saved);
    return here;
  });
}

IOStatus PowerLossFileSystem::NewWritableFile(const std::string& name,
                                              const rocksdb::FileOptions& options,
                                              std::unique_ptr<rocksdb::FSWritableFile>* file,
                                              IODebugContext* debug) {
  IOStatus status = check_power();
  if (!status.ok()) return status;
  const bool existed = fs::exists(name);
  std::unique_ptr<rocksdb::FSWritableFile> target;
  status = FileSystemWrapper::NewWritableFile(name, options, &target, debug);
  if (!status.ok()) return status;
  MutexLock lock(mutex_);
  contents_[name] = {};
  if (!existed) changes_.push_back({.directory = fs::path(name).parent_path(), .created = name});
  *file = std::make_unique<LossyFile>(std::move(target), name, *this);
  return status;
}

IOStatus PowerLossFileSystem::NewDirectory(const std::string& name, const IOOptions& options,
                                           std::unique_ptr<rocksdb::FSDirectory>* directory,
                                           IODebugContext* debug) {
  std::unique_ptr<rocksdb::FSDirectory> target;
  IOStatus status = FileSystemWrapper::NewDirectory(name, options, &target, debug);
  if (status.ok()) *directory = std::make_unique<LossyDirectory>(std::move(target), name, *this);
  return status;
}

std::string PowerLossFileSystem::save(const std::string& name) {
  std::string saved = trash_ + "/" + std::to_string(++saved_);
  fs::rename(name, saved);
  return saved;
}

IOStatus PowerLossFileSystem::DeleteFile(const std::string& name, const IOOptions& options,
                                         IODebugContext* debug) {
  IOStatus status = check_power();
  if (!status.ok()) return status;
  if (!fs::exists(name)) return FileSystemWrapper::DeleteFile(name, options, debug);
  MutexLock lock(mutex_);
  changes_.push_back(
      {.directory = fs::path(name).parent_path(), .gone = name, .saved = save(name)});
  return status;
}

IOStatus PowerLossFileSystem::RenameFile(const std::string& from, const std::string& to,
                                         const IOOptions& options, IODebugContext* debug) {
  IOStatus status = check_power();
  if (!status.ok()) return status;
  MutexLock lock(mutex_);
  NameChange change{.directory = fs::path(to).parent_path(), .created = to, .gone = from};
  if (fs::exists(to)) change.saved = save(to);
  status = FileSystemWrapper::RenameFile(from, to, options, debug);
  contents_[to] = contents_[from];
  contents_.erase(from);
  changes_.push_back(std::move(change));
  return status;
}

void PowerLossFileSystem::take_back(const NameChange& change) {
  if (change.created.empty()) {
    fs::rename(change.saved, change.gone);
    return;
  }
  if (change.gone.empty()) {
    fs::remove(change.created);
    contents_.erase(change.created);
    return;
  }
  fs::rename(change.created, change.gone);
  contents_[change.gone] = contents_[change.created];
  contents_.erase(change.created);
  if (!change.saved.empty()) fs::rename(change.saved, change.created);
}

// Assumes that files are only appended to, or written over zeros: reverted bytes become zeros.
void PowerLossFileSystem::lose(const std::string& name, const Content& content, Random& random) {
  const uint64_t dirty = content.dirty_end - content.dirty_begin;
  uint64_t begin = content.dirty_begin;
  uint64_t end = content.dirty_end;
  switch (random.below(4)) {
    case 0:
      break;  // nothing was persisted
    case 1:
      begin += random.below(dirty + 1);
      break;
    case 2: {
      // Sectors are persisted in any order: one is missing.
      const uint64_t sector = (begin + random.below(dirty)) / 512 * 512;
      begin = std::max(sector, begin);
      end = std::min(sector + 512, end);
      break;
    }
    default:
      return;  // everything was persisted
  }
  {
    std::fstream file(name, std::ios::in | std::ios::out | std::ios::binary);
    file.seekp(static_cast<std::streamoff>(begin));
    file << std::string(end - begin, '\0');
  }
  // The file's length may or may not have been persisted.
  const bool to_the_end = end == content.dirty_end;
  if (to_the_end && random.below(2) == 0) {
    fs::resize_file(name, std::max(content.synced_size, begin));
  }
}

void PowerLossFileSystem::lose(Random& random) {
  MutexLock lock(mutex_);
  // A journalling file system persists name changes in order: a prefix is kept.
  const size_t kept = random.below(changes_.size() + 1);
  while (changes_.size() > kept) {
    take_back(changes_.back());
    changes_.pop_back();
  }
  for (const auto& [name, content] : contents_) {
    if (content.dirty_begin < content.dirty_end && fs::exists(name)) lose(name, content, random);
  }
  contents_.clear();
  changes_.clear();
  off_ = false;
}

}  // namespace proa::testkit

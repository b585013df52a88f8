#include "store/rocks/disk/disk.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <vector>

#include "base/files.h"

namespace proa::store {
namespace disk {

constexpr uint64_t kKilobyte = 1024;
constexpr uint64_t kMegabyte = 1024 * kKilobyte;

// For file systems without fallocate(2). Those that compress would not store zeros.
int fill(int file, uint64_t bytes) {
  std::vector<uint32_t> noise(64 * kKilobyte);
  uint32_t state = 1;
  for (uint32_t& word : noise) word = state = state * 1664525u + 1013904223u;
  const size_t piece = noise.size() * sizeof(uint32_t);
  for (uint64_t done = 0; done < bytes;) {
    const size_t size = std::min<uint64_t>(piece, bytes - done);
    const ssize_t written = ::write(file, noise.data(), size);
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return errno;
    done += static_cast<uint64_t>(written);
  }
  return ::fsync(file) == 0 ? 0 : errno;
}

int occupy(int file, uint64_t bytes) {
  if (::fallocate(file, 0, 0, static_cast<off_t>(bytes)) == 0) return 0;
  return errno == EOPNOTSUPP || errno == ENOSYS ? fill(file, bytes) : errno;
}

class SystemDisk final : public Disk {
 public:
  explicit SystemDisk(std::string directory) : directory_(std::move(directory)) {}

  DiskSpace space() const override {
    struct statvfs info {};
    if (::statvfs(directory_.c_str(), &info) != 0) return {};
    // Root may also use the blocks that a file system keeps for it.
    const uint64_t blocks = ::geteuid() == 0 ? info.f_bfree : info.f_bavail;
    return {.free_bytes = blocks * info.f_frsize,
            .total_bytes = static_cast<uint64_t>(info.f_blocks) * info.f_frsize};
  }

  bool occupies(const std::string& path, uint64_t bytes) const override {
    constexpr uint64_t kStatBlock = 512;
    struct stat info {};
    return ::stat(path.c_str(), &info) == 0 &&
           static_cast<uint64_t>(info.st_blocks) * kStatBlock >= bytes;
  }

  Result<void> allocate(const std::string& path, uint64_t bytes) override {
    const FileDescriptor file(
        ::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0600));
    const int error = file.valid() ? occupy(file.get(), bytes) : errno;
    if (error == 0) return {};
    remove(path);
    return errno_status("allocating " + path, error);
  }

  void remove(const std::string& path) override { ::unlink(path.c_str()); }

 private:
  const std::string directory_;
};

}  // namespace disk

std::unique_ptr<Disk> make_system_disk(std::string directory) {
  return std::make_unique<disk::SystemDisk>(std::move(directory));
}

DiskPlan plan_for_disk(uint64_t total_bytes) {
  using disk::kKilobyte;
  using disk::kMegabyte;
  constexpr uint64_t kLarge = 1ull << 40;
  const uint64_t total = total_bytes == 0 ? kLarge : total_bytes;
  DiskPlan plan;
  plan.write_buffer_bytes = std::clamp(total / 128, 512 * kKilobyte, 8 * kMegabyte);
  // Most records are soon superseded: the later a compaction, the less is copied.
  plan.level0_files =
      static_cast<int>(std::clamp<uint64_t>(total / 32 / plan.write_buffer_bytes, 4, 16));
  // For a flush of the write buffer, and a new log besides.
  plan.reserve_bytes = 2 * plan.write_buffer_bytes;
  plan.history_bytes = std::clamp(total / 16, kMegabyte, 64 * kMegabyte);
  return plan;
}

}  // namespace proa::store

#include "store/rocks/disk/disk_guard.h"

#include <fcntl.h>
#include <rocksdb/io_status.h>

#include <algorithm>

#include "base/log.h"

namespace proa::store {
namespace disk_guard {

const Log kLog{"store"};

// Descriptors in reserve: a flush or a reopened database needs about ten at once.
constexpr size_t kSpare = 16;
// Others may take what is given up before the operation is repeated: so it is repeated a few times.
constexpr size_t kSpareAtATime = 4;

// Larger databases are compacted in parts.
constexpr uint64_t kCompactedAtOnce = 64u << 20;

// RocksDB keeps the text of most errors, not the number: EMFILE and ENFILE.
bool is_out_of_descriptors(const rocksdb::IOStatus& failure) {
  return failure.ToString().find("Too many open files") != std::string::npos;
}

}  // namespace disk_guard

bool is_out_of_space(const rocksdb::Status& failure) {
  return failure.IsNoSpace() || failure.ToString().find("Disk quota exceeded") != std::string::npos;
}

DiskGuard::DiskGuard(std::unique_ptr<Disk> disk, std::string reserve_path)
    : disk_(std::move(disk)),
      reserve_path_(std::move(reserve_path)),
      plan_(plan_for_disk(disk_->space().total_bytes)) {
  {
    MutexLock lock(mutex_);
    reserve_exists_ = disk_->occupies(reserve_path_, plan_.reserve_bytes);
  }
  restore();
}

bool DiskGuard::give_way(const rocksdb::IOStatus& failure, uint64_t given_up_before) {
  const bool space = is_out_of_space(failure);
  if (!space && !disk_guard::is_out_of_descriptors(failure)) return false;
  {
    MutexLock lock(mutex_);
    if (given_up_.load() != given_up_before) return true;
    if (!(space ? give_up_space() : give_up_descriptors())) return false;
    ++given_up_;
  }
  notify();
  return true;
}

bool DiskGuard::give_up_space() {
  if (!reserve_exists_) return false;
  disk_->remove(reserve_path_);
  reserve_exists_ = false;
  room_ = Room::kReserve;
  return true;
}

bool DiskGuard::give_up_descriptors() {
  if (spare_.empty()) return false;
  if (spare_.size() == disk_guard::kSpare) {
    disk_guard::kLog.warn("no file descriptors are left; the store uses its reserve");
  }
  spare_.resize(spare_.size() - std::min(spare_.size(), disk_guard::kSpareAtATime));
  return true;
}

bool DiskGuard::restore() {
  MutexLock lock(mutex_);
  const bool space = restore_space();
  return restore_descriptors() && space;
}

bool DiskGuard::restore_space() {
  const DiskSpace space = disk_->space();
  pressed_ = false;
  if (reserve_exists_ || reserve_impossible_) {
    room_ = is_tight(space) ? Room::kReserve : Room::kEnough;
    return room_ == Room::kEnough;
  }
  // Room beyond the reserve, so that it is not given up again at once.
  const bool roomy =
      space.total_bytes == 0 || space.free_bytes >= plan_.reserve_bytes + plan_.reserve_bytes / 2;
  const Result<void> allocated =
      roomy ? disk_->allocate(reserve_path_, plan_.reserve_bytes)
            : Status(Reason::kInsufficientStorage, "there is no room for the reserve");
  if (allocated.is(Reason::kInsufficientStorage)) {
    room_ = space.free_bytes < plan_.reserve_bytes / 2 ? Room::kLittle : Room::kReserve;
    return false;
  }
  reserve_exists_ = allocated.ok();
  reserve_impossible_ = !allocated.ok();
  if (reserve_impossible_) {
    disk_guard::kLog.warn("no disk space can be reserved for the store",
                          {{"error", allocated.status()}});
  }
  room_ = is_tight(disk_->space()) ? Room::kReserve : Room::kEnough;
  return room_ == Room::kEnough;
}

bool DiskGuard::restore_descriptors() {
  while (spare_.size() < disk_guard::kSpare) {
    FileDescriptor spare(::open("/dev/null", O_RDONLY | O_CLOEXEC));
    if (!spare.valid()) return false;
    spare_.push_back(std::move(spare));
  }
  return true;
}

bool DiskGuard::has_room_to_compact(uint64_t bytes) const {
  const uint64_t live = live_bytes_.load(std::memory_order_relaxed);
  const DiskSpace space = disk_->space();
  return space.total_bytes == 0 || space.free_bytes >= std::min(bytes, live);
}

bool DiskGuard::has_room_for(uint64_t bytes) {
  const DiskSpace space = disk_->space();
  // In the log, and then in a file.
  const uint64_t needed = 2 * bytes + needed_to_compact();
  if (space.total_bytes == 0 || space.free_bytes >= needed) return true;
  pressed_ = true;
  return false;
}

uint64_t DiskGuard::needed_to_compact() const {
  const uint64_t live = live_bytes_.load(std::memory_order_relaxed);
  return std::min(live + live / 8, disk_guard::kCompactedAtOnce);
}

bool DiskGuard::is_tight(const DiskSpace& space) const {
  return space.total_bytes != 0 && space.free_bytes < needed_to_compact();
}

void DiskGuard::check_room() {
  if (is_tight(disk_->space()) && !pressed_.exchange(true)) notify();
}

void DiskGuard::notify() {
  std::function<void()> changed;
  {
    MutexLock lock(mutex_);
    changed = changed_;
  }
  if (changed) changed();
}

void DiskGuard::note_trouble(const Status& trouble) {
  {
    MutexLock lock(mutex_);
    if (!trouble_) trouble_ = trouble;
  }
  notify();
}

void DiskGuard::forget_trouble() {
  MutexLock lock(mutex_);
  trouble_.reset();
}

std::optional<Status> DiskGuard::trouble() const {
  MutexLock lock(mutex_);
  return trouble_;
}

void DiskGuard::listen(std::function<void()> changed) {
  MutexLock lock(mutex_);
  changed_ = std::move(changed);
}

}  // namespace proa::store

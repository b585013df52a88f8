#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/files.h"
#include "base/threads/mutex.h"
#include "store/engine/journal.h"
#include "store/rocks/disk/disk.h"

namespace rocksdb {
class IOStatus;
class Status;
}  // namespace rocksdb

namespace proa::store {

// Whether a disk or a quota is full.
bool is_out_of_space(const rocksdb::Status& failure);

// Keeps disk space and descriptors in reserve for a store, and gives them up when an operation on
// its files fails without them: deletes and compaction go on when the disk is full, and the log is
// written when connections took all descriptors. Also collects what goes wrong with those files.
// Thread-safe.
class DiskGuard {
 public:
  // Creates the reserves, as far as there is room.
  DiskGuard(std::unique_ptr<Disk> disk, std::string reserve_path);

  const DiskPlan& plan() const { return plan_; }
  DiskSpace space() const { return disk_->space(); }
  Room room() const { return room_.load(std::memory_order_relaxed); }
  // Garbage should go: there was no room since the last restore().
  bool is_pressed() const { return pressed_.load(); }

  // How often something was given up; for give_way(), read before the operation.
  uint64_t given_up() const { return given_up_.load(); }
  // Whether a failed operation is worth another attempt: something was given up for it, or was
  // since it began.
  bool give_way(const rocksdb::IOStatus& failure, uint64_t given_up_before) EXCLUDES(mutex_);
  // True if no reserve is missing any more.
  bool restore() EXCLUDES(mutex_);

  // What a compaction of everything would write; zero: unknown.
  void expect_live_bytes(uint64_t bytes) { live_bytes_.store(bytes, std::memory_order_relaxed); }
  // Whether a compaction that reads `bytes` fits, without the reserve.
  bool has_room_to_compact(uint64_t bytes) const;
  // Whether a write of this size leaves room for a compaction of everything besides. If not, it
  // counts as pressed.
  bool has_room_for(uint64_t bytes);
  // To be called once in a while when the store grows. If there is no room for a compaction of
  // everything besides, listeners are told: garbage should go, then restore() decides whether the
  // store may grow. Thereby deletes can always free space.
  void check_room() EXCLUDES(mutex_);

  // A failed sync may have dropped data from the page cache that later syncs do not write again.
  void note_failed_sync() { sync_failed_.store(true); }
  bool take_failed_sync() { return sync_failed_.exchange(false); }
  // The first one counts.
  void note_trouble(const Status& trouble) EXCLUDES(mutex_);
  void forget_trouble() EXCLUDES(mutex_);
  std::optional<Status> trouble() const EXCLUDES(mutex_);

  void listen(std::function<void()> changed) EXCLUDES(mutex_);

 private:
  bool give_up_space() REQUIRES(mutex_);
  bool give_up_descriptors() REQUIRES(mutex_);
  bool restore_space() REQUIRES(mutex_);
  bool restore_descriptors() REQUIRES(mutex_);
  bool is_tight(const DiskSpace& space) const;
  uint64_t needed_to_compact() const;
  void notify() EXCLUDES(mutex_);

  const std::unique_ptr<Disk> disk_;
  const std::string reserve_path_;
  const DiskPlan plan_;
  std::atomic<Room> room_ = Room::kReserve;
  std::atomic<uint64_t> given_up_ = 0;
  std::atomic<uint64_t> live_bytes_ = 0;
  std::atomic<bool> pressed_ = false;
  std::atomic<bool> sync_failed_ = false;
  mutable Mutex mutex_;
  bool reserve_exists_ GUARDED_BY(mutex_) = false;
  // Not for lack of space: the store then does without.
  bool reserve_impossible_ GUARDED_BY(mutex_) = false;
  std::vector<FileDescriptor> spare_ GUARDED_BY(mutex_);
  std::optional<Status> trouble_ GUARDED_BY(mutex_);
  std::function<void()> changed_ GUARDED_BY(mutex_);
};

}  // namespace proa::store

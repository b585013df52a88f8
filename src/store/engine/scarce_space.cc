#include "store/engine/scarce_space.h"

namespace proa::store {
namespace scarce_space {

// An object of this size that is to be deleted gets a deletionTimestamp and some conditions first;
// a Lease is renewed.
constexpr size_t kSmallValue = 64u << 10;
constexpr size_t kSmallGrowth = 4096;

bool is_small_update(const Put& put, const Keyspace& state) {
  if (put.value.size() > kSmallValue) return false;
  const EntryPtr previous = state.find(put.key);
  return previous != nullptr && put.value.size() <= previous->value().size() + kSmallGrowth;
}

std::string megabytes(uint64_t bytes) {
  const uint64_t tenths = bytes * 10 / (1u << 20);
  return std::to_string(tenths / 10) + "." + std::to_string(tenths % 10) + " MB";
}

}  // namespace scarce_space

bool fits(const Txn& txn, const Keyspace& state, Room room) {
  for (const Operation& operation : txn.operations) {
    const Put* put = std::get_if<Put>(&operation);
    if (put == nullptr) continue;
    if (room == Room::kLittle || !scarce_space::is_small_update(*put, state)) return false;
  }
  return true;
}

uint64_t large_bytes(const Txn& txn) {
  uint64_t bytes = 0;
  for (const Operation& operation : txn.operations) {
    if (const Put* put = std::get_if<Put>(&operation)) bytes += put->value.size();
  }
  return bytes > scarce_space::kSmallValue ? bytes : 0;
}

Status full_disk_status(const DiskSpace& disk) {
  using scarce_space::megabytes;
  return {Reason::kInsufficientStorage,
          "the disk with the data directory is full (" + megabytes(disk.free_bytes) + " of " +
              megabytes(disk.total_bytes) +
              " are left for deletes and compaction): only deletes and small updates are "
              "accepted; free space on that disk, or delete objects"};
}

}  // namespace proa::store

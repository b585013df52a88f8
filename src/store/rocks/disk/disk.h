#pragma once

#include <memory>
#include <string>

#include "base/result.h"
#include "store/store.h"

namespace proa::store {

// The file system with a store's directory. A seam: tests limit it.
class Disk {
 public:
  virtual ~Disk() = default;

  // Does not block; from any thread.
  virtual DiskSpace space() const = 0;
  virtual bool occupies(const std::string& path, uint64_t bytes) const = 0;
  // Makes a file occupy this many bytes, whatever its content. kInsufficientStorage if there is no
  // room; a failure leaves no file.
  virtual Result<void> allocate(const std::string& path, uint64_t bytes) = 0;
  virtual void remove(const std::string& path) = 0;
};

// REQUIRES: the directory exists.
std::unique_ptr<Disk> make_system_disk(std::string directory);

// What a store does with a disk of some size: on a small one, less of it is garbage and reserve.
struct DiskPlan {
  uint64_t write_buffer_bytes = 0;
  int level0_files = 0;  // before they are compacted
  uint64_t reserve_bytes = 0;
  uint64_t history_bytes = 0;  // at most

  bool operator==(const DiskPlan&) const = default;
};
// Zero: unknown, taken for large.
DiskPlan plan_for_disk(uint64_t total_bytes);

}  // namespace proa::store

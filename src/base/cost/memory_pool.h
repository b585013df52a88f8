#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>

namespace proa {

// Memory that requests share: those that need much take it from here, so that many of them at once
// do not take more than this. Thread-safe.
class MemoryPool {
 public:
  explicit MemoryPool(size_t bytes) : left_(bytes) {}
  MemoryPool(const MemoryPool&) = delete;
  MemoryPool& operator=(const MemoryPool&) = delete;

  // False if there is not enough left.
  bool take(size_t bytes) {
    size_t left = left_.load(std::memory_order_relaxed);
    while (bytes <= left) {
      if (left_.compare_exchange_weak(left, left - bytes, std::memory_order_relaxed)) return true;
    }
    return false;
  }
  void give_back(size_t bytes) { left_.fetch_add(bytes, std::memory_order_relaxed); }
  size_t left() const { return left_.load(std::memory_order_relaxed); }

 private:
  std::atomic<size_t> left_;
};

// For documents of large requests, together, in a process that may use `memory` bytes: at least one
// of the largest, at most two at once, or dozens of large CRDs. Copies, text and validation take up
// to three times as much again. Small requests do not need it.
inline size_t request_memory_within(size_t memory) {
  return std::clamp(memory / 8, size_t{32} << 20, size_t{64} << 20);
}

}  // namespace proa

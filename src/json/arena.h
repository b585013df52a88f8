#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>
#include <utility>

namespace proa::json {

// Memory that is freed all at once. Used by one thread at a time.
class Arena {
 public:
  Arena() = default;
  // With an estimate of the size; a wrong one costs little.
  explicit Arena(size_t expected) : expected_(expected) {}
  Arena(Arena&& other) noexcept
      : blocks_(std::exchange(other.blocks_, nullptr)),
        next_(std::exchange(other.next_, 0)),
        end_(std::exchange(other.end_, 0)),
        reserved_(std::exchange(other.reserved_, 0)) {}
  Arena& operator=(Arena&& other) noexcept;
  ~Arena() { release(); }

  // Never null; destructors are not called. `alignment` is a power of two, at most 16.
  void* allocate(size_t size, size_t alignment) {
    const uintptr_t at = (next_ + alignment - 1) & ~(alignment - 1);
    if (at > end_ || size > end_ - at) [[unlikely]]
      return allocate_block(size);
    next_ = at + size;
    return reinterpret_cast<void*>(at);
  }

  std::string_view copy(std::string_view text) {
    if (text.empty()) return {};
    auto* place = static_cast<char*>(allocate(text.size(), 1));
    std::memcpy(place, text.data(), text.size());
    return {place, text.size()};
  }

  // Bytes taken from the heap.
  size_t reserved() const { return reserved_; }

 private:
  struct Block {
    Block* previous;
  };

  void* allocate_block(size_t size);
  void release();

  Block* blocks_ = nullptr;
  uintptr_t next_ = 0;
  uintptr_t end_ = 0;
  size_t reserved_ = 0;
  size_t expected_ = 0;
};

}  // namespace proa::json

#pragma once

#include <cstddef>

namespace proa {

// Releases memory that only start-up needed: free memory held by the allocator, and mapped pages of
// code and constants. Pages that are used again are read back from the page cache, at the cost of a
// minor fault each. Returns an upper bound of the released bytes of code and constants.
size_t release_unused_memory();

// From now on free memory goes back to the system within seconds, by a thread that sleeps unless
// there is some. Otherwise only a process that keeps allocating gives memory back: one that rests
// after a burst would keep it. In a process that may use little memory (`memory` bytes) it goes
// back at once: what bursts leave behind must not add up. Threads do not survive a fork: call this
// after the last one.
void release_memory_continuously(size_t memory);

// Memory apart from all other, for things of one kind that stay while what was allocated between
// them goes. Pages return to the system whole: mixed, every page would keep one of these, and the
// room between them, which nobody needs, would stay with it.
void* allocate_apart(size_t bytes);
void free_apart(void* block);

// The same for containers.
template <typename T>
struct ApartAllocator {
  using value_type = T;

  ApartAllocator() = default;
  template <typename U>
  explicit ApartAllocator(const ApartAllocator<U>&) {}
  // NOLINTNEXTLINE(bugprone-sizeof-expression): T may be a pointer
  T* allocate(size_t count) { return static_cast<T*>(allocate_apart(count * sizeof(T))); }
  void deallocate(T* block, size_t) { free_apart(block); }
  template <typename U>
  bool operator==(const ApartAllocator<U>&) const {
    return true;
  }
};

}  // namespace proa

#include "store/entry.h"

#include <cstring>
#include <limits>
#include <new>

#include "base/check.h"

namespace proa::store {
namespace entry {

// Gives every object it allocates some bytes behind its end, so that std::allocate_shared puts the
// reference count, the entry and its text into one block.
template <typename T>
struct TrailingAllocator {
  using value_type = T;

  explicit TrailingAllocator(size_t trailing_bytes) : trailing(trailing_bytes) {}
  template <typename U>
  explicit TrailingAllocator(const TrailingAllocator<U>& other) : trailing(other.trailing) {}

  T* allocate(size_t count) {
    return static_cast<T*>(::operator new(count * sizeof(T) + trailing));
  }
  void deallocate(T* block, size_t) { ::operator delete(block); }

  template <typename U>
  bool operator==(const TrailingAllocator<U>& other) const {
    return trailing == other.trailing;
  }

  size_t trailing;
};

}  // namespace entry

EntryPtr Entry::make(std::string_view key, std::string_view value, const Facts& facts) {
  constexpr size_t kMax = std::numeric_limits<uint32_t>::max();
  CHECK(key.size() <= kMax && value.size() <= kMax);
  const entry::TrailingAllocator<Entry> allocator(key.size() + value.size());
  return std::allocate_shared<Entry>(allocator, facts, key, value);
}

Entry::Entry(const Facts& facts, std::string_view key, std::string_view value)
    : facts_(facts),
      key_size_(static_cast<uint32_t>(key.size())),
      value_size_(static_cast<uint32_t>(value.size())) {
  char* to = reinterpret_cast<char*>(this + 1);
  if (!key.empty()) std::memcpy(to, key.data(), key.size());
  if (!value.empty()) std::memcpy(to + key.size(), value.data(), value.size());
}

}  // namespace proa::store

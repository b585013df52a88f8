#include "store/entry.h"

#include <limits>
#include <new>

#include "base/check.h"

namespace proa::store {
namespace entry {

// Allocates extra bytes behind each object, so that std::allocate_shared puts the reference count,
// the entry and its text into one block.
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
  return make(key, std::span(&value, 1), facts);
}

EntryPtr Entry::make(std::string_view key, std::span<const std::string_view> value,
                     const Facts& facts) {
  size_t value_size = 0;
  for (const std::string_view part : value) value_size += part.size();
  constexpr size_t kMax = std::numeric_limits<uint32_t>::max();
  CHECK(key.size() <= kMax && value_size <= kMax);
  const entry::TrailingAllocator<Entry> allocator(key.size() + value_size);
  return std::allocate_shared<Entry>(allocator, facts, key, value, value_size);
}

Entry::Entry(const Facts& facts, std::string_view key, std::span<const std::string_view> value,
             size_t value_size)
    : facts_(facts),
      key_size_(static_cast<uint32_t>(key.size())),
      value_size_(static_cast<uint32_t>(value_size)) {
  char* to = reinterpret_cast<char*>(this + 1);
  to += key.copy(to, key.size());
  for (const std::string_view part : value) to += part.copy(to, part.size());
}

const Companion* Entry::attach(std::unique_ptr<const Companion> companion) const {
  const Companion* found = nullptr;
  if (companion_.compare_exchange_strong(found, companion.get())) return companion.release();
  return found;
}

}  // namespace proa::store

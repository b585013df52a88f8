#include "store/entry.h"

#include <limits>
#include <new>

#include "base/check.h"
#include "base/process/memory.h"

namespace proa::store {
namespace entry {

// Allocates extra bytes behind each object, so that std::allocate_shared puts the reference count,
// the entry and its text into one block.
template <typename T, bool kApart>
struct TrailingAllocator {
  using value_type = T;
  // NOLINTBEGIN(readability-identifier-naming): the library's names
  template <typename U>
  struct rebind {
    using other = TrailingAllocator<U, kApart>;
  };
  // NOLINTEND(readability-identifier-naming)

  explicit TrailingAllocator(size_t trailing_bytes) : trailing(trailing_bytes) {}
  template <typename U>
  explicit TrailingAllocator(const TrailingAllocator<U, kApart>& other)
      : trailing(other.trailing) {}

  T* allocate(size_t count) {
    const size_t bytes = count * sizeof(T) + trailing;
    return static_cast<T*>(kApart ? allocate_apart(bytes) : ::operator new(bytes));
  }
  void deallocate(T* block, size_t) { kApart ? free_apart(block) : ::operator delete(block); }

  template <typename U>
  bool operator==(const TrailingAllocator<U, kApart>& other) const {
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
  const entry::TrailingAllocator<Entry, false> allocator(key.size() + value_size);
  return std::allocate_shared<Entry>(allocator, facts, key, value, value_size);
}

EntryPtr Entry::make_unsealed(const Entry& from, std::string_view value) {
  Facts facts = from.facts_;
  facts.sealed = false;
  return make(from.key(), value, facts);
}

EntryPtr Entry::make_apart(const Entry& from) {
  const std::string_view value = from.value();
  const entry::TrailingAllocator<Entry, true> allocator(from.key_and_value().size());
  return std::allocate_shared<Entry>(allocator, from.facts_, from.key(), std::span(&value, 1),
                                     value.size());
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

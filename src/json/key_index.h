#pragma once

#include <cstdint>
#include <limits>
#include <string_view>

#include "base/text/seeded_hash.h"
#include "json/arena.h"

namespace proa::json {

// The positions of an object's keys: a hash table in the object's arena, for objects with many
// members. Clients cannot choose keys that collide.
// `Member` is anything with a `key`.
class KeyIndex {
 public:
  // With fewer members, a linear search is faster.
  static constexpr uint32_t kWorthwhile = 16;

  bool empty() const { return slots_ == nullptr; }

  // Indexes the first `count` members, with room for `capacity`. REQUIRES: keys differ.
  template <typename Member>
  void build(Arena& arena, const Member* members, uint32_t count, uint32_t capacity) {
    allocate(arena, capacity);
    for (uint32_t i = 0; i < count; ++i) find_or_add(members, i);
  }

  // For keys that may repeat: returns the position of a member with the same key, or `position` if
  // its key was new and is now in the index.
  template <typename Member>
  uint32_t find_or_add(const Member* members, uint32_t position) {
    const std::string_view key = members[position].key;
    for (uint64_t at = seeded_hash(key);; ++at) {
      uint32_t& slot = slots_[at & mask_];
      if (slot == kFree) return slot = position;
      if (members[slot].key == key) return slot;
    }
  }
  template <typename Member>
  void add(const Member* members, uint32_t position) {
    find_or_add(members, position);
  }

  // Null if there is none.
  template <typename Member>
  Member* find(Member* members, std::string_view key) const {
    for (uint64_t at = seeded_hash(key);; ++at) {
      const uint32_t slot = slots_[at & mask_];
      if (slot == kFree) return nullptr;
      if (members[slot].key == key) return &members[slot];
    }
  }

  // For a member whose successors are about to move up by one. REQUIRES: they have not moved yet.
  template <typename Member>
  void remove(const Member* members, uint32_t position) {
    uint64_t hole = seeded_hash(members[position].key) & mask_;
    while (slots_[hole] != position) hole = (hole + 1) & mask_;
    // Entries that were displaced by the removed one move back, so that no tombstones fill the
    // table.
    for (uint64_t at = (hole + 1) & mask_; slots_[at] != kFree; at = (at + 1) & mask_) {
      const uint64_t home = seeded_hash(members[slots_[at]].key);
      if (((at - home) & mask_) >= ((at - hole) & mask_)) {
        slots_[hole] = slots_[at];
        hole = at;
      }
    }
    slots_[hole] = kFree;
    for (uint32_t i = 0; i <= mask_; ++i) {
      if (slots_[i] != kFree && slots_[i] > position) --slots_[i];
    }
  }

 private:
  static constexpr uint32_t kFree = std::numeric_limits<uint32_t>::max();

  void allocate(Arena& arena, uint32_t capacity);

  uint32_t* slots_ = nullptr;
  uint32_t mask_ = 0;  // a power of two, minus one
};

}  // namespace proa::json

#pragma once

#include <cstdint>
#include <string_view>

#include "json/arena.h"

namespace proa::json {

struct Member;

// Where each key of a large object stands: a hash table of positions, in the object's arena. The
// hash is seeded once a process, so that nobody outside can choose keys that collide.
class KeyIndex {
 public:
  // Below that many members, looking at each is quicker.
  static constexpr uint32_t kWorthwhile = 16;

  bool empty() const { return slots_ == nullptr; }

  // For the first `count` of an object's members, with room for `capacity`. REQUIRES: keys differ.
  void build(Arena& arena, const Member* members, uint32_t count, uint32_t capacity);
  // For keys that may repeat; returns the position of a member with the same key, or `position`
  // when its key was new and is in the index now.
  uint32_t find_or_add(const Member* members, uint32_t position);
  void add(const Member* members, uint32_t position) { find_or_add(members, position); }
  Member* find(Member* members, std::string_view key) const;
  // Those behind move up by one. Call it before they do.
  void remove(const Member* members, uint32_t position);

 private:
  uint32_t* slots_ = nullptr;
  uint32_t mask_ = 0;  // a power of two, minus one
};

}  // namespace proa::json

#include "json/key_index.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <limits>

#include "base/random.h"
#include "json/value.h"

namespace proa::json {
namespace key_index {

constexpr uint32_t kFree = std::numeric_limits<uint32_t>::max();

uint64_t seed() {
  static const uint64_t value = SystemRandom().next();
  return value;
}

uint64_t mix(uint64_t a, uint64_t b) {
  const auto product = static_cast<unsigned __int128>(a) * b;
  return static_cast<uint64_t>(product) ^ static_cast<uint64_t>(product >> 64);
}

// Multiply and fold, eight bytes a step.
uint64_t hash(std::string_view key) {
  uint64_t state = seed() ^ (key.size() * 0x9E3779B97F4A7C15);
  while (!key.empty()) {
    uint64_t chunk = 0;
    const size_t count = std::min(key.size(), sizeof(chunk));
    std::memcpy(&chunk, key.data(), count);
    state = mix(state ^ chunk, 0xD6E8FEB86659FD93 ^ seed());
    key.remove_prefix(count);
  }
  return mix(state, 0xA0761D6478BD642F);
}

}  // namespace key_index

void KeyIndex::build(Arena& arena, const Member* members, uint32_t count, uint32_t capacity) {
  // At most half full, so that chains stay short.
  const uint64_t slots = std::bit_ceil(uint64_t{capacity} * 2);
  slots_ = static_cast<uint32_t*>(arena.allocate(slots * sizeof(uint32_t), alignof(uint32_t)));
  std::fill_n(slots_, slots, key_index::kFree);
  mask_ = static_cast<uint32_t>(slots - 1);
  for (uint32_t i = 0; i < count; ++i) find_or_add(members, i);
}

uint32_t KeyIndex::find_or_add(const Member* members, uint32_t position) {
  const std::string_view key = members[position].key;
  for (uint64_t at = key_index::hash(key);; ++at) {
    uint32_t& slot = slots_[at & mask_];
    if (slot == key_index::kFree) return slot = position;
    if (members[slot].key == key) return slot;
  }
}

Member* KeyIndex::find(Member* members, std::string_view key) const {
  for (uint64_t at = key_index::hash(key);; ++at) {
    const uint32_t slot = slots_[at & mask_];
    if (slot == key_index::kFree) return nullptr;
    if (members[slot].key == key) return &members[slot];
  }
}

void KeyIndex::remove(const Member* members, uint32_t position) {
  uint64_t hole = key_index::hash(members[position].key) & mask_;
  while (slots_[hole] != position) hole = (hole + 1) & mask_;
  // Who stood behind the hole because of it moves into it: no marks are left that fill the table.
  for (uint64_t at = (hole + 1) & mask_; slots_[at] != key_index::kFree; at = (at + 1) & mask_) {
    const uint64_t home = key_index::hash(members[slots_[at]].key);
    if (((at - home) & mask_) >= ((at - hole) & mask_)) {
      slots_[hole] = slots_[at];
      hole = at;
    }
  }
  slots_[hole] = key_index::kFree;
  for (uint32_t i = 0; i <= mask_; ++i) {
    if (slots_[i] != key_index::kFree && slots_[i] > position) --slots_[i];
  }
}

}  // namespace proa::json

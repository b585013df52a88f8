#include "json/key_index.h"

#include <algorithm>
#include <bit>
#include <cstring>

#include "base/random.h"

namespace proa::json {
namespace key_index {

uint64_t seed() {
  static const uint64_t value = SystemRandom().next();
  return value;
}

uint64_t mix(uint64_t a, uint64_t b) {
  const auto product = static_cast<unsigned __int128>(a) * b;
  return static_cast<uint64_t>(product) ^ static_cast<uint64_t>(product >> 64);
}

}  // namespace key_index

// Multiplies and folds eight bytes per step.
uint64_t KeyIndex::hash(std::string_view key) {
  const uint64_t seed = key_index::seed();
  uint64_t state = seed ^ (key.size() * 0x9E3779B97F4A7C15);
  while (!key.empty()) {
    uint64_t chunk = 0;
    const size_t count = std::min(key.size(), sizeof(chunk));
    std::memcpy(&chunk, key.data(), count);
    state = key_index::mix(state ^ chunk, 0xD6E8FEB86659FD93 ^ seed);
    key.remove_prefix(count);
  }
  return key_index::mix(state, 0xA0761D6478BD642F);
}

void KeyIndex::allocate(Arena& arena, uint32_t capacity) {
  // At most half full, so that chains stay short.
  const uint64_t slots = std::bit_ceil(uint64_t{capacity} * 2);
  slots_ = static_cast<uint32_t*>(arena.allocate(slots * sizeof(uint32_t), alignof(uint32_t)));
  std::fill_n(slots_, slots, kFree);
  mask_ = static_cast<uint32_t>(slots - 1);
}

}  // namespace proa::json

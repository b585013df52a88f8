#include "json/key_index.h"

#include <algorithm>
#include <bit>

namespace proa::json {
void KeyIndex::allocate(Arena& arena, uint32_t capacity) {
  // At most half full, so that chains stay short.
  const uint64_t slots = std::bit_ceil(uint64_t{capacity} * 2);
  slots_ = static_cast<uint32_t*>(arena.allocate(slots * sizeof(uint32_t), alignof(uint32_t)));
  std::fill_n(slots_, slots, kFree);
  mask_ = static_cast<uint32_t>(slots - 1);
}

}  // namespace proa::json

#include "base/text/seeded_hash.h"

#include <algorithm>
#include <cstring>

#include "base/random.h"

namespace proa {
namespace text_hash {

uint64_t seed() {
  static const uint64_t value = SystemRandom().next();
  return value;
}

uint64_t mix(uint64_t a, uint64_t b) {
  const auto product = static_cast<unsigned __int128>(a) * b;
  return static_cast<uint64_t>(product) ^ static_cast<uint64_t>(product >> 64);
}

}  // namespace text_hash

// Multiplies and folds eight bytes per step.
uint64_t seeded_hash(std::string_view text) {
  const uint64_t seed = text_hash::seed();
  uint64_t state = seed ^ (text.size() * 0x9E3779B97F4A7C15);
  while (!text.empty()) {
    uint64_t chunk = 0;
    const size_t count = std::min(text.size(), sizeof(chunk));
    std::memcpy(&chunk, text.data(), count);
    state = text_hash::mix(state ^ chunk, 0xD6E8FEB86659FD93 ^ seed);
    text.remove_prefix(count);
  }
  return text_hash::mix(state, 0xA0761D6478BD642F);
}

}  // namespace proa

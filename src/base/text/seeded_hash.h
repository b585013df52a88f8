#pragma once

#include <cstdint>
#include <string_view>

namespace proa {

// A hash that is seeded once per process, so that nobody can choose texts that collide.
uint64_t seeded_hash(std::string_view text);

// For containers whose keys come from outside.
struct SeededHash {
  using is_transparent = void;
  size_t operator()(std::string_view text) const { return seeded_hash(text); }
};

}  // namespace proa

#pragma once

#include <cstdint>
#include <string_view>

namespace proa::network {

// FNV-1a with a final mix: the same on every machine and in every release, since nodes derive each
// other's addresses from it.
constexpr uint64_t name_hash(std::string_view text) {
  uint64_t hash = 0xcbf29ce484222325;
  for (const char byte : text) {
    hash ^= static_cast<uint8_t>(byte);
    hash *= 0x100000001b3;
  }
  hash ^= hash >> 33;
  hash *= 0xff51afd7ed558ccd;
  hash ^= hash >> 33;
  return hash;
}

}  // namespace proa::network

#pragma once

#include <optional>
#include <span>
#include <vector>

#include "controllers/network/slices/slice_endpoint.h"
#include "controllers/network/slices/slice_facts.h"

namespace proa::controllers {

// A slice that is there. Of those that are packed together, ports and addresses are of one kind.
struct ExistingSlice {
  const SliceFacts* facts = nullptr;
  bool outdated = false;  // something besides its endpoints has to be changed
};

// A slice as it shall be.
struct PackedSlice {
  std::optional<size_t> existing = std::nullopt;  // which one it is; nullopt: a new one
  bool changed = false;
  std::vector<SliceEndpoint*> endpoints = {};
};

struct Packing {
  std::vector<PackedSlice> slices = {};
  std::vector<size_t> removed = {};  // of those that were there
};

enum class Hints : uint8_t { kCompare, kIgnore };

// Puts endpoints into slices so that few slices change: each endpoint stays where it is; new ones
// go to slices that are changed anyway, the fullest first; the rest goes to one that has room for
// all of it, or to new ones. Whether slices could be fuller is not asked. As upstream packs.
Packing pack_endpoints(std::span<const ExistingSlice> existing, std::span<SliceEndpoint> wanted,
                       size_t most, Hints hints);

}  // namespace proa::controllers

#pragma once

#include <optional>
#include <span>
#include <vector>

#include "controllers/network/slices/slice_endpoint.h"
#include "controllers/network/slices/slice_facts.h"

namespace proa::controllers {

// An existing slice. Slices that are packed together have the same ports and address family.
struct ExistingSlice {
  const SliceFacts* facts = nullptr;
  bool outdated = false;  // something other than its endpoints must change
};

// A desired slice.
struct PackedSlice {
  std::optional<size_t> existing = std::nullopt;  // index of the existing slice; nullopt: new
  bool changed = false;
  std::vector<SliceEndpoint*> endpoints = {};
};

struct Packing {
  std::vector<PackedSlice> slices = {};
  std::vector<size_t> removed = {};  // indexes of existing slices
};

enum class Hints : uint8_t { kCompare, kIgnore };

// Packs endpoints so that few slices change: existing endpoints stay; new ones go to slices that
// change anyway, fullest first; the rest goes to one slice with enough room, or to new ones. Slices
// are not compacted. Upstream's algorithm.
Packing pack_endpoints(std::span<const ExistingSlice> existing, std::span<SliceEndpoint> wanted,
                       size_t most, Hints hints);

}  // namespace proa::controllers

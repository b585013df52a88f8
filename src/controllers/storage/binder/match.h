#pragma once

#include <span>
#include <string_view>

#include "kinds/core/volumes/volume_match.h"

namespace proa::controllers::storage {

// Why a volume that the claim names cannot be bound to it, in upstream's words; empty if it can.
std::string mismatch(const kinds::VolumeFacts& volume, const kinds::ClaimFacts& claim);

// Whether an available volume, or one reserved for the claim, matches it. `delayed`: the scheduler
// chooses among available volumes.
bool could_serve(const api::Object& volume, const kinds::ClaimFacts& claim, bool delayed);

// The best volume for a claim that names none: one reserved for it, else the smallest with the
// fewest access modes. Null if none matches.
api::ObjectPtr find_best_match(const kinds::ClaimFacts& claim,
                               std::span<const api::ObjectPtr> volumes, bool delayed);

}  // namespace proa::controllers::storage

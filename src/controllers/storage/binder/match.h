#pragma once

#include <span>
#include <string_view>

#include "kinds/core/volumes/volume_match.h"

namespace proa::controllers::storage {

// Why a volume that the claim asks for by its name can't be given to it, in upstream's words; empty
// when it can.
std::string mismatch(const kinds::VolumeFacts& volume, const kinds::ClaimFacts& claim);

// Whether a volume that nobody has, or that is reserved for the claim, could be given to it.
// `delayed`: the scheduler chooses among volumes that nobody has.
bool could_serve(const api::Object& volume, const kinds::ClaimFacts& claim, bool delayed);

// The volume to give to a claim that does not care which: one that is reserved for it, else of
// those with the fewest access modes the smallest. Null when none will do.
api::ObjectPtr find_best_match(const kinds::ClaimFacts& claim,
                               std::span<const api::ObjectPtr> volumes, bool delayed);

}  // namespace proa::controllers::storage

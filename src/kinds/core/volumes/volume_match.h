#pragma once

#include "json/value.h"
#include "kinds/core/volumes/volume_facts.h"

// Matching of volumes and claims.

namespace proa::kinds {

// Whether the volume is reserved for this claim, or bound to it.
bool is_bound_to(const VolumeFacts& volume, const ClaimFacts& claim);

// Requirements that also a reserved volume must meet. Does not check access modes.
bool satisfies_claim(const VolumeFacts& volume, const ClaimFacts& claim);

// Whether an unbound volume is a candidate for the claim: available, of the same storage class, and
// matched by the claim's selector.
bool is_candidate(const api::Object& volume, const ClaimFacts& claim);

// Binds the volume to the claim in `volume`. Returns whether anything changed.
bool bind_volume(json::Document& volume, const VolumeFacts& facts, const api::Object& claim);

}  // namespace proa::kinds

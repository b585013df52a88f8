#pragma once

#include "json/value.h"
#include "kinds/core/volumes/volume_facts.h"

// Which volume may be a claim's, for all who bind them.

namespace proa::kinds {

// Whether the volume is reserved for this claim, or bound to it.
bool is_bound_to(const VolumeFacts& volume, const ClaimFacts& claim);

// What even a volume that is reserved for the claim must have. Access modes are not looked at.
bool has_what_is_asked(const VolumeFacts& volume, const ClaimFacts& claim);

// Whether a volume that nobody has is one of those that the claim may choose from: available, of
// its class, selected by it.
bool is_offered(const api::Object& volume, const ClaimFacts& claim);

// Changes a copy of the volume so that it is the claim's. Whether anything changed.
bool bind_volume(json::Document& volume, const VolumeFacts& facts, const api::Object& claim);

}  // namespace proa::kinds

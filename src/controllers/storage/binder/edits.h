#pragma once

#include <string_view>

#include "api/object/view.h"
#include "json/value.h"

// Edits of claims and volumes besides kinds::bind_volume(). Each returns whether it changed
// something.

namespace proa::controllers::storage {

bool bind_claim(json::Document& claim, std::string_view volume);
// Removes the claimRef of a volume that the controller bound; otherwise it stays reserved.
bool unbind_volume(json::Document& volume);

bool set_volume_phase(json::Document& volume, std::string_view phase, std::string_view message);
// `volume`: the volume that the claim is bound to; absent if there is none.
bool set_claim_status(json::Document& claim, std::string_view phase, api::View volume);

}  // namespace proa::controllers::storage

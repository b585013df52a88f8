#pragma once

#include <string_view>

#include "api/object/view.h"
#include "json/value.h"

// Changes to copies of claims and volumes, besides kinds::bind_volume(). Each says whether it
// changed something.

namespace proa::controllers::storage {

bool bind_claim(json::Document& claim, std::string_view volume);
// Of a volume that its controller bound; else it stays reserved.
bool unbind_volume(json::Document& volume);

bool set_volume_phase(json::Document& volume, std::string_view phase, std::string_view message);
// `volume`: the one that it is bound to, or nothing.
bool set_claim_status(json::Document& claim, std::string_view phase, api::View volume);

}  // namespace proa::controllers::storage

#pragma once

#include "api/object/edit.h"
#include "apiserver/resources/call/context.h"
#include "kinds/rules.h"

// The metadata that the server sets, for all kinds.

namespace proa::apiserver {

// "2026-01-02T15:04:05Z"
std::string timestamp(const Clock& clock);

// Sets name by generateName, uid, creationTimestamp and, where it counts, generation.
void fill_metadata(api::Edit object, const Request& request, const ApiContext& context);
// Generates another name after a collision. False if there is no generateName.
bool generate_name(api::Edit metadata, Random& random);

// Restores the metadata that updates cannot change.
void keep_metadata(api::Edit object, api::View old);
// Increments the generation if a relevant field changed.
void count_generation(api::Edit object, api::View old, const api::Resource& resource);

kinds::Writer writer_of(const Request& request, const ApiContext& context);

}  // namespace proa::apiserver

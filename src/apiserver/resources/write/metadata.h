#pragma once

#include "api/object/edit.h"
#include "apiserver/resources/call/context.h"
#include "kinds/rules.h"

// What the server itself says in metadata, whatever the kind.

namespace proa::apiserver {

// "2026-01-02T15:04:05Z"
std::string timestamp(const Clock& clock);

// Name by generateName, uid, creationTimestamp, generation; what only the server sets is dropped.
void fill_metadata(api::Edit object, const Request& request, const ApiContext& context);
// A new name after generateName, for when the last one was taken. False when there is none to make.
bool generate_name(api::Edit metadata, Random& random);

// Keeps what clients can't change, and counts the generation when something changed that counts.
void keep_metadata(api::Edit object, api::View old);
void count_generation(api::Edit object, api::View old, const api::Resource& resource);

kinds::Writer writer_of(const Request& request, const ApiContext& context);

}  // namespace proa::apiserver

#pragma once

#include <string>

#include "api/codec/json/stated_kind.h"
#include "api/object/view.h"
#include "api/schema/schema.h"

// Of documents that state another kind than the one that is wanted.

namespace proa::apiserver {

// Whether a custom object that states this kind is of the wanted one. Fails with kInvalid, as
// upstream under the name of the kind that is stated.
Result<void> check_custom_kind(const api::StatedKind& stated, const api::Type& wanted,
                               api::View object);

// Why a document that states this kind is not of the wanted one, in upstream's words: the kind is
// unknown, or cannot be converted.
std::string kind_mismatch(const api::StatedKind& stated, const api::Type& wanted,
                          const api::Schema& schema);

}  // namespace proa::apiserver

#pragma once

#include <span>
#include <string_view>

#include "apiserver/objects/keys.h"

namespace proa::apiserver {

// encode_for_store() for an object of which only these members were changed since it came from
// there, metadata in any case; the others are taken as they are. None: all may have been.
Result<StoredText> encode_changed(json::Document document, const api::Type& type,
                                  std::span<const std::string_view> changed);

}  // namespace proa::apiserver

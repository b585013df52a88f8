#pragma once

#include <span>
#include <string_view>

#include "apiserver/objects/keys.h"

namespace proa::apiserver {

// The text of an object of which only these members, and metadata, were changed since it came from
// the store; the others are not checked. No members: all may have changed. The document becomes
// canonical and may be changed and encoded again; after a failure it is empty.
Result<StoredText> encode_changed(json::Document& document, const api::Type& type,
                                  std::span<const std::string_view> changed);

}  // namespace proa::apiserver

#pragma once

#include <span>
#include <string_view>

#include "api/codec/json/decode.h"

namespace proa::api {

// decode_document() for one that was canonical before somebody touched these members of its root,
// or members of such members ("spec.nodeName"): the others are taken as they are. No members: all
// are looked at.
Result<Decoded> decode_touched(json::Document document, const Type& type,
                               FieldValidation validation,
                               std::span<const std::string_view> touched);

}  // namespace proa::api

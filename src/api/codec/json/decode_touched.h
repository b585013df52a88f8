#pragma once

#include <span>
#include <string_view>

#include "api/codec/json/decode.h"

namespace proa::api {

// decode_document() for a document that was canonical before these members of its root, or members
// of such members ("spec.nodeName"), were changed: the others are not checked. No members: all are
// checked.
Result<Decoded> decode_touched(json::Document document, const Type& type,
                               FieldValidation validation,
                               std::span<const std::string_view> touched, Budget* budget = nullptr);

}  // namespace proa::api

#pragma once

#include <string_view>

#include "api/codec/protobuf/wire.h"
#include "api/schema/model.h"
#include "base/result.h"
#include "json/value.h"

// Forms that are messages in protobuf, but not objects in JSON: quantities, times and the like; and
// bytes.

namespace proa::api {

// REQUIRES: a form that needs neither schema nor recursion: bytes, strings, quantity, int or
// string, times, duration. The value refers to the arena or to `bytes`.
Result<json::Value> read_form(json::Arena& arena, const Type& type, std::string_view bytes);

// Writes the content of such a message (for bytes: the bytes) from its JSON; null means zero.
Result<void> write_form(ReverseWriter& writer, const Type& type, const json::Value& value);

// Replaces invalid UTF-8 by U+FFFD, as Go prints it; valid text is returned itself.
std::string_view valid_text(json::Arena& arena, std::string_view bytes);

// The last field with that number; empty if there is none.
Result<std::string_view> read_bytes_field(std::string_view message, uint32_t number);

}  // namespace proa::api

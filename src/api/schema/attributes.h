#pragma once

#include <span>
#include <string_view>

#include "api/schema/model.h"
#include "base/result.h"
#include "json/arena.h"

namespace proa::api {

// Parses the attributes after the type of a field in a schema file: required, map(name), gate X and
// so on. Sets the field's rules, if it needs any, in the arena. Returns its description, or an
// empty text.
Result<std::string_view> read_attributes(json::Arena& arena,
                                         std::span<const std::string_view> words, Field& field);

// "union DISCRIMINATOR FIELD=VALUE ..."; "-" means none.
Result<Union> read_union(json::Arena& arena, std::span<const std::string_view> words);

// Quoted text without its quotes, line ends replaced by spaces. On one line, it is a part of what
// is quoted; otherwise a copy.
std::string_view description_of(json::Arena& arena, std::string_view quoted);

}  // namespace proa::api

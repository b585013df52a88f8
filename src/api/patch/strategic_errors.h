#pragma once

#include <string>
#include <string_view>

#include "base/status.h"
#include "json/value.h"

// What strategic merge patches are refused with. Upstream answers some of these with 500; a patch
// that can't be applied is the client's fault here.

namespace proa::api {

// A value as Go's fmt prints a decoded one with %v: "map[a:1 b:[x y]]". Cut off when it is long.
std::string go_value_text(const json::Value& value);

// 400, with these words.
Status bad_patch(std::string message);
// 422, in the words that upstream has for all that can't be applied; the cause says why.
Status rejected_patch(std::string why);

Status no_merge_key(const json::Value& item, std::string_view key);
Status unknown_directive(const json::Value& directive, const json::Value& patch);
// "expected a []interface {}, but received a string"
Status wrong_kind(json::Kind expected, const json::Value& found);

}  // namespace proa::api

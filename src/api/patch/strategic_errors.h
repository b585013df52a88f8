#pragma once

#include <string>
#include <string_view>

#include "base/status.h"
#include "json/value.h"

// Errors of strategic merge patches. Upstream answers some of these with 500; here a patch that
// cannot be applied is the client's fault.

namespace proa::api {

// A value as Go's fmt prints it with %v: "map[a:1 b:[x y]]". Truncated if it is long.
std::string go_value_text(const json::Value& value);

// 400 with this message.
Status bad_patch(std::string message);
// 422, with upstream's message for patches that cannot be applied, which has no reason.
Status rejected_patch();

Status no_merge_key(const json::Value& item, std::string_view key);
Status unknown_directive(const json::Value& directive, const json::Value& patch);
// "expected a []interface {}, but received a string"
Status wrong_kind(json::Kind expected, const json::Value& found);

}  // namespace proa::api

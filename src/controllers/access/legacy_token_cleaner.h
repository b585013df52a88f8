#pragma once

#include <memory>

#include "api/object/view.h"
#include "controllers/framework/controller.h"

namespace proa::controllers {

// How long a token that was made along with its account may lie there unused, before it is marked,
// and how long it is marked before it goes: upstream's default.
inline constexpr Duration kLegacyTokenPeriod = std::chrono::hours(24 * 365);

enum class LegacyTokenFate : uint8_t { kKeep, kMark, kRemove };

// What its own times and labels ask for. REQUIRES: uses have been recorded for `period` at least.
LegacyTokenFate fate_of_legacy_token(api::View secret, Time now, Duration period);

// Long-lived tokens that once were made for every service account: those that nobody has used for a
// year are marked as invalid first, and deleted a year later. Those that somebody made by hand are
// left alone. Once a day it looks at all of them, under one key.
std::unique_ptr<Controller> make_legacy_token_cleaner(const ControllerContext& context);

}  // namespace proa::controllers

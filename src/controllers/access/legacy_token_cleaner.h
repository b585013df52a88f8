#pragma once

#include <memory>

#include "api/object/view.h"
#include "controllers/framework/controller.h"

namespace proa::controllers {

// Upstream's default: how long an auto-generated token may be unused before it is marked invalid,
// and how long after that it is deleted.
inline constexpr Duration kLegacyTokenPeriod = std::chrono::hours(24 * 365);

enum class LegacyTokenFate : uint8_t { kKeep, kMark, kRemove };

// Decides by the Secret's times and labels. REQUIRES: uses have been recorded for at least
// `period`.
LegacyTokenFate fate_of_legacy_token(api::View secret, Time now, Duration period);

// Cleans up auto-generated long-lived service account tokens: marks those unused for a year as
// invalid, and deletes them a year later. Manually created ones are kept. Runs once a day, under
// one key.
std::unique_ptr<Controller> make_legacy_token_cleaner(const ControllerContext& context);

}  // namespace proa::controllers

#pragma once

#include <optional>

#include "api/object/view.h"
#include "base/time.h"

namespace proa::controllers {

// Longer than any wait, and short enough to be added to a time.
inline constexpr int64_t kForeverSeconds = int64_t{100} * 365 * 24 * 3600;

// Parses a time; nullopt if absent or invalid.
std::optional<Time> time_of(api::View text);
// metadata.creationTimestamp; zero if absent. `object`: the root.
Time creation_of(api::View object);

}  // namespace proa::controllers

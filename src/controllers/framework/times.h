#pragma once

#include <optional>

#include "api/object/view.h"
#include "base/time.h"

namespace proa::controllers {

// Longer than anybody waits or looks back, and short enough to be added to a time.
inline constexpr int64_t kForeverSeconds = int64_t{100} * 365 * 24 * 3600;

// What a field says that is a time; nullopt where it says none.
std::optional<Time> time_of(api::View text);
// metadata.creationTimestamp; zero for who has none. `object`: begins at its root.
Time creation_of(api::View object);

}  // namespace proa::controllers

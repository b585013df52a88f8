#pragma once

#include <stop_token>

#include "base/clock.h"
#include "base/result.h"
#include "profile/profile.h"

namespace proa::profile {

// Where all threads of the process use the CPU, for so long or until stopped. Blocks. Fails with
// kAlreadyExists if somebody else collects one.
Result<Profile> collect_cpu_profile(Duration duration, Clock& clock, const std::stop_token& stop);

}  // namespace proa::profile

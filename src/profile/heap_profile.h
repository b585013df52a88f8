#pragma once

#include <string>
#include <string_view>

#include "base/clock.h"
#include "base/result.h"
#include "profile/profile.h"

namespace proa::profile {

// What is allocated now, and where it was: jemalloc's sampled stacks, in its own text format. Fails
// with kServiceUnavailable if the program was started without them, or has another allocator.
Result<std::string> dump_heap();

// Reads such a text: "inuse_objects" and "inuse_space", scaled from the sampled allocations to all
// of them. Fails with kInvalid for other texts.
Result<Profile> read_heap_dump(std::string_view dump, Time now);

// Both, without the frames of the allocator itself. Fails as dump_heap().
Result<Profile> collect_heap_profile(const Clock& clock);

}  // namespace proa::profile

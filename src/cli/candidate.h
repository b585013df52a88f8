#pragma once

#include <string>

#include "base/random.h"

namespace proa::cli {

// The name of this process in an election: "host_uid". Unlike that of any other process, also of an
// earlier one on this machine.
std::string candidate_name(Random& random);

}  // namespace proa::cli

#pragma once

#include <string>
#include <string_view>

#include "base/random.h"

namespace proa::cli {

// The identity of this process in leader elections: "host_uid". Unique, also compared to earlier
// processes on this machine.
std::string candidate_name(Random& random);

// The identity of a server with its own store: the same at every start. Only one process can have
// the store open, so an earlier holder of this identity is gone, and the lease of a killed server
// can be taken over immediately instead of after it expires.
std::string candidate_name(std::string_view data_dir);

}  // namespace proa::cli

#pragma once

#include <string>
#include <string_view>

#include "base/random.h"

namespace proa::cli {

// The name of this process in an election: "host_uid". Unlike that of any other process, also of an
// earlier one on this machine.
std::string candidate_name(Random& random);

// The name of a server with a store of its own: the same at every start. One process at a time has
// the store, so that whoever bore the name before is gone: the lead that a killed server held is
// taken up at once, where it would else be waited for until its time is over.
std::string candidate_name(std::string_view data_dir);

}  // namespace proa::cli

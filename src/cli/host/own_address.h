#pragma once

#include <string>

namespace proa::cli {

// The address under which other machines, and pods, reach this one: that of the way out, else any
// that is not only this machine's own. 127.0.0.1 when there is none.
std::string own_address();

}  // namespace proa::cli

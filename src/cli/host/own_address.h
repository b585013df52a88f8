#pragma once

#include <string>

namespace proa::cli {

// The address at which pods and other machines reach this one: that of the default route, else any
// non-loopback address. 127.0.0.1 if there is none.
std::string own_address();

}  // namespace proa::cli

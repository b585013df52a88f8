#pragma once

#include <string>

#include "base/files.h"

namespace proa::lab {

// The last lines of a log, for people; each begins with a line end. Empty if there is none.
std::string log_end(Files& files, const std::string& path);

}  // namespace proa::lab

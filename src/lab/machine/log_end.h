#pragma once

#include <string>

#include "base/files.h"

namespace proa::lab {

// The last lines of a log, for people; each begins with a line end. Empty if there is none.
std::string log_end(Files& files, const std::string& path);

// The last line that the service wrote which ended last, from the log of a machine: mostly why it
// ended. Empty if there is none.
std::string last_line_of_service(Files& files, const std::string& path);

}  // namespace proa::lab

#pragma once

#include <string>

#include "base/files.h"

namespace proa::cli {

// How to start what a data directory belongs to: "`proa up`", "`proa server`" or "`proa node`", by
// what it contains; "`proa up` or `proa server`" if that does not tell.
std::string start_hint(Files& files, const std::string& data_dir);

}  // namespace proa::cli

#pragma once

#include <string>
#include <vector>

#include "base/files.h"
#include "base/random.h"
#include "base/result.h"
#include "base/time.h"

namespace proa::cli {

enum class WhatIsThere : uint8_t { kRefuse, kMoveAside };

// Whether a data directory can take a restored cluster: no server runs in it and, unless what is
// there may be moved aside, there is none. Each refusal says what to do.
Result<void> check_destination(Files& files, const std::string& data_dir, WhatIsThere there);

// Moves the parts of a cluster from `directory`, on the same file system, into the data directory;
// those that are there already are moved aside first, and their new paths returned. Either all of
// it happens, and is on the disk, or nothing.
Result<std::vector<std::string>> put_in_place(Files& files, const std::string& directory,
                                              const std::string& data_dir, WhatIsThere there,
                                              Time now);

}  // namespace proa::cli

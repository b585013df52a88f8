#pragma once

#include <string>
#include <vector>

#include "base/files.h"
#include "base/random.h"
#include "base/result.h"
#include "base/time.h"

namespace proa::cli {

enum class WhatIsThere : uint8_t { kRefuse, kMoveAside };

// Whether a cluster can be restored into a data directory: no server runs in it, and it contains no
// cluster, unless that may be moved aside. Errors say what to do.
Result<void> check_destination(Files& files, const std::string& data_dir, WhatIsThere there);

// Moves the parts of a cluster from `directory`, on the same file system, into the data directory.
// Existing parts are moved aside first; returns their new paths. Atomic: on failure nothing has
// changed. Synced to disk on success.
Result<std::vector<std::string>> put_in_place(Files& files, const std::string& directory,
                                              const std::string& data_dir, WhatIsThere there,
                                              Time now);

}  // namespace proa::cli

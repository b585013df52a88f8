#pragma once

#include <string>

#include "base/files.h"
#include "cli/node/node_paths.h"

// A runtime of somebody else's that runs pods of a data directory is written down there: who
// removes the node is not told again where those pods are.
namespace proa::cli {

Result<void> note_foreign_runtime(Files& files, const NodePlace& place, const std::string& socket);

// Its socket; empty when there never was one.
std::string foreign_runtime_of(Files& files, const NodePlace& place);

}  // namespace proa::cli

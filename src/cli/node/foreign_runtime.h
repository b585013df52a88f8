#pragma once

#include <string>

#include "base/files.h"
#include "cli/node/node_paths.h"

// Records in the data directory that its pods run in an external runtime, so that uninstall finds
// them.
namespace proa::cli {

Result<void> note_foreign_runtime(Files& files, const NodePaths& place, const std::string& socket);

// The recorded socket; empty if there is none.
std::string foreign_runtime_of(Files& files, const NodePaths& place);

}  // namespace proa::cli

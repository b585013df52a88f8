#pragma once

#include "cli/command.h"
#include "json/value.h"

namespace proa::cli {

Command version_command();

// What Kubernetes answers at /version (version.Info).
json::Document version_document();

}  // namespace proa::cli

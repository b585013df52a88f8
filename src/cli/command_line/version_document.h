#pragma once

#include "json/value.h"

namespace proa::cli {

// The response of /version (version.Info).
json::Document version_document();

}  // namespace proa::cli

#pragma once

#include "json/value.h"

namespace proa::cli {

// What Kubernetes answers at /version (version.Info).
json::Document version_document();

}  // namespace proa::cli

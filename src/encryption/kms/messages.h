#pragma once

#include "api/schema/schema.h"

namespace proa::encryption {

// The messages of KMS v2 ("v2.StatusResponse"). Parsed once, on first use.
const api::Schema& kms_schema();

}  // namespace proa::encryption

#pragma once

#include "api/schema/schema.h"

namespace proa::encryption {

// EncryptionConfiguration. Parsed once, on first use.
const api::Schema& encryption_schema();

}  // namespace proa::encryption

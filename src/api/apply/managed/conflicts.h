#pragma once

#include <span>
#include <string>
#include <vector>

#include "api/apply/managed/entries.h"
#include "base/status.h"

namespace proa::api {

// Fields that an apply would change, and that another manager owns.
struct Conflict {
  ManagedEntry owner;
  FieldSet fields;
};

// 409 with a cause per field, in upstream's words. An answer is bounded: causes beyond a limit are
// only counted. REQUIRES: not empty.
Status conflict_status(std::span<const Conflict> conflicts);

}  // namespace proa::api

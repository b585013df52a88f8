#pragma once

#include <string>
#include <vector>

#include "api/structure/structure.h"
#include "base/cost/budget.h"
#include "json/value.h"

namespace proa::custom {

struct DecodeOptions {
  bool reports_unknown = false;  // ?fieldValidation=Strict or Warn
  bool drops_malformed = false;  // metadata that cannot be read: for objects from storage
  bool sets_defaults = true;
};

// What the API server does to a custom resource after parsing it: the metadata becomes canonical,
// unknown fields and nulls are dropped, embedded resources get canonical metadata, defaults are
// set. Returns the paths of unknown fields, in upstream's order: `unknown field "spec.x"` is the
// problem of each. Fails with kBadRequest if metadata is malformed; kRequestEntityTooLarge.
Result<std::vector<std::string>> decode(json::Arena& arena, json::Value& object,
                                        const api::Structure& structure,
                                        const DecodeOptions& options, Budget& budget);

}  // namespace proa::custom

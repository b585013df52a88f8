#pragma once

#include <span>
#include <string_view>

#include "api/schema/model.h"
#include "base/cost/budget.h"
#include "base/result.h"
#include "json/value.h"

namespace proa::api {

struct FromJson {
  json::Document document;
  bool unknown_fields = false;  // some were removed
};

struct FromJsonOptions {
  // The members of the root, and members of these ("spec.nodeName"), that may not be canonical yet;
  // empty: all.
  std::span<const std::string_view> touched = {};
  // Empty lists and maps that are not omitted become null, as when upstream reads them back from
  // protobuf.
  bool empty_is_null = false;
};

// The document that upstream would print after reading it into the struct of that type: fields in
// the order of the type, without unknown ones, zero values omitted or added as the type says, maps
// sorted, values canonical. The budget pays for the document's memory: a short text could become an
// enormous document. Failures are kBadRequest in the words of Go's decoder; kRequestEntityTooLarge.
Result<FromJson> from_json(json::Document document, const Type& type, Budget& budget,
                           const FromJsonOptions& options = {});

}  // namespace proa::api

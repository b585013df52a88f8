#pragma once

#include <span>
#include <string_view>

#include "api/schema/model.h"
#include "base/result.h"
#include "json/value.h"

namespace proa::api {

struct FromJson {
  json::Document document;
  bool unknown_fields = false;  // some were there, and are gone
};

// What upstream would print after reading a document into the struct of that type: fields in the
// order of the type, unknown ones gone, zero values left out or put in as the type says, maps
// sorted, values in their canonical form. `input_size`: of the text that the document came from.
// `touched`: the members of the root, and members of these ("spec.nodeName"), that may be other
// than that already; empty: all.
//
// Failures are kBadRequest in the words of Go's decoder; kRequestEntityTooLarge where a short text
// would become an enormous document.
Result<FromJson> from_json(json::Document document, const Type& type, size_t input_size,
                           std::span<const std::string_view> touched = {});

}  // namespace proa::api

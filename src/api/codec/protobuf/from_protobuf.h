#pragma once

#include <string_view>

#include "api/schema/schema.h"
#include "base/cost/budget.h"
#include "base/result.h"
#include "json/value.h"

namespace proa::api {

// A protobuf message without envelope as the JSON document that upstream would print: fields in the
// order of the type, maps sorted, zero values for fields that are never omitted. Unknown fields are
// skipped. `schema`: for the kinds of enveloped objects inside. Failures are kBadRequest, in
// upstream's words if it has some; kRequestEntityTooLarge if few bytes would become an enormous
// document. Without a budget, for messages of trusted origin, only the growth is limited.
Result<json::Document> from_protobuf(std::string_view message, const Type& type,
                                     const Schema& schema);

// The kind and apiVersion of an envelope, set in the result.
struct TypeMeta {
  std::string_view api_version;
  std::string_view kind;
};
Result<json::Document> from_protobuf(std::string_view message, const Type& type,
                                     const Schema& schema, const TypeMeta& meta,
                                     Budget* budget = nullptr);

}  // namespace proa::api

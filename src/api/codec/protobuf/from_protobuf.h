#pragma once

#include <string_view>

#include "api/schema/schema.h"
#include "base/result.h"
#include "json/value.h"

namespace proa::api {

// A bare protobuf message as the JSON document that upstream would print for it: fields in the
// order of the type, maps sorted, zero values where a field is never left out. Fields that nobody
// knows are skipped. `schema` is where the kinds of enveloped objects inside are looked up.
//
// Failures are kBadRequest, in upstream's words where it has some; kRequestEntityTooLarge where
// few bytes would become an enormous document.
Result<json::Document> from_protobuf(std::string_view message, const Type& type,
                                     const Schema& schema);

// The same for what an envelope says about itself: kind and apiVersion of the result.
struct TypeMeta {
  std::string_view api_version;
  std::string_view kind;
};
Result<json::Document> from_protobuf(std::string_view message, const Type& type,
                                     const Schema& schema, const TypeMeta& meta);

}  // namespace proa::api

#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "api/codec/json/decode.h"
#include "api/schema/schema.h"
#include "apiserver/resources/call/payload.h"
#include "base/result.h"

namespace proa::apiserver {

// What a client sent, decoded: canonical, with kind and apiVersion.
struct Body {
  json::Document document;
  std::vector<std::string> warnings;
};

// By the content type, which is JSON where there is none. `wanted`: the kind that the path asks
// for; a body that does not say its kind is taken for one. Failures: kUnsupportedMediaType, and
// kBadRequest in upstream's words.
Result<Body> decode_body(std::string_view content_type, std::string_view bytes,
                         const api::Type& wanted, const api::Schema& schema,
                         api::FieldValidation validation);
// The same for either form of a payload; its document is moved out.
Result<Body> decode_body(Payload& payload, const api::Type& wanted, const api::Schema& schema,
                         api::FieldValidation validation);

// The same for options (DeleteOptions), which clients send under any group and version; unknown
// fields are ignored.
Result<json::Document> decode_any_version(const Payload& payload, const api::Type& wanted,
                                          const api::Schema& schema);

}  // namespace proa::apiserver

#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "api/codec/json/decode.h"
#include "api/schema/schema.h"
#include "apiserver/resources/call/payload.h"
#include "base/cost/budget.h"
#include "base/result.h"

namespace proa::apiserver {

// A decoded body: canonical, with kind and apiVersion.
struct Body {
  json::Document document;
  std::vector<std::string> warnings;
  // What the request may still cost: decoding paid from it.
  Budget budget = {};
};

// Decodes by content type, JSON by default. `wanted` is the kind of the path; it is assumed if the
// body has none. Fails with kUnsupportedMediaType, kRequestEntityTooLarge, or kBadRequest with
// upstream's message.
Result<Body> decode_body(std::string_view content_type, std::string_view bytes,
                         const api::Type& wanted, const api::Schema& schema,
                         api::FieldValidation validation, Budget budget = {});
// The same for either form of a payload; moves its document out.
Result<Body> decode_body(Payload& payload, const api::Type& wanted, const api::Schema& schema,
                         api::FieldValidation validation);

// The same for options (DeleteOptions), which clients send under any group and version; ignores
// unknown fields.
Result<json::Document> decode_any_version(const Payload& payload, const api::Type& wanted,
                                          const api::Schema& schema);

}  // namespace proa::apiserver

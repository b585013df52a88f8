#pragma once

#include <string>
#include <string_view>

#include "api/codec/json/decode.h"
#include "api/object/view.h"
#include "api/schema/schema.h"
#include "apiserver/resources/call/call.h"
#include "apiserver/resources/call/context.h"
#include "base/cost/budget.h"
#include "base/result.h"

namespace proa::apiserver {

// A decoded body: canonical, with kind and apiVersion.
struct Body {
  json::Document document;
  // What the request may still cost: decoding paid from it.
  Budget budget = {};
};

// Whether the managed fields of a write follow from what it changes, or the new object states them.
enum class Managers : uint8_t { kTracked, kStated };

// Decodes the body of a write. `wanted` is the kind of the
// path; it is assumed if the body has none. The metadata that only the server sets is dropped from
// new objects. Warnings go to the request. Fails with kUnsupportedMediaType,
// kRequestEntityTooLarge, or kBadRequest with upstream's message. Moves the payload's document and
// budget out. What was decoded is noted for the audit.
Result<Body> read_body(Call& call, const api::Type& wanted, const ApiContext& context);

// The same for documents that are not stored: the call keeps the budget.
Result<json::Document> read_document(Call& call, const api::Type& wanted,
                                     const ApiContext& context);

// The same for bytes, by content type, JSON by default; without a request.
Result<api::Decoded> decode_body(std::string_view content_type, std::string_view bytes,
                                 const api::Type& wanted, const api::Schema& schema,
                                 api::FieldValidation validation, Budget* budget = nullptr);

// The same for options (DeleteOptions), which clients send under any group and version; ignores
// unknown fields.
Result<json::Document> decode_any_version(const Payload& payload, const api::Type& wanted,
                                          const api::Schema& schema);

}  // namespace proa::apiserver

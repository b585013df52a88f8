#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "api/schema/model.h"
#include "base/cost/budget.h"
#include "base/result.h"
#include "json/value.h"

namespace proa::api {

// The treatment of unknown and duplicate fields: ?fieldValidation=
enum class FieldValidation : uint8_t { kIgnore, kWarn, kStrict };

struct Decoded {
  json::Document document;            // as upstream would print it; without unknown fields
  std::vector<std::string> warnings;  // with kWarn: what kStrict would reject
};

// Request bodies. Failures are kBadRequest with upstream's message; kRequestEntityTooLarge. Without
// a budget, for text of trusted origin, only its growth is limited.
Result<Decoded> decode_json(std::string_view text, const Type& type, FieldValidation validation,
                            Budget* budget = nullptr);
// One document; converted to JSON first, as upstream does.
Result<Decoded> decode_yaml(std::string_view text, const Type& type, FieldValidation validation,
                            Budget* budget = nullptr);
// A parsed document: the result of a patch, for example.
Result<Decoded> decode_document(json::Document document, const Type& type,
                                FieldValidation validation, Budget* budget = nullptr);

// "strict decoding error: ..." REQUIRES: `problems` is not empty.
Status strict_decoding_error(const std::vector<std::string>& problems);

// The API server's message for a body that cannot be decoded: `Deployment in version "v1" cannot be
// handled as a Deployment: ...`. `kind` and `version` are the body's own, `wanted` is the kind of
// the path.
Status cannot_be_handled(std::string_view kind, std::string_view version, std::string_view wanted,
                         const Status& why);

}  // namespace proa::api

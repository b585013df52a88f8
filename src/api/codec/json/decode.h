#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "api/schema/model.h"
#include "base/result.h"
#include "json/value.h"

namespace proa::api {

// What happens with fields that a type does not have, or that come twice: ?fieldValidation=
enum class FieldValidation : uint8_t { kIgnore, kWarn, kStrict };

struct Decoded {
  json::Document document;            // as upstream would print it; unknown fields are gone
  std::vector<std::string> warnings;  // with kWarn: what kStrict would have refused
};

// Bodies of requests. Failures are kBadRequest in upstream's words; kRequestEntityTooLarge.
Result<Decoded> decode_json(std::string_view text, const Type& type, FieldValidation validation);
// One document; as upstream does it, by way of JSON.
Result<Decoded> decode_yaml(std::string_view text, const Type& type, FieldValidation validation);
// What a patch left behind, for example.
Result<Decoded> decode_document(json::Document document, const Type& type,
                                FieldValidation validation);

// "strict decoding error: ..." REQUIRES: there are some.
Status strict_decoding_error(const std::vector<std::string>& problems);

// What the API server says about a body that did not decode: `Deployment in version "v1" cannot be
// handled as a Deployment: ...`. `kind` and `version` are the body's own, `wanted` is the kind that
// the path asks for.
Status cannot_be_handled(std::string_view kind, std::string_view version, std::string_view wanted,
                         const Status& why);

}  // namespace proa::api

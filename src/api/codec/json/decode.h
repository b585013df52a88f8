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
  // The same for duplicate keys of YAML: `line 3: key "a" already set in map`. They come first.
  std::vector<std::string> duplicate_lines = {};
};

// A request body that is parsed, but not yet decoded: its kind can be read first.
struct ParsedBody {
  json::Document document;
  std::string_view source;  // JSON, outlives this; empty: it was never text
  std::string converted;    // from YAML, instead of `source`
  bool has_duplicates = false;
  std::vector<std::string> duplicate_lines = {};  // of YAML, which `converted` does not have

  std::string_view text() const { return converted.empty() ? source : converted; }
};

// Here and below: without a budget, for text of trusted origin, only its growth is limited.
// Failures are kBadRequest in the words of Go's parser; kRequestEntityTooLarge.
Result<ParsedBody> parse_json_body(std::string_view text, Budget* budget = nullptr);
// One document; converted to JSON, as upstream does. Of duplicate keys, the last one counts.
Result<ParsedBody> parse_yaml_body(std::string_view text, Budget* budget = nullptr);
// Failures are kBadRequest with upstream's message; kRequestEntityTooLarge.
Result<Decoded> decode_parsed(ParsedBody body, const Type& type, FieldValidation validation,
                              Budget* budget = nullptr);

// Both steps.
Result<Decoded> decode_json(std::string_view text, const Type& type, FieldValidation validation,
                            Budget* budget = nullptr);
Result<Decoded> decode_yaml(std::string_view text, const Type& type, FieldValidation validation,
                            Budget* budget = nullptr);
// A parsed document: the result of a patch, for example.
Result<Decoded> decode_document(json::Document document, const Type& type,
                                FieldValidation validation, Budget* budget = nullptr);

// "strict decoding error: ..." `duplicate_lines` are those of YAML. REQUIRES: not both are empty.
Status strict_decoding_error(const std::vector<std::string>& problems,
                             const std::vector<std::string>& duplicate_lines = {});

// The API server's message for a body that cannot be decoded: `Deployment in version "v1" cannot be
// handled as a Deployment: ...`. `kind` and `version` are the body's own, `wanted` is the kind of
// the path.
Status cannot_be_handled(std::string_view kind, std::string_view version, std::string_view wanted,
                         const Status& why);

}  // namespace proa::api

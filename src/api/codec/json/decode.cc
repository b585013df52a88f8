#include "api/codec/json/decode.h"

#include <fmt/format.h>

#include "api/codec/json/decode_touched.h"
#include "api/codec/json/from_json.h"
#include "api/codec/json/go_errors.h"
#include "api/codec/json/strict.h"
#include "base/strings.h"
#include "json/parse.h"
#include "json/print.h"
#include "json/text/go_syntax.h"
#include "json/yaml.h"

namespace proa::api {
namespace json_decode {

// The budget pays for the values, unless they are paid for.
Result<ParsedBody> parse(std::string_view text, Budget* budget) {
  std::vector<std::string> duplicates;
  Result<json::Document> document =
      json::parse(text, {.duplicates = &duplicates, .budget = budget});
  if (document) {
    return ParsedBody{.document = std::move(*document),
                      .source = text,
                      .converted = {},
                      .has_duplicates = !duplicates.empty()};
  }
  if (!document.is(Reason::kBadRequest)) return document.status();
  std::string words = json::go_syntax_error(text);
  return words.empty() ? document.status() : Status(Reason::kBadRequest, std::move(words));
}

}  // namespace json_decode

Result<ParsedBody> parse_json_body(std::string_view text, Budget* budget) {
  return json_decode::parse(text, budget);
}

Result<ParsedBody> parse_yaml_body(std::string_view text, Budget* budget) {
  std::vector<std::string> duplicates;
  const auto to_json = [&]() -> Result<std::string> {
    const json::Document document =
        TRY(json::parse_yaml(text, {.budget = budget, .duplicates = &duplicates}));
    return json::print(document.root());
  };
  // Through text, since that turns 1.0 into an integer.
  std::string converted = TRY(to_json());
  ParsedBody body = TRY(json_decode::parse(converted, nullptr));
  body.source = {};
  body.converted = std::move(converted);
  body.duplicate_lines = std::move(duplicates);
  return body;
}

Result<Decoded> decode_parsed(ParsedBody body, const Type& type, FieldValidation validation,
                              Budget* budget) {
  const std::string_view text = body.text();
  const size_t size = text.empty() ? body.document.memory() : text.size();
  Budget growth = Budget::for_growth(body.document.arena().reserved(), size);
  Result<FromJson> read =
      from_json(std::move(body.document), type, budget == nullptr ? growth : *budget);
  if (!read) {
    const bool malformed = read.is(Reason::kBadRequest) && !text.empty();
    const std::optional<Status> words = malformed ? find_decode_error(text, type) : std::nullopt;
    return words.value_or(read.status());
  }
  std::vector<std::string> problems;
  // Only texts with known problems are scanned again, for the order of the problems.
  const bool has_problems = (read->unknown_fields && !text.empty()) || body.has_duplicates;
  if (validation != FieldValidation::kIgnore && has_problems)
    problems = find_strict_problems(text, type);
  if (validation == FieldValidation::kIgnore) body.duplicate_lines.clear();
  const bool is_valid = problems.empty() && body.duplicate_lines.empty();
  if (validation == FieldValidation::kStrict && !is_valid)
    return strict_decoding_error(problems, body.duplicate_lines);
  return Decoded{std::move(read->document), std::move(problems), std::move(body.duplicate_lines)};
}

Result<Decoded> decode_json(std::string_view text, const Type& type, FieldValidation validation,
                            Budget* budget) {
  ParsedBody body = TRY(parse_json_body(text, budget));
  return decode_parsed(std::move(body), type, validation, budget);
}

Result<Decoded> decode_yaml(std::string_view text, const Type& type, FieldValidation validation,
                            Budget* budget) {
  ParsedBody body = TRY(parse_yaml_body(text, budget));
  return decode_parsed(std::move(body), type, validation, budget);
}

Result<Decoded> decode_document(json::Document document, const Type& type,
                                FieldValidation validation, Budget* budget) {
  return decode_touched(std::move(document), type, validation, {}, budget);
}

Status strict_decoding_error(const std::vector<std::string>& problems,
                             const std::vector<std::string>& duplicate_lines) {
  std::string why = "strict decoding error: ";
  // One error of go-yaml, whatever the number of keys.
  if (!duplicate_lines.empty()) {
    why += "yaml: unmarshal errors:\n  " + join(duplicate_lines, "\n  ");
    if (!problems.empty()) why += ", ";
  }
  return {Reason::kBadRequest, why + join(problems, ", ")};
}

Status cannot_be_handled(std::string_view kind, std::string_view version, std::string_view wanted,
                         const Status& why) {
  return {Reason::kBadRequest, fmt::format("{} in version \"{}\" cannot be handled as a {}: {}",
                                           kind, version, wanted, why.message())};
}

}  // namespace proa::api

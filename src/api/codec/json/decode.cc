#include "api/codec/json/decode.h"

#include <fmt/format.h>

#include "api/codec/json/decode_touched.h"
#include "api/codec/json/from_json.h"
#include "api/codec/json/strict.h"
#include "base/strings.h"
#include "json/parse.h"
#include "json/print.h"
#include "json/yaml.h"

namespace proa::api {
namespace json_decode {

// `for_values` is null if the values are paid for.
Result<Decoded> text(std::string_view text, const Type& type, FieldValidation validation,
                     Budget* for_values, Budget* budget) {
  std::vector<std::string> duplicates;
  json::Document document =
      TRY(json::parse(text, {.duplicates = &duplicates, .budget = for_values}));
  Budget growth = Budget::for_growth(document.arena().reserved(), text.size());
  FromJson read = TRY(from_json(std::move(document), type, budget == nullptr ? growth : *budget));
  std::vector<std::string> problems;
  // Only texts with known problems are scanned again, for the order of the problems.
  if (validation != FieldValidation::kIgnore && (read.unknown_fields || !duplicates.empty()))
    problems = find_strict_problems(text, type);
  if (validation == FieldValidation::kStrict && !problems.empty())
    return strict_decoding_error(problems);
  return Decoded{std::move(read.document), std::move(problems)};
}

}  // namespace json_decode

Result<Decoded> decode_json(std::string_view text, const Type& type, FieldValidation validation,
                            Budget* budget) {
  return json_decode::text(text, type, validation, budget, budget);
}

Result<Decoded> decode_yaml(std::string_view text, const Type& type, FieldValidation validation,
                            Budget* budget) {
  const auto to_json = [&]() -> Result<std::string> {
    const json::Document document = TRY(json::parse_yaml(text, {.budget = budget}));
    return json::print(document.root());
  };
  // Through text, since that turns 1.0 into an integer.
  const std::string json = TRY(to_json());
  return json_decode::text(json, type, validation, nullptr, budget);
}

Result<Decoded> decode_document(json::Document document, const Type& type,
                                FieldValidation validation, Budget* budget) {
  return decode_touched(std::move(document), type, validation, {}, budget);
}

Status strict_decoding_error(const std::vector<std::string>& problems) {
  return {Reason::kBadRequest, "strict decoding error: " + join(problems, ", ")};
}

Status cannot_be_handled(std::string_view kind, std::string_view version, std::string_view wanted,
                         const Status& why) {
  return {Reason::kBadRequest, fmt::format("{} in version \"{}\" cannot be handled as a {}: {}",
                                           kind, version, wanted, why.message())};
}

}  // namespace proa::api

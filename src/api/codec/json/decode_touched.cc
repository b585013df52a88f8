#include "api/codec/json/decode_touched.h"

#include "api/codec/json/from_json.h"
#include "api/codec/json/strict.h"
#include "json/print.h"

namespace proa::api {

Result<Decoded> decode_touched(json::Document document, const Type& type,
                               FieldValidation validation,
                               std::span<const std::string_view> touched, Budget* budget) {
  // Printed before decoding moves its parts, and only if needed.
  const std::string text =
      validation == FieldValidation::kIgnore ? std::string() : json::print(document.root());
  Budget growth = Budget::for_growth(document.arena().reserved(), document.memory());
  FromJson read = TRY(from_json(std::move(document), type, budget == nullptr ? growth : *budget,
                                {.touched = touched}));
  std::vector<std::string> problems;
  if (validation != FieldValidation::kIgnore && read.unknown_fields) {
    problems = find_strict_problems(text, type);
  }
  if (validation == FieldValidation::kStrict && !problems.empty()) {
    return strict_decoding_error(problems);
  }
  return Decoded{std::move(read.document), std::move(problems)};
}

}  // namespace proa::api

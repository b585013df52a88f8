// A schema, an object and what it was before, each on a line: parsed, decoded, validated, printed.
// Nothing may crash, and the budget stops what runs too long.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "custom/columns/printer_columns.h"
#include "custom/schema.h"
#include "custom/validation/schema_defaults.h"
#include "json/parse.h"

namespace {

std::string_view take_line(std::string_view& text) {
  const size_t end = text.find('\n');
  const std::string_view line = text.substr(0, end);
  text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  return line;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace proa;
  std::string_view rest(reinterpret_cast<const char*>(data), size);
  const auto schema = json::parse(take_line(rest));
  auto object = json::parse(take_line(rest));
  const auto old = json::parse(take_line(rest));
  if (!schema.ok() || !object.ok() || !object->root().is(json::Kind::kObject)) return 0;
  custom::Patterns patterns;
  const auto made = custom::Schema::make(schema->root(), 36, patterns);
  if (!made.ok()) return 0;
  Budget budget({.values = 10'000, .memory = size_t{4} << 20, .steps = 100'000});
  if (!made->decode(*object, {.reports_unknown = true, .drops_malformed = size % 2 == 0}, budget)
           .ok()) {
    return 0;
  }
  api::FieldErrors errors;
  std::vector<std::string> warnings;
  const bool has_old = old.ok() && old->root().is(json::Kind::kObject);
  static_cast<void>(made->validate({.object = &object->root(),
                                    .old = has_old ? &old->root() : nullptr,
                                    .is_status = has_old && size % 3 == 0},
                                   budget, errors, warnings));
  const api::Path path("schema");
  static_cast<void>(custom::validate_defaults({.schema = &schema->root(), .minor_version = 36},
                                              path, patterns, budget, errors));
  // The rest is a path.
  if (const auto column = custom::JsonPath::parse(rest); column.ok()) {
    static_cast<void>(custom::selectable_value(*column, object->root()));
  }
  return 0;
}

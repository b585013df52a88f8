#include "custom/columns/printer_columns.h"

#include "custom/checks/numbers.h"
#include "custom/decode/show.h"

namespace proa::custom {
namespace printer_columns {

std::string_view text_of(const json::Value& object, std::string_view name) {
  const json::Value* value = object.find(name);
  return value != nullptr && value->is(json::Kind::kString) ? value->as_string()
                                                            : std::string_view();
}

// Texts are written faster than values are visited.
constexpr size_t kBytesPerStep = 8;

std::string printed(const json::Value& value) {
  if (value.is_null()) return "<no value>";
  if (value.is(json::Kind::kArray) || value.is(json::Kind::kObject)) return sorted_json(value);
  return go_value(value);
}

json::Value date_cell(json::Arena& arena, const json::Value& value,
                      const PrinterColumns::Age& age) {
  if (!value.is(json::Kind::kString)) return {};
  const std::string_view text = value.as_string();
  if (text.empty() || text == "null") return json::Value::borrowed("<unknown>");
  const auto time = parse_time(text);
  if (!time.ok()) return json::Value::borrowed("<invalid>");
  return json::Value::string(arena, age(*time));
}

// Null if it is more than can be paid. The first such text was made nevertheless: it is not longer
// than its object.
json::Value text_cell(json::Arena& arena, const json::Value& value, PathSteps& steps) {
  if (steps.left == 0) return {};
  const std::string text = printed(value);
  if (!steps.take(text.size() / kBytesPerStep)) return {};
  return json::Value::string(arena, text);
}

json::Value cell(json::Arena& arena, std::string_view type, const JsonPath::Found& found,
                 const PrinterColumns::Age& age, PathSteps& steps) {
  const json::Value& value = *found.value;
  if (type == "string") return text_cell(arena, value, steps);
  if (found.foreign) return {};
  if (type == "date") return date_cell(arena, value, age);
  if (type == "boolean" && value.is(json::Kind::kBool)) return value.copy(arena);
  if (type == "integer" && value.is_number()) {
    return json::Value::integer(value.is(json::Kind::kInt) ? value.as_int()
                                                           : go_integer(value.as_double()));
  }
  if (type == "number" && value.is_number()) return json::Value::number(value.as_double());
  return {};
}

}  // namespace printer_columns

PrinterColumns::PrinterColumns(const json::Value* columns) {
  if (columns == nullptr) return;
  for (const json::Value& column : columns->items()) {
    auto path = JsonPath::parse(printer_columns::text_of(column, "jsonPath"));
    if (!path.ok()) return;
    columns_.push_back(
        {.type = std::string(printer_columns::text_of(column, "type")), .path = std::move(*path)});
  }
}

std::vector<json::Value> PrinterColumns::cells(json::Arena& arena, const json::Value& object,
                                               const Age& age, PathSteps& steps) const {
  std::vector<json::Value> cells;
  for (const Column& column : columns_) {
    const auto found = column.path.find(object, steps);
    if (!found.ok() || found->empty()) {
      cells.emplace_back();
    } else {
      cells.push_back(printer_columns::cell(arena, column.type, found->front(), age, steps));
    }
  }
  return cells;
}

std::string selectable_value(const JsonPath& path, const json::Value& object) {
  const auto found = path.find(object);
  if (!found.ok() || found->size() != 1 || found->front().value->is_null()) return {};
  return go_value(*found->front().value);
}

}  // namespace proa::custom

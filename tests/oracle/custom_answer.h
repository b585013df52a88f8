#pragma once

// What src/custom answers to the questions of the oracle of custom resources.

#include <algorithm>
#include <string>
#include <vector>

#include "api/validation/go_text.h"
#include "base/cost/budget.h"
#include "custom/columns/printer_columns.h"
#include "custom/decode/show.h"
#include "custom/schema.h"
#include "custom/validation/schema_defaults.h"
#include "json/parse.h"

namespace proa::custom_oracle {

struct Answer {
  std::string object;  // JSON with sorted keys
  std::vector<std::string> unknown;
  std::string problem;
  std::vector<std::string> errors;
  std::vector<std::string> warnings;
  std::string cells;       // JSON; ages are "AGE"
  std::string selectable;  // JSON

  bool operator==(const Answer&) const = default;
};

inline bool flag_of(const json::Value& value, std::string_view name) {
  const json::Value* found = value.find(name);
  return found != nullptr && found->is(json::Kind::kBool) && found->as_bool();
}

inline std::string text_of(const json::Value* value) {
  return value != nullptr && value->is(json::Kind::kString) ? std::string(value->as_string())
                                                            : std::string();
}

inline std::vector<std::string> texts_of(const json::Value* value) {
  std::vector<std::string> texts;
  if (value == nullptr) return texts;
  for (const json::Value& item : value->items()) texts.push_back(text_of(&item));
  return texts;
}

inline std::vector<std::string> texts_of(const api::FieldErrors& errors) {
  std::vector<std::string> texts;
  for (const StatusCause& cause : errors.causes()) {
    texts.push_back(cause.reason + " " + cause.field + ": " + cause.message);
  }
  std::sort(texts.begin(), texts.end());
  return texts;
}

inline std::string json_of(const json::Value* value) {
  return value == nullptr ? std::string() : custom::sorted_json(*value);
}

// Ages depend on the time.
inline std::string cells_of(const json::Value& question, const json::Value* cells) {
  const json::Value* columns = question.find("columns");
  if (cells == nullptr || columns == nullptr) return {};
  json::Document copy;
  copy.root() = cells->copy(copy.arena());
  for (size_t i = 1; i < copy.root().size() && i <= columns->size(); ++i) {
    json::Value& cell = copy.root().items()[i];
    const bool is_age = text_of(columns->items()[i - 1].find("type")) == "date" &&
                        cell.is(json::Kind::kString) && !cell.as_string().starts_with('<');
    if (is_age) cell = json::Value::borrowed("AGE");
  }
  return custom::sorted_json(copy.root());
}

// Upstream's answer.
inline Answer read_answer(const json::Value& question, const json::Value& line) {
  const bool defaults = flag_of(question, "defaults");
  return {.object = json_of(line.find("object")),
          .unknown = texts_of(line.find("unknown")),
          .problem = text_of(line.find("problem")),
          .errors = texts_of(line.find(defaults ? "defaultErrors" : "errors")),
          .warnings = texts_of(line.find("warnings")),
          .cells = cells_of(question, line.find("cells")),
          .selectable = json_of(line.find("selectable"))};
}

inline std::string describe(const Answer& answer) {
  std::string text = "object " + answer.object + "\nproblem " + answer.problem;
  for (const std::string& path : answer.unknown) text += "\nunknown " + path;
  for (const std::string& error : answer.errors) text += "\nerror " + error;
  for (const std::string& warning : answer.warnings) text += "\nwarning " + warning;
  return text + "\ncells " + answer.cells + "\nselectable " + answer.selectable;
}

inline Answer answer_defaults(const json::Value& question, custom::Patterns& patterns) {
  Budget budget;
  api::FieldErrors errors;
  const api::Path path("schema");
  const auto done = custom::validate_defaults(
      {.schema = question.find("schema"), .minor_version = 36}, path, patterns, budget, errors);
  return {.problem = done.ok() ? std::string() : done.status().message(),
          .errors = texts_of(errors)};
}

// The cells and fields of an object. Upstream shows no cells if a path cannot be parsed.
inline void answer_columns(const json::Value& question, const json::Value& object, Answer& answer) {
  if (const json::Value* columns = question.find("columns")) {
    const custom::PrinterColumns parsed(columns);
    json::Document cells;
    cells.root() = json::Value::array();
    if (parsed.size() < columns->size()) {
      const std::string path = text_of(columns->items()[parsed.size()].find("jsonPath"));
      cells.root().push_back(
          cells.arena(), json::Value::string(
                             cells.arena(), "unrecognized column definition " + api::quoted(path)));
    } else {
      cells.root().push_back(
          cells.arena(),
          json::Value::string(cells.arena(), text_of(object.find("metadata")->find("name"))));
      custom::PathSteps steps;
      for (json::Value& cell : parsed.cells(
               cells.arena(), object, [](Time) { return std::string("AGE"); }, steps)) {
        cells.root().push_back(cells.arena(), std::move(cell));
      }
    }
    answer.cells = custom::sorted_json(cells.root());
  }
  if (const json::Value* fields = question.find("fields")) {
    json::Document values;
    values.root() = json::Value::object();
    for (const json::Value& field : fields->items()) {
      const std::string path = text_of(field.find("jsonPath"));
      const auto parsed = custom::JsonPath::parse(path);
      values.root().set(
          values.arena(), path.substr(1),
          json::Value::string(values.arena(), custom::selectable_value(*parsed, object)));
    }
    answer.selectable = custom::sorted_json(values.root());
  }
}

inline Answer answer(const json::Value& question, custom::Patterns& patterns) {
  if (flag_of(question, "defaults")) return answer_defaults(question, patterns);
  const auto schema = custom::Schema::make(*question.find("schema"), 36, patterns);
  if (!schema.ok()) return {.problem = "schema: " + schema.status().message()};
  Budget budget;
  json::Document document;
  document.root() = question.find("object")->copy(document.arena());
  Answer answer;
  auto unknown = schema->decode(document,
                                {.reports_unknown = flag_of(question, "strict"),
                                 .drops_malformed = flag_of(question, "drop")},
                                budget);
  if (!unknown.ok()) {
    answer.problem = unknown.status().message();
    return answer;
  }
  answer.unknown = std::move(*unknown);
  answer.object = custom::sorted_json(document.root());
  custom::Schema::Write write{.object = &document.root(),
                              .old = question.find("old"),
                              .is_status = flag_of(question, "status")};
  custom::ScalePaths scale;
  if (const json::Value* paths = question.find("scale")) {
    scale = {.spec_replicas = text_of(paths->find("specReplicasPath")),
             .status_replicas = text_of(paths->find("statusReplicasPath")),
             .label_selector = text_of(paths->find("labelSelectorPath"))};
    write.scale = &scale;
  }
  api::FieldErrors errors;
  const auto done = schema->validate(write, budget, errors, answer.warnings);
  if (!done.ok()) answer.problem = done.status().message();
  answer.errors = texts_of(errors);
  std::sort(answer.warnings.begin(), answer.warnings.end());
  answer_columns(question, document.root(), answer);
  return answer;
}

}  // namespace proa::custom_oracle

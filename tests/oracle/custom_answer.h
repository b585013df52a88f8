#pragma once

// What src/custom answers to the questions of the oracle of custom resources.

#include <algorithm>
#include <string>
#include <vector>

#include "base/cost/budget.h"
#include "custom/decode/show.h"
#include "custom/schema.h"
#include "json/parse.h"

namespace proa::custom_oracle {

struct Answer {
  std::string object;  // JSON with sorted keys
  std::vector<std::string> unknown;
  std::string problem;
  std::vector<std::string> errors;
  std::vector<std::string> warnings;

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

// Upstream's answer.
inline Answer read_answer(const json::Value& line) {
  const json::Value* object = line.find("object");
  return {.object = object == nullptr ? std::string() : custom::sorted_json(*object),
          .unknown = texts_of(line.find("unknown")),
          .problem = text_of(line.find("problem")),
          .errors = texts_of(line.find("errors")),
          .warnings = texts_of(line.find("warnings"))};
}

inline std::string describe(const Answer& answer) {
  std::string text = "object " + answer.object + "\nproblem " + answer.problem;
  for (const std::string& path : answer.unknown) text += "\nunknown " + path;
  for (const std::string& error : answer.errors) text += "\nerror " + error;
  for (const std::string& warning : answer.warnings) text += "\nwarning " + warning;
  return text;
}

inline Answer answer(const json::Value& question, custom::Patterns& patterns) {
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
  return answer;
}

}  // namespace proa::custom_oracle

#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/encoding.h"
#include "base/strings.h"
#include "base/time.h"
#include "cel/expression/compile.h"
#include "cel/values/print.h"
#include "cel/values/time.h"
#include "json/parse.h"
#include "json/print.h"

// Answers a question of tests/oracle/cel as that program does, with our own room.
namespace proa::cel_oracle {

struct Answer {
  std::string type;
  std::string issues;
  std::string program;
  std::string value;
  std::string error;
  std::string estimate;
  std::string cost;

  bool operator==(const Answer&) const = default;
};

// A variable's value: JSON, read by the declared type where JSON has no such value. Values of
// containers are those of JSON: questions have no others.
inline cel::Value read_value(const json::Value& json, std::string_view type, json::Arena& arena) {
  if (type == "uint") return cel::Value::unsigned_integer(static_cast<uint64_t>(json.as_int()));
  if (type == "double") return cel::Value::number(json.as_double());
  if (type == "duration") return cel::Value::duration(parse_duration(json.as_string())->count());
  if (type == "timestamp") return *cel::parse_timestamp(json.as_string());
  if (type == "bytes") return cel::Value::bytes(arena.copy(*from_base64(json.as_string())));
  return cel::from_json(json);
}

inline Answer answer(const json::Value& question) {
  Answer result;
  int minor = 36;
  if (const json::Value* version = question.find("version")) {
    minor = static_cast<int>(*parse_int(version->as_string().substr(2)));
  }
  cel::Environment environment = cel::kubernetes_environment(minor);
  std::vector<cel::Value> values;
  json::Arena arena;
  if (const json::Value* types = question.find("types")) {
    for (const json::Member& member : types->members()) {
      environment.add_variable(member.key, member.value.as_string());
      const json::Value* value = question.find("values")->find(member.key);
      values.push_back(read_value(*value, member.value.as_string(), arena));
    }
  }
  const cel::Compiled compiled =
      cel::compile(question.find("expression")->as_string(), environment);
  result.type = compiled.type;
  result.issues = compiled.issues;
  result.program = compiled.failure;
  if (result.issues.empty()) {
    result.estimate = "[" + std::to_string(compiled.estimate.min) + "," +
                      std::to_string(compiled.estimate.max) + "]";
  }
  if (compiled.program == nullptr) return result;
  uint64_t limit = 1'000'000;
  if (const json::Value* given = question.find("limit")) {
    limit = static_cast<uint64_t>(given->as_int());
  }
  const cel::Outcome outcome = compiled.program->evaluate(values, arena, limit);
  result.cost = std::to_string(outcome.cost);
  if (outcome.value.is_error()) {
    result.error = outcome.value.text();
  } else {
    result.value = cel::print_value(outcome.value);
  }
  return result;
}

// The answer of the other program.
inline Answer read_answer(const json::Value& json) {
  Answer result;
  const auto text = [&](std::string_view key) {
    const json::Value* value = json.find(key);
    return value == nullptr ? std::string() : std::string(value->as_string());
  };
  result.type = text("type");
  result.issues = text("issues");
  result.program = text("program");
  result.value = text("value");
  result.error = text("error");
  result.estimate = text("estimate");
  if (const json::Value* cost = json.find("cost")) result.cost = json::print(*cost);
  return result;
}

}  // namespace proa::cel_oracle

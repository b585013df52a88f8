#pragma once

#include <re2/re2.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "base/encoding.h"
#include "base/strings.h"
#include "base/time.h"
#include "cel/expression/compile.h"
#include "cel/expression/rule.h"
#include "cel/functions/kubernetes/authorizer.h"
#include "cel/validation/schema_rules.h"
#include "cel/values/print.h"
#include "cel/values/time.h"
#include "cel/values/typed.h"
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
  std::string cardinality;  // of rules
  bool uses_old_self = false;
  std::vector<std::string> errors;  // of objects, sorted
  std::vector<std::string> warnings;
  std::string remaining;

  bool operator==(const Answer&) const = default;
};

// Allows "get" and says what it was asked.
class Echo final : public cel::Authorizer {
 public:
  cel::AccessAnswer authorize(const cel::AccessQuestion& asked) const override {
    const std::string user = asked.is_service_account
                                 ? "system:serviceaccount:" + std::string(asked.account_namespace) +
                                       ":" + std::string(asked.account_name)
                                 : std::string("somebody");
    const auto text = [](std::string_view part) { return std::string(part); };
    cel::AccessAnswer answer;
    answer.reason = user + " " + text(asked.verb) + " " + text(asked.group) + "/" +
                    text(asked.resource) + "/" + text(asked.subresource) + " " +
                    text(asked.name_space) + "/" + text(asked.name) + " " + text(asked.path);
    if (asked.name == "broken") {
      answer.error = "it is broken";
    } else {
      answer.allowed = asked.verb == "get";
    }
    return answer;
  }
};

// A variable's value: JSON, read by the declared type where JSON has no such value. Values of
// containers are those of JSON: questions have no others.
inline cel::Value read_value(const json::Value& json, std::string_view type, json::Arena& arena) {
  if (type == "uint") return cel::Value::unsigned_integer(static_cast<uint64_t>(json.as_int()));
  if (type == "double") return cel::Value::number(json.as_double());
  if (type == "duration") return cel::Value::duration(parse_duration(json.as_string())->count());
  if (type == "timestamp") return *cel::parse_timestamp(json.as_string());
  if (type == "bytes") return cel::Value::bytes(arena.copy(*from_base64(json.as_string())));
  if (type == cel::kAuthorizerTypeName) {
    static const Echo echo;
    return cel::make_authorizer(arena, echo);
  }
  return cel::from_json(json);
}

inline std::string_view text_of(const json::Value& object, std::string_view key) {
  const json::Value* value = object.find(key);
  return value == nullptr ? std::string_view() : value->as_string();
}
inline bool flag_of(const json::Value& object, std::string_view key) {
  const json::Value* value = object.find(key);
  return value != nullptr && value->as_bool();
}

inline void evaluate(const cel::Program& program, std::span<const cel::Value> values,
                     json::Arena& arena, uint64_t limit, Answer& result) {
  const cel::Outcome outcome = program.evaluate(values, arena, limit);
  result.cost = std::to_string(outcome.cost);
  if (outcome.value.is_error()) {
    result.error = outcome.value.text();
  } else {
    result.value = cel::print_value(outcome.value);
  }
}

// An expression of a schema's x-kubernetes-validations. Those that are not boolean are no rules,
// but have values.
inline Answer answer_rule(std::string_view expression, int minor, const json::Value& rule) {
  Answer result;
  const bool optional = flag_of(rule, "optionalOldSelf");
  const cel::Shapes shapes(*rule.find("schema"), flag_of(rule, "resourceRoot"));
  const cel::Shape& shape = shapes.root();
  if (shape.type == nullptr) return {.issues = "no type"};
  const cel::CompiledRule compiled =
      cel::RuleCompiler(shape, minor)
          .compile({.rule = expression, .message_expression = {}, .optional_old_self = optional});
  if (compiled.program != nullptr) {
    result.estimate = std::to_string(compiled.max_cost);
    result.cardinality = std::to_string(compiled.max_cardinality);
    result.uses_old_self = compiled.uses_old_self;
  }
  cel::Environment environment = cel::kubernetes_environment(minor);
  environment.add_variable("self", shape);
  environment.add_variable("oldSelf", shape, optional);
  const cel::Compiled plain = cel::compile(expression, environment);
  result.issues = plain.issues;
  result.program = plain.failure;
  if (result.program.empty()) result.type = plain.type;
  if (plain.program == nullptr) return result;
  const json::Value* self = rule.find("self");
  if (self == nullptr || self->is_null()) return result;
  const json::Value* old = rule.find("oldSelf");
  if (old != nullptr && old->is_null()) old = nullptr;
  json::Arena arena;
  const cel::Value values[] = {cel::typed_value(arena, *self, shape),
                               optional
                                   ? cel::optional_old_self(arena, old, shape)
                                   : cel::typed_value(arena, old == nullptr ? *self : *old, shape)};
  evaluate(*plain.program, values, arena, cel::kRuleCostLimit, result);
  return result;
}

// An object of a custom resource, checked by all rules of its schema.
inline Answer answer_check(const json::Value& check) {
  Answer result;
  const cel::SchemaRules rules(*check.find("schema"), 36);
  api::FieldErrors errors;
  cel::SchemaRules::Check asked{.object = check.find("object"), .old = check.find("old")};
  if (const json::Value* budget = check.find("budget")) {
    asked.budget = static_cast<uint64_t>(budget->as_int());
  }
  const std::optional<uint64_t> remaining = rules.validate(asked, errors, result.warnings);
  result.remaining = remaining ? std::to_string(*remaining) : "-1";
  result.errors = errors.texts();
  // Types of objects are named from another place on there.
  static const RE2 kSelfType("selfType[0-9]*[\\w.@]*");
  for (std::string& error : result.errors) RE2::GlobalReplace(&error, kSelfType, "selfType");
  std::sort(result.errors.begin(), result.errors.end());
  std::sort(result.warnings.begin(), result.warnings.end());
  return result;
}

inline Answer answer(const json::Value& question) {
  if (const json::Value* check = question.find("check")) return answer_check(*check);
  Answer result;
  int minor = 36;
  if (const json::Value* version = question.find("version")) {
    minor = static_cast<int>(*parse_int(version->as_string().substr(2)));
  }
  if (const json::Value* rule = question.find("rule")) {
    return answer_rule(text_of(question, "expression"), minor, *rule);
  }
  cel::Environment environment = cel::kubernetes_environment(
      minor,
      flag_of(question, "jsonPatch") ? cel::Libraries::kWithJsonPatch : cel::Libraries::kBase);
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
  evaluate(*compiled.program, values, arena, limit, result);
  return result;
}

// The answer of the other program.
inline Answer read_answer(const json::Value& json) {
  Answer result;
  const auto text = [&](std::string_view key) { return std::string(text_of(json, key)); };
  result.type = text("type");
  result.issues = text("issues");
  result.program = text("program");
  result.value = text("value");
  result.error = text("error");
  result.estimate = text("estimate");
  if (const json::Value* cost = json.find("cost")) result.cost = json::print(*cost);
  result.cardinality = text("cardinality");
  result.uses_old_self = flag_of(json, "usesOldSelf");
  const auto texts = [&](std::string_view key, std::vector<std::string>& out) {
    const json::Value* list = json.find(key);
    if (list == nullptr) return;
    for (const json::Value& item : list->items()) out.emplace_back(item.as_string());
    std::sort(out.begin(), out.end());
  };
  texts("errors", result.errors);
  texts("warnings", result.warnings);
  result.remaining = text("remaining");
  return result;
}

}  // namespace proa::cel_oracle

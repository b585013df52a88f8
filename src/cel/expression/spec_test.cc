#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <optional>
#include <string>
#include <vector>

#include "base/encoding.h"
#include "cel/expression/compile.h"
#include "cel/expression/rule.h"
#include "cel/values/print.h"
#include "cel/values/typed.h"
#include "json/parse.h"

namespace proa::cel {
namespace {

std::string member(const json::Value& object, std::string_view key) {
  const json::Value* value = object.find(key);
  return value == nullptr ? std::string() : std::string(value->as_string());
}

struct Given {
  std::string text;  // the value, the error, or why the expression is refused
  std::string cost;
};

Given upstream(const json::Value& answer) {
  Given given;
  for (const std::string_view key : {"issues", "program", "error", "value"}) {
    if (given.text.empty()) given.text = member(answer, key);
  }
  if (const json::Value* cost = answer.find("cost")) given.cost = std::to_string(cost->as_int());
  return given;
}

Given outcome_of(const Program& program, std::span<const Value> values, Arena& arena) {
  const Outcome outcome = program.evaluate(values, arena, kRuleCostLimit);
  const bool failed = outcome.value.is_error();
  return {.text = failed ? std::string(outcome.value.text()) : print_value(outcome.value),
          .cost = std::to_string(outcome.cost)};
}

// A variable's value: JSON, read by the declared type where JSON has no such value.
Value variable(const json::Value& json, std::string_view type, Arena& arena) {
  if (type == "uint") return Value::unsigned_integer(static_cast<uint64_t>(json.as_int()));
  if (type == "bytes") return Value::bytes(arena.copy(*from_base64(json.as_string())));
  return from_json(json);
}

Given ours(const json::Value& question) {
  Environment environment = kubernetes_environment(36);
  Arena arena;
  std::vector<Value> values;
  if (const json::Value* types = question.find("types")) {
    for (const json::Member& type : types->members()) {
      environment.add_variable(type.key, type.value.as_string());
      const json::Value* value = question.find("values")->find(type.key);
      values.push_back(variable(*value, type.value.as_string(), arena));
    }
  }
  const Compiled compiled = compile(member(question, "expression"), environment);
  if (compiled.program == nullptr) return {.text = compiled.issues + compiled.failure};
  return outcome_of(*compiled.program, values, arena);
}

// What is not compared, and why.
bool is_exempt(std::string_view source) {
  for (const std::string_view part : {
           "google.protobuf.", "cel.expr.", "TestAllTypes",  // messages of protobuf
           "`", "a.namespace()",                             // words of ANTLR behind an error
           "88888 ", "\xF2\x88\xA2\x88",                     // a character that only Go escapes
           "k == 'key2' && v == 2",                          // depends on the order of a Go map
           "has({'foo': optional.none()}",                   // costs one more there
       }) {
    if (source.find(part) != std::string_view::npos) return true;
  }
  return false;
}

void expect_same(std::string_view source, const Given& given, const Given& theirs) {
  constexpr std::string_view kSyntax = "Syntax error";
  if (theirs.text.find(kSyntax) != std::string::npos &&
      given.text.find(kSyntax) != std::string::npos) {
    return;
  }
  if (given.text == theirs.text && given.cost == theirs.cost) return;
  ADD_FAILURE() << source << "\n  ours:     " << given.text << " cost " << given.cost
                << "\n  upstream: " << theirs.text << " cost " << theirs.cost;
}

// Compares all lines of a file that the oracle made; returns how many there are.
int compare_with(std::string_view name) {
  std::ifstream file(std::filesystem::path(__FILE__).parent_path() / "testdata" / name);
  int compared = 0;
  for (std::string line; std::getline(file, line);) {
    const auto document = json::parse(line);
    const std::string source = member(document->root(), "expression");
    if (is_exempt(source)) continue;
    ++compared;
    expect_same(source, ours(document->root()), upstream(*document->root().find("answer")));
  }
  return compared;
}

// An expression of a schema's x-kubernetes-validations.
void compare_rule(const json::Value& rule, const json::Value& line) {
  const std::string source = member(line, "expression");
  const json::Value& answer = *line.find("answer");
  const bool optional = rule.find("optionalOldSelf") != nullptr;
  const Shapes shapes(*rule.find("schema"), rule.find("resourceRoot") != nullptr);
  const Shape& shape = shapes.root();
  if (answer.find("estimate") != nullptr) {
    const CompiledRule compiled = RuleCompiler(shape, 36).compile(
        {.rule = source, .message_expression = {}, .optional_old_self = optional});
    EXPECT_EQ(std::to_string(compiled.max_cost), member(answer, "estimate")) << source;
    EXPECT_EQ(std::to_string(compiled.max_cardinality), member(answer, "cardinality")) << source;
  }
  Environment environment = kubernetes_environment(36);
  environment.add_variable("self", shape);
  environment.add_variable("oldSelf", shape, optional);
  const Compiled compiled = compile(source, environment);
  const Given theirs = upstream(answer);
  if (compiled.program == nullptr) {
    return expect_same(source, {.text = compiled.issues + compiled.failure}, theirs);
  }
  Arena arena;
  const json::Value& self = *rule.find("self");
  const json::Value* old = rule.find("oldSelf");
  const Value values[] = {typed_value(arena, self, shape),
                          optional ? optional_old_self(arena, old, shape)
                                   : typed_value(arena, old == nullptr ? self : *old, shape)};
  expect_same(source, outcome_of(*compiled.program, values, arena), theirs);
}

TEST(Spec, SimpleTestsAnswerAsUpstreamDoes) { EXPECT_GT(compare_with("spec.jsonl"), 1590); }

TEST(Spec, LibrariesAnswerAsUpstreamDoes) { EXPECT_GT(compare_with("libraries.jsonl"), 100); }

// A line with a schema and its values, and lines with expressions over them.
TEST(Spec, RulesAnswerAsUpstreamDoes) {
  std::ifstream file(std::filesystem::path(__FILE__).parent_path() / "testdata/rules.jsonl");
  std::optional<json::Document> rule;
  int compared = 0;
  for (std::string line; std::getline(file, line);) {
    json::Document document = std::move(*json::parse(line));
    if (document.root().find("schema") != nullptr) {
      rule = std::move(document);
      continue;
    }
    ++compared;
    compare_rule(rule->root(), document.root());
  }
  EXPECT_GT(compared, 300);
}

}  // namespace
}  // namespace proa::cel

#include "cel/expression/rule.h"

#include <gtest/gtest.h>

#include "cel/values/print.h"
#include "cel/values/typed.h"
#include "json/parse.h"

namespace proa::cel {
namespace {

constexpr std::string_view kSchema = R"({"type": "object", "properties": {
  "replicas": {"type": "integer"}, "ratio": {"type": "number"}, "max-size": {"type": "string", "maxLength": 10},
  "start": {"type": "string", "format": "date-time"}, "port": {"x-kubernetes-int-or-string": true},
  "note": {"type": "string", "nullable": true},
  "tags": {"type": "array", "maxItems": 5, "x-kubernetes-list-type": "set", "items": {"type": "string", "maxLength": 5}},
  "ports": {"type": "array", "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["name"],
    "items": {"type": "object", "properties": {"name": {"type": "string"}, "number": {"type": "integer"}}}},
  "labels": {"type": "object", "additionalProperties": {"type": "string"}}}})";
constexpr std::string_view kObject =
    R"({"replicas": 3, "ratio": 2, "max-size": "10Mi", "start": "2024-01-02T03:04:05Z",
  "port": "http", "note": null, "tags": ["a", "b"], "ports": [{"name": "x", "number": 1}, {"name": "y", "number": 2}],
  "labels": {"k": "v"}})";
constexpr std::string_view kOld = R"({"replicas": 2, "start": "soon", "tags": ["b", "a"],
  "ports": [{"name": "y", "number": 2}, {"name": "x", "number": 1}]})";

CompiledRule compiled(const RuleSource& source, const Shapes& shapes) {
  return RuleCompiler(shapes.root(), 36).compile(source);
}

// The value of a rule, or why there is none.
std::string checked(std::string_view rule) {
  const auto schema = json::parse(kSchema);
  const auto object = json::parse(kObject);
  const auto old = json::parse(kOld);
  const Shapes shapes(schema->root(), true);
  const CompiledRule result =
      compiled({.rule = rule, .message_expression = {}, .optional_old_self = false}, shapes);
  if (result.program == nullptr) return result.error;
  Arena arena;
  const Value values[] = {typed_value(arena, object->root(), shapes.root()),
                          typed_value(arena, old->root(), shapes.root())};
  return print_value(result.program->evaluate(values, arena, kRuleCostLimit).value);
}

TEST(Rule, SeesTypedValues) {
  for (const std::string_view rule :
       {"self.replicas > oldSelf.replicas", "self.ratio == 2.0 && type(self.ratio) == double",
        "self.max__dash__size == '10Mi'", "self.start.getFullYear() == 2024",
        "type(self.port) == string", "!has(self.note)", "self.tags == oldSelf.tags",
        "self.tags == ['b', 'a']", "self.tags + ['a', 'c'] == ['c', 'b', 'a']",
        "self.ports == oldSelf.ports", "(self.ports + oldSelf.ports).size() == 2",
        "self.labels.k == 'v'", "self.labels.all(k, self.labels[k] == 'v')",
        "self.ports.exists(p, p.name == 'x' && p.number == 1)"}) {
    EXPECT_EQ(checked(rule), "true") << rule;
  }
}

TEST(Rule, FailsOnValuesWithoutTheirFormat) {
  EXPECT_EQ(checked("oldSelf.start == self.start"),
            "error(Invalid date-time formatted string soon: parsing time \"soon\" as "
            "\"2006-01-02T15:04:05\": cannot parse \"soon\" as \"2006\")");
}

TEST(Rule, IsCheckedAgainstTheSchema) {
  EXPECT_EQ(checked("self.replica > 1"),
            "compilation failed: ERROR: <input>:1:5: undefined field 'replica'\n"
            " | self.replica > 1\n | ....^");
  EXPECT_EQ(checked("self.replicas"), "cel expression must evaluate to a bool");
  EXPECT_EQ(checked("int('x') == 1"),
            "program instantiation failed: type conversion error from 'string' to 'int'");
  EXPECT_EQ(checked("  "), "");
}

TEST(Rule, HasACostByTheSchema) {
  const auto schema = json::parse(kSchema);
  const Shapes shapes(schema->root(), true);
  const CompiledRule rule = compiled({.rule = "self.tags.all(t, t.startsWith('a'))",
                                      .message_expression = "'tags: ' + self.tags.join(',')",
                                      .optional_old_self = false},
                                     shapes);
  EXPECT_EQ(rule.max_cost, 28U);
  EXPECT_EQ(rule.max_cardinality, 1048576U);
  EXPECT_FALSE(rule.uses_old_self);
  EXPECT_NE(rule.message, nullptr);
  EXPECT_GT(rule.message_max_cost, 0U);
}

TEST(Rule, ChecksItsMessage) {
  const auto schema = json::parse(kSchema);
  const Shapes shapes(schema->root(), true);
  const auto error = [&](std::string_view message) {
    return compiled({.rule = "true", .message_expression = message, .optional_old_self = false},
                    shapes)
        .message_error;
  };
  EXPECT_EQ(error("1"), "messageExpression must evaluate to a string");
  EXPECT_TRUE(error("(").starts_with("messageExpression compilation failed: "));
}

TEST(Rule, MayHaveAnOptionalOldSelf) {
  const auto schema = json::parse(kSchema);
  const auto object = json::parse(kObject);
  const Shapes shapes(schema->root(), true);
  const CompiledRule rule =
      compiled({.rule = "!oldSelf.hasValue() || oldSelf.value().replicas <= self.replicas",
                .message_expression = {},
                .optional_old_self = true},
               shapes);
  ASSERT_NE(rule.program, nullptr) << rule.error;
  EXPECT_TRUE(rule.uses_old_self);
  for (const json::Value* old :
       {static_cast<const json::Value*>(nullptr), &std::as_const(*object).root()}) {
    Arena arena;
    const Value values[] = {typed_value(arena, object->root(), shapes.root()),
                            optional_old_self(arena, old, shapes.root())};
    EXPECT_TRUE(rule.program->evaluate(values, arena, kRuleCostLimit).value.is_true());
  }
}

TEST(Rule, OfAHiddenSchemaIsRefused) {
  const auto schema = json::parse(R"({"x-kubernetes-preserve-unknown-fields": true})");
  const Shapes shapes(schema->root(), false);
  EXPECT_EQ(compiled({.rule = "true", .message_expression = {}, .optional_old_self = false}, shapes)
                .error,
            "failed to convert to declType for CEL validation rules");
}

}  // namespace
}  // namespace proa::cel

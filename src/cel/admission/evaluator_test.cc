#include "cel/admission/evaluator.h"

#include <gtest/gtest.h>

#include <stop_token>

#include "cel/functions/kubernetes/authorizer.h"
#include "cel/values/print.h"
#include "json/parse.h"
#include "testkit/fake_clock.h"

namespace proa::cel {
namespace {

// What an expression evaluates to for one request, or its error.
class Case {
 public:
  explicit Case(bool has_params = false)
      : compiler(has_params, AdmissionCompiler::Composes::kYes) {}

  std::string evaluate(std::string_view source, Expected expected = Expected::kBool,
                       bool patch_types = false) {
    expression = compiler.compile(source, expected, true, patch_types);
    AdmissionInputs inputs;
    inputs.object = from_json(object.root());
    inputs.request = from_json(request.root());
    inputs.budget = request_budget;
    AdmissionEvaluator evaluator(arena, inputs, &compiler.variables());
    const Result<AdmissionValue> made = evaluator.evaluate(expression, budget);
    if (!made) return made.status().message();
    return made->error ? *made->error : print_plain(made->value);
  }

  AdmissionCompiler compiler;
  AdmissionExpression expression;
  Arena arena;
  int64_t budget = kPolicyCostBudget;
  Budget* request_budget = nullptr;
  const json::Document object =
      json::parse(R"({"metadata":{"name":"web"},"spec":{"replicas":3}})").value();
  const json::Document request =
      json::parse(R"({"operation":"CREATE","userInfo":{"username":"eve"}})").value();
};

TEST(AdmissionCompiler, SaysWhatIsWrong) {
  struct {
    const char* source;
    Expected expected;
    const char* error;
  } const cases[] = {
      {"object.spec.replicas > 1", Expected::kBool, ""},
      {"1", Expected::kBool, "must evaluate to bool but got int"},
      {"object.spec", Expected::kBool, "must evaluate to bool but got dyn"},
      {"'a'", Expected::kStringOrNull, ""},
      {"null", Expected::kStringOrNull, ""},
      {"1", Expected::kStringOrNull, "must evaluate to one of [string null_type] but got int"},
      {"[timestamp('2020-01-01T00:00:00Z')]", Expected::kString,
       "must evaluate to string but got list(google.protobuf.Timestamp)"},
      {"params.x", Expected::kAny,
       "compilation failed: ERROR: <input>:1:1: undeclared reference to 'params' (in container "
       "'')\n | params.x\n | ^"},
      {"request.object == null", Expected::kBool,
       "compilation failed: ERROR: <input>:1:8: undefined field 'object'\n | request.object == "
       "null\n | .......^"},
      {"variables.none", Expected::kAny,
       "compilation failed: ERROR: <input>:1:10: undefined field 'none'\n | variables.none\n | "
       ".........^"},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.source);
    AdmissionCompiler compiler(false, AdmissionCompiler::Composes::kYes);
    EXPECT_EQ(compiler.compile(c.source, c.expected).error, c.error);
  }
}

TEST(AdmissionEvaluator, PatternsMatchTextsOnly) {
  Case c;
  const std::string constant = "object.?spec.orValue('a').matches('^a$')";
  EXPECT_EQ(c.evaluate(constant),
            "expression '" + constant + "' resulted in error: no such overload");
  const std::string computed = "object.?spec.orValue('a').matches(object.metadata.name)";
  EXPECT_EQ(c.evaluate(computed),
            "expression '" + computed + "' resulted in error: no such overload: matches");
}

TEST(AdmissionCompiler, WithoutAnAuthorizerNoneIsMentioned) {
  AdmissionCompiler compiler(false, AdmissionCompiler::Composes::kNo);
  EXPECT_EQ(
      compiler.compile("authorizer.requestResource.check('get').allowed()", Expected::kBool).error,
      "");
  EXPECT_NE(
      compiler.compile("authorizer.path('/').check('get').allowed()", Expected::kBool, false).error,
      "");
  EXPECT_NE(compiler.compile("variables.a == 1", Expected::kBool).error, "");
}

TEST(AdmissionEvaluator, ReadsTheRequest) {
  Case c;
  EXPECT_EQ(c.evaluate("object.spec.replicas == 3 && request.userInfo.username == 'eve'"), "true");
  EXPECT_EQ(c.evaluate("oldObject == null"), "true");
  EXPECT_EQ(c.evaluate("object.spec.none == 1"),
            "expression 'object.spec.none == 1' resulted in error: no such key: none");
  EXPECT_EQ(c.evaluate("object +"),
            "compilation error: " + c.compiler.compile("object +", Expected::kBool).error);
}

TEST(AdmissionEvaluator, VariablesAreComposedAndEvaluatedOnce) {
  Case c;
  EXPECT_EQ(c.compiler.add_variable("replicas", "object.spec.replicas").error, "");
  EXPECT_EQ(c.compiler.add_variable("twice", "variables.replicas * 2").error, "");
  EXPECT_EQ(c.compiler.add_variable("bad", "object.spec.none").error, "");
  EXPECT_NE(c.compiler.add_variable("broken", "object.").error, "");
  EXPECT_EQ(c.evaluate("variables.twice == 6"), "true");
  EXPECT_EQ(c.evaluate("has(variables.twice)"), "true");
  // One that is not read does not fail.
  EXPECT_EQ(c.evaluate("true || variables.bad == 1"), "true");
  EXPECT_EQ(c.evaluate("variables.bad == 1"),
            "expression 'variables.bad == 1' resulted in error: composited variable \"bad\" fails "
            "to evaluate: no such key: none");
  EXPECT_TRUE(c.evaluate("variables.broken == 1")
                  .starts_with("expression 'variables.broken == 1' resulted in error: composited "
                               "variable \"broken\" fails to compile: compilation failed: "));
  const int64_t before = c.budget;
  EXPECT_EQ(c.evaluate("variables.twice + variables.twice + variables.twice == 18"), "true");
  const int64_t thrice = before - std::exchange(c.budget, before);
  EXPECT_EQ(c.evaluate("variables.twice + variables.twice == 12"), "true");
  const int64_t both = before - c.budget;
  // Two selections and an addition more, whatever the variable costs.
  EXPECT_EQ(thrice - both, 3);
}

TEST(AdmissionEvaluator, TypesOfVariablesAreChecked) {
  Case c;
  c.compiler.add_variable("list", "[1, 2]");
  EXPECT_NE(c.compiler.compile("variables.list == 'a'", Expected::kBool).error, "");
  EXPECT_EQ(c.evaluate("variables.list[0] == 1"), "true");
}

TEST(AdmissionEvaluator, AVariableThatRefersToItselfFails) {
  Case c;
  c.compiler.add_variable("a", "1");
  c.compiler.add_variable("a", "variables.a + 1");
  EXPECT_EQ(c.evaluate("variables.a == 2"),
            "expression 'variables.a == 2' resulted in error: composited variable \"a\" fails to "
            "evaluate: composited variable \"a\" fails to evaluate: it refers to itself");
}

TEST(AdmissionEvaluator, LongChainsOfVariablesFail) {
  Case c;
  c.compiler.add_variable("v0", "1");
  for (int i = 1; i < 100; ++i) {
    c.compiler.add_variable("v" + std::to_string(i), "variables.v" + std::to_string(i - 1));
  }
  EXPECT_EQ(c.evaluate("variables.v20 == 1"), "true");
  EXPECT_TRUE(c.evaluate("variables.v99 == 1").ends_with("nested too deeply"));
}

TEST(AdmissionEvaluator, TheBudgetEnds) {
  Case c;
  c.budget = 3;
  EXPECT_EQ(c.evaluate("object.spec.replicas == 3"),
            "validation failed due to running out of cost budget, no further validation rules will "
            "be run");
  EXPECT_EQ(c.budget, -1);
}

TEST(AdmissionEvaluator, OneExpressionHasALimit) {
  Case c;
  c.compiler.add_variable("many", "[1,2,3,4,5,6,7,8,9,10]");
  EXPECT_EQ(c.evaluate("variables.many.all(a, variables.many.all(b, variables.many.all(c, "
                       "variables.many.all(d, variables.many.all(e, variables.many.all(f, a + b + "
                       "c + d + e + f > 0))))))"),
            "expression 'variables.many.all(a, variables.many.all(b, variables.many.all(c, "
            "variables.many.all(d, variables.many.all(e, variables.many.all(f, a + b + c + d + e + "
            "f > 0))))))' resulted in error: operation cancelled: actual cost limit exceeded");
}

TEST(AdmissionEvaluator, MakesStructs) {
  Case c;
  EXPECT_EQ(c.evaluate("Object{spec: Object.spec{replicas: object.spec.replicas + 1}}",
                       Expected::kObject, true),
            "Object(spec: Object.spec(replicas: 4))");
  EXPECT_EQ(c.evaluate("[JSONPatch{op: 'add', path: '/a/' + jsonpatch.escapeKey('b/c'), value: 1}]",
                       Expected::kJsonPatch, true),
            "[JSONPatch(op: \"add\", path: \"/a/b~1c\", value: 1)]");
  EXPECT_EQ(c.evaluate("Object{?spec: optional.none()}", Expected::kObject, true), "Object()");
  EXPECT_EQ(c.evaluate("JSONPatch{op: object.spec.replicas}.op == ''", Expected::kBool, true),
            "expression 'JSONPatch{op: object.spec.replicas}.op == \'\'' resulted in error: "
            "unexpected type for JSONPatchType 'op' field");
  EXPECT_EQ(c.evaluate("Object{a: 1} == Object{a: 1} && Object{a: 1} != Object{a: 2}",
                       Expected::kBool, true),
            "true");
}

TEST(AdmissionCompiler, StructsAreChecked) {
  AdmissionCompiler compiler(false, AdmissionCompiler::Composes::kYes);
  const auto error = [&](std::string_view source, Expected expected, bool patch_types = true) {
    return compiler.compile(source, expected, true, patch_types).error;
  };
  EXPECT_EQ(error("[JSONPatch{op: 1}]", Expected::kJsonPatch),
            "compilation failed: ERROR: <input>:1:14: expected type of field 'op' is 'string' but "
            "provided type is 'int'\n | [JSONPatch{op: 1}]\n | .............^");
  EXPECT_EQ(error("Object.spec{}", Expected::kObject),
            "must evaluate to Object but got Object.spec");
  EXPECT_EQ(error("JSONPatch{}", Expected::kJsonPatch),
            "must evaluate to list(JSONPatch) but got JSONPatch");
  EXPECT_NE(error("Object{}", Expected::kObject, false), "");
  EXPECT_NE(error("Other{}", Expected::kObject), "");
}

TEST(AdmissionEvaluator, EndsWithTheRequest) {
  testkit::FakeClock clock;
  std::stop_source client;
  Budget request_budget;
  request_budget.end_with({.stop = client.get_token()}, clock);
  Case one;
  one.request_budget = &request_budget;
  const std::string many = "[1, 2, 3, 4, 5, 6, 7, 8, 9, 10]";
  const std::string source = many + ".all(a, " + many + ".all(b, " + many + ".all(c, " + many +
                             ".all(d, a + b + c + d < 100))))";
  EXPECT_EQ(one.evaluate(source), "true");
  client.request_stop();
  EXPECT_EQ(one.evaluate(source), Budget::timeout().message());
}

// Each expression makes some megabytes of texts that nobody reads afterwards.
TEST(AdmissionEvaluator, WhatExpressionsLeaveBehindIsFreed) {
  const std::string text(1000, 'x');
  const std::string many = "[1, 2, 3, 4, 5, 6, 7, 8, 9, 10]";
  const std::string source = many + ".all(a, " + many + ".all(b, " + many + ".all(c, '" + text +
                             "' + string(a + b + c) != '')))";
  Case one;
  const AdmissionExpression expression = one.compiler.compile(source, Expected::kBool, true, false);
  AdmissionInputs inputs;
  inputs.object = from_json(one.object.root());
  inputs.request = from_json(one.request.root());
  AdmissionEvaluator evaluator(one.arena, inputs);
  for (int i = 0; i < 10; ++i) {
    int64_t budget = kPolicyCostBudget;
    const Result<AdmissionValue> made = evaluator.evaluate(expression, budget);
    ASSERT_TRUE(made.ok());
    EXPECT_TRUE(made->value.is_true()) << made->error.value_or("");
  }
  EXPECT_LT(one.arena.reserved(), size_t{64} << 10);
}

TEST(AdmissionEvaluator, TextsOutliveTheNextExpression) {
  Case one;
  AdmissionInputs inputs;
  inputs.object = from_json(one.object.root());
  inputs.request = from_json(one.request.root());
  const AdmissionExpression first =
      one.compiler.compile("object.metadata.name + '-1'", Expected::kString, true, false);
  const AdmissionExpression second =
      one.compiler.compile("object.metadata.name + '-2'", Expected::kString, true, false);
  AdmissionEvaluator evaluator(one.arena, inputs);
  int64_t budget = kPolicyCostBudget;
  const Value kept = evaluator.evaluate(first, budget)->value;
  EXPECT_EQ(evaluator.evaluate(second, budget)->value.text(), "web-2");
  EXPECT_EQ(kept.text(), "web-1");
}

// What is kept, such as variables, counts for all expressions of a request together.
TEST(AdmissionEvaluator, VariablesPayTheirRequestForMemory) {
  Case one;
  const std::string many = "[1, 2, 3, 4, 5, 6, 7, 8, 9, 10]";
  one.compiler.add_variable("large", many + ".map(a, " + many + ".map(b, " + many + ".map(c, '" +
                                         std::string(2000, 'x') + "' + string(c))))");
  Budget request({.values = 0, .memory = size_t{1} << 20, .steps = 1'000'000});
  one.request_budget = &request;
  const std::string answer = one.evaluate("variables.large.size() == 10");
  ASSERT_TRUE(request.exceeded());
  EXPECT_EQ(answer, request.status().message());
}

}  // namespace
}  // namespace proa::cel

#include "cel/validation/schema_rules.h"

#include <gtest/gtest.h>

#include <stop_token>

#include "json/parse.h"
#include "testkit/fake_clock.h"

namespace proa::cel {
namespace {

struct Checked {
  std::vector<std::string> errors;
  std::vector<std::string> warnings;
  std::optional<uint64_t> remaining;
};

Checked checked(std::string_view schema, std::string_view object, std::string_view old = {},
                uint64_t budget = kObjectCostBudget) {
  const SchemaRules rules(json::parse(schema)->root(), 36);
  const auto document = json::parse(object);
  std::optional<json::Document> before;
  if (!old.empty()) before = std::move(*json::parse(old));
  api::FieldErrors errors;
  Checked result;
  result.remaining = rules.validate({.object = &document->root(),
                                     .old = before ? &before->root() : nullptr,
                                     .ratcheting = true,
                                     .budget = budget},
                                    errors, result.warnings);
  result.errors = errors.texts();
  return result;
}

using Texts = std::vector<std::string>;

constexpr std::string_view kReplicas =
    R"({"type": "object", "properties": {"spec": {"type": "object",
  "x-kubernetes-validations": [{"rule": "self.min <= self.max", "message": " min is above max "}],
  "properties": {"min": {"type": "integer"}, "max": {"type": "integer",
    "x-kubernetes-validations": [{"rule": "self < 10"}]}}}}})";

TEST(SchemaRules, SayWhatIsWrong) {
  EXPECT_EQ(checked(kReplicas, R"({"spec": {"min": 1, "max": 3}})").errors, Texts());
  EXPECT_EQ(checked(kReplicas, R"({"spec": {"min": 20, "max": 12}})").errors,
            (Texts{"spec: Invalid value: min is above max",
                   "spec.max: Invalid value: 12: failed rule: self < 10"}));
  EXPECT_EQ(
      checked(kReplicas, R"({"spec": {"max": 3}})").errors,
      (Texts{
          "spec: Invalid value: \"object\": no such key: min evaluating rule: min is above max"}));
}

TEST(SchemaRules, AreReportedAtTheirFieldIfTheirMessageCompiles) {
  const auto errors_with = [](const std::string& message) {
    return checked(R"({"type": "object", "properties": {"a": {"type": "integer"}},
      "x-kubernetes-validations": [{"rule": "self.a < 1", "fieldPath": ".a",
        "message": "too much", "messageExpression": ")" +
                       message + R"("}]})",
                   R"({"a": 2})")
        .errors;
  };
  EXPECT_EQ(errors_with("'much'"), Texts{"a: Invalid value: much"});
  EXPECT_EQ(errors_with("1"), Texts{"<nil>: Invalid value: too much"});
}

TEST(SchemaRules, WarnOfWhatWasWrongBefore) {
  const Checked result = checked(kReplicas, R"({"spec": {"min": 1, "max": 12}})",
                                 R"({"spec": {"min": 2, "max": 12}})");
  EXPECT_EQ(result.errors, Texts());
  EXPECT_EQ(result.warnings, (Texts{"spec.max: Invalid value: 12: failed rule: self < 10"}));
}

TEST(SchemaRules, StopWithTheirBudget) {
  const Checked result = checked(kReplicas, R"({"spec": {"min": 1, "max": 3}})", {}, 3);
  EXPECT_EQ(result.remaining, std::nullopt);
  ASSERT_EQ(result.errors.size(), 1U);
  EXPECT_NE(result.errors[0].find("running out of cost budget"), std::string::npos);
}

TEST(SchemaRules, CompareItemsByTheirKeys) {
  constexpr std::string_view kSchema =
      R"({"type": "object", "properties": {"ports": {"type": "array",
    "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["name"], "items": {"type": "object",
    "properties": {"name": {"type": "string"}, "number": {"type": "integer",
      "x-kubernetes-validations": [{"rule": "self >= oldSelf", "reason": "FieldValueForbidden"}]}}}}}})";
  constexpr std::string_view kOld =
      R"({"ports": [{"name": "a", "number": 5}, {"name": "b", "number": 7}]})";
  EXPECT_EQ(checked(kSchema,
                    R"({"ports": [{"name": "b", "number": 8}, {"name": "c", "number": 1}]})", kOld)
                .errors,
            Texts());
  EXPECT_EQ(checked(kSchema, R"({"ports": [{"name": "b", "number": 6}]})", kOld).errors,
            (Texts{"ports[0].number: Forbidden: failed rule: self >= oldSelf"}));
  EXPECT_EQ(checked(kSchema, R"({"ports": [{"name": "b", "number": 6}]})").errors, Texts());
}

TEST(SchemaRules, HaveMessagesOfTheirOwn) {
  constexpr std::string_view kSchema =
      R"json({"type": "object", "properties": {"m": {"type": "object",
    "additionalProperties": {"type": "integer", "x-kubernetes-validations":
      [{"rule": "self > 0", "messageExpression": "'is ' + string(self)"}]}}},
    "x-kubernetes-validations": [{"rule": "false", "fieldPath": ".m", "reason": "FieldValueRequired",
      "messageExpression": "''", "message": "needed"}]})json";
  EXPECT_EQ(checked(kSchema, R"({"m": {"k": -1}})").errors,
            (Texts{"m: Required value: needed", "m[k]: Invalid value: -1: is -1"}));
}

TEST(SchemaRules, AreInAllOfToo) {
  constexpr std::string_view kSchema =
      R"({"type": "object", "properties": {"a": {"type": "integer"}},
    "x-kubernetes-validations": [{"rule": "true"}],
    "allOf": [{"properties": {"a": {"x-kubernetes-validations": [{"rule": "self > 1"}]}}}]})";
  EXPECT_EQ(checked(kSchema, R"({"a": 1})").errors,
            (Texts{"a: Invalid value: 1: failed rule: self > 1"}));
}

TEST(SchemaRules, MayBeNone) {
  const SchemaRules rules(json::parse(R"({"type": "object"})")->root(), 36);
  EXPECT_TRUE(rules.empty());
  EXPECT_EQ(checked(R"({"type": "object"})", "{}").remaining, kObjectCostBudget);
}

// Each rule takes some megabytes: together they are more than one request may have.
TEST(SchemaRules, DoNotKeepTheMemoryOfEachOther) {
  std::string rules;
  for (int i = 0; i < 40; ++i) {
    rules += std::string(i == 0 ? "" : ", ") + R"({"rule": "lists.range(20000).map(x, [x, x, x, )" +
             std::to_string(i) + R"(]).size() > 0"})";
  }
  const SchemaRules compiled(json::parse(R"({"type": "object", "properties": {"spec":
      {"type": "object", "x-kubernetes-validations": [)" +
                                         rules + "]}}}")
                                 ->root(),
                             36);
  const auto object = json::parse(R"({"spec": {}})");
  MemoryPool pool(size_t{24} << 20);
  Budget work(pool);
  api::FieldErrors errors;
  std::vector<std::string> warnings;
  compiled.validate({.object = &object->root(), .budget = UINT64_MAX, .work = &work}, errors,
                    warnings);
  EXPECT_TRUE(errors.empty());
  EXPECT_TRUE(work.check().ok());
}

TEST(SchemaRules, EndWithTheRequest) {
  const SchemaRules compiled(json::parse(R"({"type": "object", "x-kubernetes-validations":
      [{"rule": "self.kind == 'x'"}]})")
                                 ->root(),
                             36);
  const auto object = json::parse(R"({"kind": "y"})");
  testkit::FakeClock clock;
  std::stop_source client;
  client.request_stop();
  Budget work;
  work.end_with({.stop = client.get_token()}, clock);
  api::FieldErrors errors;
  std::vector<std::string> warnings;
  EXPECT_FALSE(compiled.validate({.object = &object->root(), .work = &work}, errors, warnings));
  EXPECT_TRUE(errors.empty());
  EXPECT_TRUE(work.check().is(Reason::kTimeout));
}

}  // namespace
}  // namespace proa::cel

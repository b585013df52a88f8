#include "custom/schema.h"

#include <gtest/gtest.h>

#include "json/parse.h"

namespace proa::custom {
namespace {

std::vector<std::string> problems(std::string_view schema, std::string_view object,
                                  std::string_view old = {}, const ScalePaths* scale = nullptr) {
  Patterns patterns;
  const auto made = Schema::make(json::parse(schema)->root(), 36, patterns);
  const auto document = json::parse(object);
  const auto before = json::parse(old.empty() ? "null" : old);
  Budget budget;
  api::FieldErrors errors;
  std::vector<std::string> warnings;
  const auto done = made->validate({.object = &document->root(),
                                    .old = old.empty() ? nullptr : &before->root(),
                                    .is_status = false,
                                    .scale = scale},
                                   budget, errors, warnings);
  return done.ok() ? errors.texts() : std::vector<std::string>{done.status().message()};
}

using Texts = std::vector<std::string>;

std::string spec(std::string_view inner) {
  return R"({"type": "object", "properties": {"spec": )" + std::string(inner) + "}}";
}

TEST(Schema, ChecksTypes) {
  EXPECT_EQ(problems(spec(R"({"type": "object", "properties": {"replicas": {"type": "integer"}}})"),
                     R"({"spec": {"replicas": "x"}})"),
            Texts{R"(spec.replicas: Invalid value: "string": spec.replicas in body must be of )"
                  R"(type integer: "string")"});
  EXPECT_EQ(problems(spec(R"({"type": "integer"})"), R"({"spec": 3.0})"), Texts{});
  EXPECT_EQ(problems(spec(R"({"type": "integer", "nullable": true})"), R"({"spec": null})"),
            Texts{});
  EXPECT_EQ(problems(spec(R"({"x-kubernetes-int-or-string": true})"), R"({"spec": true})"),
            Texts{R"(spec: Invalid value: "boolean": spec in body must be of type )"
                  R"(integer,string: "boolean")"});
}

TEST(Schema, ChecksValues) {
  EXPECT_EQ(problems(spec(R"({"type": "string", "enum": ["a", "b"]})"), R"({"spec": "c"})"),
            Texts{R"(spec: Unsupported value: "c": supported values: "a", "b")"});
  EXPECT_EQ(problems(spec(R"({"type": "string", "maxLength": 2})"), R"({"spec": "äöü"})"),
            Texts{"spec: Too long: may not be more than 2 bytes"});
  EXPECT_EQ(problems(spec(R"({"type": "object", "required": ["x"]})"), R"({"spec": {}})"),
            Texts{"spec.x: Required value"});
  EXPECT_EQ(problems(spec(R"({"type": "array", "maxItems": 1, "items": {"type": "integer"}})"),
                     R"({"spec": [1, 2]})"),
            Texts{"spec: Too many: 2: must have at most 1 item"});
  EXPECT_EQ(problems(spec(R"({"type": "string", "pattern": "^a"})"), R"({"spec": "b"})"),
            Texts{R"(spec: Invalid value: "b": spec in body should match '^a')"});
  EXPECT_EQ(
      problems(spec(R"({"type": "integer", "format": "int32", "maximum": 5})"), R"({"spec": 6})"),
      Texts{"spec: Invalid value: 6: spec in body should be less than or equal to 5"});
}

TEST(Schema, ReportsTheClosestAlternative) {
  EXPECT_EQ(problems(spec(R"({"type": "object", "anyOf": [{"required": ["a"]}, {"required": ["b"],
    "properties": {"c": {"minimum": 3}}}], "properties": {"a": {"type": "integer"},
    "b": {"type": "integer"}, "c": {"type": "integer"}}})"),
                     R"({"spec": {"c": 1}})"),
            (Texts{R"(<nil>: Invalid value: "": "spec" must validate at least one schema (anyOf))",
                   "spec.c: Invalid value: 1: spec.c in body should be greater than or equal to 3",
                   "spec.b: Required value"}));
}

TEST(Schema, IgnoresWhatDidNotChange) {
  constexpr std::string_view kLimited =
      R"({"type": "object", "properties": {"a": {"type": "integer", "maximum": 5},
      "b": {"type": "integer", "maximum": 5}}})";
  EXPECT_EQ(
      problems(spec(kLimited), R"({"spec": {"a": 9, "b": 8}})", R"({"spec": {"a": 9, "b": 1}})"),
      Texts{"spec.b: Invalid value: 8: spec.b in body should be less than or equal to 5"});
}

TEST(Schema, FindsItemsByTheirKeys) {
  constexpr std::string_view kList =
      R"({"type": "array", "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["k"],
      "items": {"type": "object", "properties": {"k": {"type": "string"},
      "v": {"type": "integer", "maximum": 5}}}})";
  EXPECT_EQ(
      problems(spec(kList), R"({"spec": [{"k": "a", "v": 9}, {"k": "b", "v": 9}]})",
               R"({"spec": [{"k": "b", "v": 9}, {"k": "c", "v": 9}]})"),
      Texts{"spec[0].v: Invalid value: 9: spec[0].v in body should be less than or equal to 5"});
  EXPECT_EQ(problems(spec(kList), R"({"spec": [{"k": "a"}, {"k": "a"}]})"),
            Texts{R"(spec[1]: Duplicate value: {"k":"a"})"});
}

TEST(Schema, ChecksEmbeddedResources) {
  EXPECT_EQ(problems(spec(R"({"type": "object", "x-kubernetes-embedded-resource": true})"),
                     R"({"spec": {"kind": "no kind", "metadata": {"name": "a/b"}}})"),
            (Texts{"spec.apiVersion: Required value",
                   R"(spec.kind: Invalid value: "no kind": may have mixed case, but should )"
                   "otherwise match: a DNS-1035 label must consist of lower case alphanumeric "
                   "characters or '-', start with an alphabetic character, and end with an "
                   "alphanumeric character (e.g. 'my-name',  or 'abc-123', regex used for "
                   "validation is '[a-z]([-a-z0-9]*[a-z0-9])?')",
                   R"(spec.metadata.name: Invalid value: "a/b": may not contain '/')"}));
}

TEST(Schema, ChecksRulesOfValidObjectsOnly) {
  const std::string schema = spec(R"({"type": "integer", "x-kubernetes-validations":
    [{"rule": "self > 3", "message": "too small"}]})");
  EXPECT_EQ(problems(schema, R"({"spec": 1})"), Texts{"spec: Invalid value: 1: too small"});
  EXPECT_EQ(
      problems(schema, R"({"spec": "x"})"),
      (Texts{R"(spec: Invalid value: "string": spec in body must be of type integer: "string")",
             "<nil>: Invalid value: null: some validation rules were not checked because the "
             "object was invalid; correct the existing errors to complete validation"}));
}

TEST(Schema, ChecksTheScale) {
  const ScalePaths scale{.spec_replicas = ".spec.replicas",
                         .status_replicas = ".status.replicas",
                         .label_selector = ".status.selector"};
  EXPECT_EQ(
      problems("{}", R"({"spec": {"replicas": -1}, "status": 3})", {}, &scale),
      (Texts{".spec.replicas: Invalid value: -1: should be a non-negative integer",
             ".status.replicas: Invalid value: 0: .status.replicas accessor error: 3 is of the "
             "type int64, expected map[string]interface{}",
             R"(.status.selector: Invalid value: "": .status.selector accessor error: 3 is of )"
             "the type int64, expected map[string]interface{}"}));
}

// A schema that is small, and multiplies with the object.
TEST(Schema, StopsWhenTheBudgetIsExceeded) {
  std::string all = "{}";
  for (int i = 0; i < 3'000; ++i) all += ",{}";
  std::string object = R"({"spec": [1)";
  for (int i = 0; i < 30'000; ++i) object += ",1";
  object += "]}";
  const Texts texts = problems(
      spec(R"({"type": "array", "items": {"type": "integer", "allOf": [)" + all + "]}}"), object);
  ASSERT_EQ(texts.size(), 1U);
  EXPECT_NE(texts[0].find("too"), std::string::npos) << texts[0];
}

}  // namespace
}  // namespace proa::custom

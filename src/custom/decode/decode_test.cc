#include "custom/decode/decode.h"

#include <gtest/gtest.h>

#include "custom/decode/defaults.h"
#include "custom/decode/show.h"
#include "json/parse.h"

namespace proa::custom {
namespace {

struct Outcome {
  std::string object;
  std::vector<std::string> unknown;
};

Outcome decoded(std::string_view schema, std::string_view object,
                const DecodeOptions& options = {.reports_unknown = true}) {
  const auto structures = api::Structures::parse(json::parse(schema)->root());
  auto document = json::parse(object);
  Budget budget;
  auto unknown = decode(document->arena(), document->root(), structures->root(), options, budget);
  if (!unknown.ok()) return {.object = "failed: " + unknown.status().message()};
  return {.object = sorted_json(document->root()), .unknown = std::move(*unknown)};
}

constexpr std::string_view kSchema = R"({"type": "object", "properties": {"spec": {"type": "object",
  "properties": {"a": {"type": "integer", "default": 7}, "list": {"type": "array", "items":
  {"type": "object", "properties": {"x": {"type": "string"}}}}, "free": {"type": "object",
  "x-kubernetes-preserve-unknown-fields": true}, "map": {"type": "object", "additionalProperties":
  {"type": "object", "properties": {"y": {"type": "string", "nullable": true}}}},
  "pod": {"type": "object", "x-kubernetes-embedded-resource": true}}}}})";

TEST(Decode, DropsUnknownFields) {
  const Outcome outcome = decoded(kSchema, R"({"kind": "A", "other": 1, "spec": {"a": 1,
    "list": [{"x": "1", "z": 2}], "free": {"any": {"thing": 1}}, "map": {"k": {"y": "1", "w": {}}}}})");
  EXPECT_EQ(outcome.object,
            R"({"kind":"A","spec":{"a":1,"free":{"any":{"thing":1}},"list":[{"x":"1"}],)"
            R"("map":{"k":{"y":"1"}}}})");
  EXPECT_EQ(outcome.unknown, (std::vector<std::string>{"other", "spec.list[0].z", "spec.map.k.w"}));
}

TEST(Decode, DropsManyUnknownFieldsOfOneObject) {
  std::string object = R"({"spec": {"a": 1)";
  for (int i = 0; i < 50'000; ++i) object += ", \"u" + std::to_string(i) + "\": 1";
  object += "}}";
  const Outcome outcome = decoded(kSchema, object);
  EXPECT_EQ(outcome.object, R"({"spec":{"a":1}})");
  EXPECT_EQ(outcome.unknown.size(), 1'000U);
}

TEST(Decode, MinusZeroIsAnInteger) {
  EXPECT_EQ(decoded(kSchema, R"({"spec": {"a": -0, "free": {"b": [-0, -0.5, 0]}}})").object,
            R"({"spec":{"a":0,"free":{"b":[0,-0.5,0]}}})");
}

TEST(Decode, SetsDefaults) {
  EXPECT_EQ(decoded(kSchema, R"({"spec": {}})").object, R"({"spec":{"a":7}})");
  EXPECT_EQ(decoded(kSchema, R"({"spec": {"a": null}})").object, R"({"spec":{"a":7}})");
  EXPECT_EQ(decoded(kSchema, R"({"spec": {}})", {.sets_defaults = false}).object, R"({"spec":{}})");
}

TEST(Decode, SetsDefaultsInDefaults) {
  EXPECT_EQ(decoded(R"({"type": "object", "properties": {"a": {"type": "object", "default": {},
    "properties": {"b": {"type": "integer", "default": 1}}}}})",
                    "{}")
                .object,
            R"({"a":{"b":1}})");
}

TEST(Decode, DropsNullsThatAreNotAllowed) {
  EXPECT_EQ(
      decoded(kSchema, R"({"spec": {"list": null, "map": {"k": {"y": null}, "l": null}}})").object,
      R"({"spec":{"a":7,"map":{"k":{"y":null}}}})");
}

TEST(Decode, MakesMetadataCanonical) {
  const Outcome outcome = decoded(kSchema, R"({"metadata": {"zzz": 1, "name": "x", "labels": {}},
    "spec": {"pod": {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "y", "w": 1}, "q": 1}}})");
  EXPECT_EQ(outcome.object,
            R"({"metadata":{"name":"x"},"spec":{"a":7,"pod":{"apiVersion":"v1","kind":"Pod",)"
            R"("metadata":{"name":"y"}}}})");
  EXPECT_EQ(outcome.unknown,
            (std::vector<std::string>{"metadata.zzz", "spec.pod.q", "spec.pod.metadata.w"}));
}

TEST(Decode, RefusesMalformedMetadata) {
  EXPECT_EQ(decoded(kSchema, R"({"metadata": {"name": 5}})").object,
            "failed: json: cannot unmarshal number into Go struct field ObjectMeta.name of type "
            "string");
  EXPECT_EQ(decoded(kSchema, R"({"spec": {"pod": {"kind": 5}}})").object,
            "failed: spec.pod.kind: Invalid value: 5: must be a string");
  EXPECT_EQ(decoded(kSchema, R"({"metadata": {"name": 5, "uid": "u"}})", {.drops_malformed = true})
                .object,
            R"({"metadata":{"uid":"u"}})");
}

TEST(Decode, IsBoundedInMemory) {
  std::string large(100'000, 'x');
  const std::string schema = R"({"type": "object", "properties": {"l": {"type": "array", "items":
    {"type": "object", "properties": {"a": {"type": "string", "default": ")" +
                             large + R"("}}}}}})";
  std::string object = R"({"l": [{})";
  for (int i = 0; i < 100'000; ++i) object += ",{}";
  object += "]}";
  EXPECT_TRUE(decoded(schema, object).object.starts_with("failed: "));
}

}  // namespace
}  // namespace proa::custom

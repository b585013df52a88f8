#include "api/structure/structure.h"

#include <gtest/gtest.h>

#include <string>

#include "json/parse.h"

namespace proa::api {
namespace {

Structures read(std::string_view schema) {
  const auto document = json::parse(schema);
  EXPECT_TRUE(document.ok());
  auto made = Structures::parse(document->root());
  EXPECT_TRUE(made.ok());
  return std::move(*made);
}

TEST(Structures, KnowTheirTypes) {
  const Structures structures = read(R"({"type": "object", "nullable": true, "properties": {
    "b": {"type": "integer"}, "a": {"type": "array", "items": {"type": "string"}},
    "c": {"x-kubernetes-int-or-string": true}, "d": {"type": "object", "additionalProperties": true},
    "e": {"type": "object", "additionalProperties": {"type": "number"}}, "f": {"type": "what"}}})");
  const Structure& root = structures.root();
  EXPECT_EQ(root.kind, StructureKind::kObject);
  EXPECT_TRUE(root.nullable);
  ASSERT_EQ(root.properties.size(), 6U);
  EXPECT_EQ(root.properties[0].name, "a");
  EXPECT_EQ(root.find("a")->structure->items->kind, StructureKind::kString);
  EXPECT_EQ(root.find("b")->structure->kind, StructureKind::kInteger);
  EXPECT_TRUE(root.find("c")->structure->int_or_string);
  EXPECT_TRUE(root.find("d")->structure->allows_additional);
  EXPECT_EQ(root.find("d")->structure->additional, nullptr);
  EXPECT_EQ(root.find("e")->structure->additional->kind, StructureKind::kNumber);
  EXPECT_EQ(root.find("f")->structure->kind, StructureKind::kNone);
  EXPECT_EQ(root.find("g"), nullptr);
}

TEST(Structures, FindPropertiesWhateverTheGuess) {
  const Structures structures = read(
      R"({"properties": {"a": {}, "b": {}, "c": {}, "d": {}, "e": {}, "f": {}, "g": {}, "h": {}}})");
  for (size_t guess = 0; guess < 10; ++guess) {
    for (const std::string_view name : {"a", "d", "h"}) {
      const Property* found = structures.root().find(name, guess);
      ASSERT_NE(found, nullptr);
      EXPECT_EQ(found->name, name);
    }
    EXPECT_EQ(structures.root().find("i", guess), nullptr);
  }
}

TEST(Structures, KeepExtensions) {
  const Structures structures = read(R"({"type": "object", "properties": {
    "list": {"type": "array", "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["x", "y"]},
    "map": {"type": "object", "x-kubernetes-map-type": "atomic", "x-kubernetes-preserve-unknown-fields": true},
    "pod": {"type": "object", "x-kubernetes-embedded-resource": true}}})");
  const Structure& root = structures.root();
  EXPECT_TRUE(root.has_embedded);
  EXPECT_TRUE(root.has_list_types);
  EXPECT_FALSE(root.embedded_resource);
  const Structure& list = *root.find("list")->structure;
  EXPECT_EQ(list.list_type, ListType::kMap);
  ASSERT_EQ(list.keys().size(), 2U);
  EXPECT_EQ(list.keys()[1], "y");
  EXPECT_EQ(root.find("map")->structure->map_type, MapType::kAtomic);
  EXPECT_TRUE(root.find("map")->structure->preserves_unknown);
  EXPECT_TRUE(root.find("pod")->structure->embedded_resource);
}

TEST(Structures, KeepDefaults) {
  const Structures structures = read(R"({"type": "object", "properties": {
    "a": {"type": "object", "default": {"x": [1]}}, "b": {"type": "string", "default": null}}})");
  const Structure& root = structures.root();
  EXPECT_TRUE(root.has_defaults);
  EXPECT_EQ(root.default_value, nullptr);
  ASSERT_NE(root.find("a")->structure->default_value, nullptr);
  EXPECT_EQ(root.find("a")->structure->default_value->find("x")->items()[0].as_int(), 1);
  EXPECT_EQ(root.find("b")->structure->default_value, nullptr);
  EXPECT_FALSE(root.find("b")->structure->has_defaults);
}

TEST(Structures, KeepChecks) {
  const Structures structures = read(R"({"type": "integer", "format": "int32", "minimum": 1,
    "exclusiveMinimum": true, "maxLength": 7, "pattern": "^a", "enum": [1, null, "x"],
    "required": ["a"], "uniqueItems": true, "anyOf": [{"minimum": 3}, {"type": "string"}], "not": {}})");
  const Checks* checks = structures.root().checks;
  ASSERT_NE(checks, nullptr);
  EXPECT_EQ(checks->format, Format::kInt32);
  EXPECT_EQ(checks->format_name, "int32");
  EXPECT_EQ(checks->pattern, "^a");
  EXPECT_EQ(checks->number->minimum, 1.0);
  EXPECT_TRUE(checks->number->exclusive_minimum);
  EXPECT_EQ(checks->number->maximum, std::nullopt);
  EXPECT_EQ(checks->size->max_length, 7);
  ASSERT_EQ(checks->choices.size(), 3U);
  EXPECT_EQ(checks->choices[2].as_string(), "x");
  EXPECT_EQ(checks->required[0], "a");
  EXPECT_TRUE(checks->unique_items);
  ASSERT_EQ(checks->combinations->any_of.size(), 2U);
  EXPECT_EQ(checks->combinations->any_of[0]->checks->number->minimum, 3.0);
  EXPECT_EQ(checks->combinations->any_of[1]->kind, StructureKind::kString);
  EXPECT_NE(checks->combinations->negated, nullptr);
  EXPECT_EQ(read(R"({"type": "string"})").root().checks, nullptr);
}

TEST(Structures, LeaveOutFormatsOfOtherTypes) {
  const auto format = [](std::string_view schema) {
    const Structures structures = read(schema);
    return structures.root().checks == nullptr ? Format::kNone : structures.root().checks->format;
  };
  EXPECT_EQ(format(R"({"type": "string", "format": "date-time"})"), Format::kDateTime);
  EXPECT_EQ(format(R"({"type": "string", "format": "int32"})"), Format::kNone);
  EXPECT_EQ(format(R"({"type": "string", "format": "never-heard-of-it-at-all"})"), Format::kNone);
  EXPECT_EQ(format(R"({"format": "ipv4"})"), Format::kIpv4);
  EXPECT_EQ(format(R"({"type": "number", "format": "double"})"), Format::kDouble);
  EXPECT_EQ(format(R"({"type": "number", "format": "int64"})"), Format::kNone);
  EXPECT_EQ(format(R"({"type": "boolean", "format": "date"})"), Format::kNone);
  EXPECT_EQ(format(R"({"x-kubernetes-int-or-string": true, "format": "uri"})"), Format::kUri);
  EXPECT_EQ(read(R"({"type": "boolean", "format": "date"})").root().checks->format_name, "date");
}

// Server-side apply asks whether there is one, not which.
TEST(Structure, KnowsStringsWithFormats) {
  const auto formatted = [](std::string_view schema) { return read(schema).root().formatted; };
  EXPECT_TRUE(formatted(R"({"type": "string", "format": "date-time"})"));
  EXPECT_TRUE(formatted(R"({"type": "string", "format": "never-heard-of-it-at-all"})"));
  EXPECT_FALSE(formatted(R"({"type": "string"})"));
  EXPECT_FALSE(formatted(R"({"type": "string", "format": "byte"})"));
  EXPECT_FALSE(formatted(R"({"type": "integer", "format": "int32"})"));
  const Structures both = read(R"({"type": "object", "properties": {"a": {"type": "string"},
      "b": {"type": "string", "format": "never-heard-of-it-at-all"}}})");
  EXPECT_FALSE(both.root().find("a")->structure->formatted);
  EXPECT_TRUE(both.root().find("b")->structure->formatted);
}

TEST(Structures, LeaveOutWhatHasTheWrongType) {
  for (
      const std::string_view schema :
      {R"([])", R"(3)",
       R"({"type": 3, "properties": [], "items": [], "default": null, "enum": {}})",
       R"({"allOf": {}, "not": [], "required": "x", "pattern": 1, "maximum": "x", "maxItems": 1.5})",
       R"({"additionalProperties": 1, "x-kubernetes-list-type": "else", "nullable": "yes"})"}) {
    SCOPED_TRACE(schema);
    const Structures structures = read(schema);
    EXPECT_EQ(structures.root().kind, StructureKind::kNone);
    EXPECT_EQ(structures.root().checks, nullptr);
    EXPECT_FALSE(structures.root().states_additional);
  }
}

// Many fields with descriptions, as tools write them.
std::string usual_schema(size_t bytes) {
  std::string text =
      R"({"type": "object", "properties": {"spec": {"type": "object", "properties": {)";
  for (size_t i = 0; text.size() < bytes; ++i) {
    if (i > 0) text += ",";
    text +=
        "\"fieldWithName" + std::to_string(i) +
        R"(": {"type": "string", "description": "What the field means and how it is used by those who )"
        R"(read it; text like this is most of a schema."})";
  }
  return text + "}}}}";
}

TEST(Structures, AreSmall) {
  const std::string schema = usual_schema(20'000);
  EXPECT_LT(read(schema).memory(), schema.size() / 3);
  EXPECT_LT(read("{}").memory(), 1024U);
}

TEST(Structures, AreBoundedInSize) {
  std::string schema = R"({"allOf": [{})";
  for (size_t i = 0; i < Structures::kMaxStructures; ++i) schema += ",{}";
  schema += "]}";
  const auto document = json::parse(schema);
  ASSERT_TRUE(document.ok());
  EXPECT_FALSE(Structures::parse(document->root()).ok());
}

}  // namespace
}  // namespace proa::api

#include "cel/types/shape.h"

#include <gtest/gtest.h>

#include "json/parse.h"

namespace proa::cel {
namespace {

Shapes read(std::string_view schema, bool root = false) {
  const auto document = json::parse(schema);
  return Shapes(document->root(), root);
}

std::string type(std::string_view schema) {
  const Shapes shapes = read(schema);
  return shapes.root().type == nullptr ? "hidden" : print_type(*shapes.root().type);
}

TEST(Shapes, HaveTypes) {
  EXPECT_EQ(type(R"({"type": "integer"})"), "int");
  EXPECT_EQ(type(R"({"type": "number"})"), "double");
  EXPECT_EQ(type(R"({"type": "string", "format": "date"})"), "timestamp");
  EXPECT_EQ(type(R"({"type": "string", "format": "duration"})"), "duration");
  EXPECT_EQ(type(R"({"type": "string", "format": "byte"})"), "bytes");
  EXPECT_EQ(type(R"({"type": "string", "format": "hostname"})"), "string");
  EXPECT_EQ(type(R"({"x-kubernetes-int-or-string": true})"), "dyn");
  EXPECT_EQ(type(R"({"type": "array", "items": {"type": "boolean"}})"), "list(bool)");
  EXPECT_EQ(type(R"({"type": "object", "additionalProperties": {"type": "string"}})"),
            "map(string, string)");
  EXPECT_EQ(type(R"({"type": "array", "items": {"type": "object"}})"), "list(selfType.@idx)");
}

TEST(Shapes, HideWhatHasNoType) {
  EXPECT_EQ(type(R"({"x-kubernetes-preserve-unknown-fields": true})"), "hidden");
  EXPECT_EQ(type(R"({"type": "array", "items": {"x-kubernetes-preserve-unknown-fields": true}})"),
            "hidden");
  EXPECT_EQ(type(R"({"type": "array"})"), "hidden");
  EXPECT_EQ(type("{}"), "hidden");
  EXPECT_EQ(type("[]"), "hidden");
}

TEST(Shapes, NameTheirObjectsByTheirPlace) {
  const Shapes shapes = read(
      R"({"type": "object", "properties": {"a-b": {"type": "array", "items": {"type": "object"}}}})");
  const ShapeField* field = shapes.root().field("a-b");
  ASSERT_NE(field, nullptr);
  EXPECT_EQ(field->escaped, "a__dash__b");
  EXPECT_EQ(shapes.root().escaped_field("a__dash__b"), field);
  EXPECT_EQ(shapes.root().escaped_field("a-b"), nullptr);
  EXPECT_EQ(print_type(*field->shape->type), "list(selfType.a__dash__b.@idx)");
}

TEST(Shapes, KnowHowLargeValuesCanBe) {
  const auto most = [](std::string_view schema) { return read(schema).root().max_elements; };
  EXPECT_EQ(most(R"({"type": "string"})"), 3145726U);
  EXPECT_EQ(most(R"({"type": "string", "maxLength": 10})"), 40U);
  EXPECT_EQ(most(R"({"type": "string", "maxLength": -1})"), 0U);
  EXPECT_EQ(most(R"({"type": "string", "enum": ["a", "bcd"]})"), 3U);
  EXPECT_EQ(most(R"({"type": "string", "format": "date-time", "maxLength": 5})"), 32U);
  EXPECT_EQ(most(R"({"type": "string", "format": "byte", "maxLength": 5})"), 5U);
  EXPECT_EQ(most(R"({"type": "array", "items": {"type": "string"}})"), 1048575U);
  EXPECT_EQ(most(R"({"type": "array", "maxItems": 7, "items": {"type": "string"}})"), 7U);
  EXPECT_EQ(most(R"({"type": "object", "additionalProperties": {"type": "string"}})"), 393215U);
}

TEST(Shapes, KnowTheShortestJson) {
  const Shapes shapes = read(R"({"type": "object", "required": ["a", "b", "c"], "properties":
    {"a": {"type": "boolean"}, "b": {"type": "integer", "default": 1}, "c": {}, "d": {"type": "string"}}})");
  EXPECT_EQ(shapes.root().min_size, 2 + 1 + 4 + 4);
  EXPECT_EQ(max_cardinality(shapes.root()), 3145728U / 12);
}

TEST(Shapes, OfResourcesHaveTheirMetadata) {
  const Shapes shapes = read(R"({"type": "object", "properties": {"metadata": {"type": "object"},
    "pod": {"type": "object", "x-kubernetes-embedded-resource": true}}})",
                             true);
  EXPECT_NE(shapes.root().field("apiVersion"), nullptr);
  EXPECT_NE(shapes.root().field("metadata")->shape->field("generateName"), nullptr);
  EXPECT_NE(shapes.root().field("pod")->shape->field("kind"), nullptr);
}

}  // namespace
}  // namespace proa::cel

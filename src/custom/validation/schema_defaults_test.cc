#include "custom/validation/schema_defaults.h"

#include <gtest/gtest.h>

#include "json/parse.h"

namespace proa::custom {
namespace {

std::vector<std::string> problems(std::string_view spec) {
  const auto schema =
      json::parse(R"({"type": "object", "properties": {"spec": )" + std::string(spec) + "}}");
  Patterns patterns;
  Budget budget;
  api::FieldErrors errors;
  const api::Path path("schema");
  EXPECT_TRUE(validate_defaults({.schema = &schema->root(), .minor_version = 36}, path, patterns,
                                budget, errors)
                  .ok());
  return errors.texts();
}

using Texts = std::vector<std::string>;

TEST(SchemaDefaults, AreValuesOfTheirSchema) {
  EXPECT_EQ(problems(R"({"type": "integer", "default": 3})"), Texts{});
  EXPECT_EQ(
      problems(R"({"type": "integer", "default": "x"})"),
      Texts{R"(schema.properties[spec].default: Invalid value: "string":  in body must be of type )"
            R"(integer: "string")"});
  EXPECT_EQ(
      problems(R"({"type": "array", "items": {"type": "integer", "maximum": 1, "default": 2}})"),
      Texts{"schema.properties[spec].items.default: Invalid value: 2:  in body should be less "
            "than or equal to 1"});
}

TEST(SchemaDefaults, HaveNoUnknownFields) {
  EXPECT_EQ(problems(R"({"type": "object", "default": {"x": 1}})"),
            Texts{R"(schema.properties[spec].default: Invalid value: {"x":1}: must not have )"
                  "unknown fields"});
}

TEST(SchemaDefaults, ObeyRules) {
  EXPECT_EQ(problems(R"({"type": "integer", "default": 3, "x-kubernetes-validations":
    [{"rule": "self > 3", "message": "too small"}]})"),
            Texts{"schema.properties[spec].default: Invalid value: 3: too small"});
}

}  // namespace
}  // namespace proa::custom

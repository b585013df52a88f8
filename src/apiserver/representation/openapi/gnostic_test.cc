#include "apiserver/representation/openapi/gnostic.h"

#include <gtest/gtest.h>

#include "api/codec/protobuf/wire.h"
#include "base/strings.h"

namespace proa::apiserver {
namespace {

// The content of the field at a path of numbers, one occurrence per line.
void collect(std::string_view message, std::span<const uint32_t> path, std::string& out) {
  api::WireReader reader(message);
  api::WireField field;
  while (reader.next(field)) {
    if (field.number != path.front()) continue;
    if (path.size() > 1) {
      collect(field.bytes, path.subspan(1), out);
    } else if (field.type == api::WireType::kVarint) {
      out += std::to_string(field.value) + "\n";
    } else {
      out += std::string(field.bytes) + "\n";
    }
  }
  EXPECT_TRUE(reader.done()) << reader.error();
}

std::string at(std::string_view message, std::string_view path) {
  std::vector<uint32_t> numbers;
  for (const std::string_view part : split(path, '.')) {
    numbers.push_back(static_cast<uint32_t>(*parse_uint(part)));
  }
  std::string out;
  collect(message, numbers, out);
  return out;
}

TEST(Gnostic, WritesTheDocumentItself) {
  const std::string message = gnostic_members(
      R"({"swagger":"2.0","info":{"title":"T","version":"v"},)"
      R"("security":[{"BearerToken":[]}],"securityDefinitions":{"BearerToken":)"
      R"({"description":"d","in":"header","name":"authorization","type":"apiKey"}}})");
  EXPECT_EQ(at(message, "1"), "2.0\n");
  EXPECT_EQ(at(message, "2.1"), "T\n");
  EXPECT_EQ(at(message, "2.2"), "v\n");
  EXPECT_EQ(at(message, "12.1.1"), "BearerToken\n");
  EXPECT_EQ(at(message, "13.1.1"), "BearerToken\n");
  EXPECT_EQ(at(message, "13.1.2.2.1"), "apiKey\n");
  EXPECT_EQ(at(message, "13.1.2.2.3"), "header\n");
}

TEST(Gnostic, WritesSchemas) {
  const std::string definition = gnostic_definition(
      "a.B",
      R"({"description":"d","type":"object","required":["x","y"],"properties":{)"
      R"("x":{"type":"array","items":{"$ref":"#/definitions/c"},"x-kubernetes-list-type":"map"},)"
      R"("y":{"type":"object","additionalProperties":{"type":"string","format":"byte"}},)"
      R"("z":{"type":"string","enum":["A","B"]}},)"
      R"("x-kubernetes-group-version-kind":[{"group":"","kind":"B","version":"v1"}]})");
  std::string message;
  begin_gnostic_definitions(message, definition.size());
  message += definition;
  EXPECT_EQ(at(message, "9.1.1"), "a.B\n");
  EXPECT_EQ(at(message, "9.1.2.4"), "d\n");
  EXPECT_EQ(at(message, "9.1.2.22.1"), "object\n");
  EXPECT_EQ(at(message, "9.1.2.19"), "x\ny\n");
  EXPECT_EQ(at(message, "9.1.2.25.1.1"), "x\ny\nz\n");
  EXPECT_EQ(at(message, "9.1.2.25.1.2.23.1.1"), "#/definitions/c\n");
  EXPECT_EQ(at(message, "9.1.2.25.1.2.31.1"), "x-kubernetes-list-type\n");
  EXPECT_EQ(at(message, "9.1.2.25.1.2.31.2.2"), "\"map\"\n");
  EXPECT_EQ(at(message, "9.1.2.25.1.2.21.1.2"), "byte\n");
  EXPECT_EQ(at(message, "9.1.2.25.1.2.20.2"), "\"A\"\n\"B\"\n");
  EXPECT_EQ(at(message, "9.1.2.31.2.2"), "[{\"group\":\"\",\"kind\":\"B\",\"version\":\"v1\"}]\n");
}

TEST(Gnostic, WritesPathsAndParameters) {
  const std::string path = gnostic_path(
      "/x/{name}",
      R"({"patch":{"operationId":"patchX","tags":["t"],"consumes":["a","b"],"produces":["c"],)"
      R"("schemes":["https"],"parameters":[{"in":"body","name":"body","required":true,)"
      R"("schema":{"$ref":"#/definitions/p"}},{"in":"query","name":"force","type":"boolean",)"
      R"("uniqueItems":true},{"$ref":"#/parameters/q"}],"responses":{"200":{"description":"OK",)"
      R"("schema":{"type":"string"}},"401":{"description":"no"}},"x-kubernetes-action":"patch"},)"
      R"("parameters":[{"in":"path","name":"name","required":true,"type":"string"}]})");
  const std::string parameter =
      gnostic_parameter("q", R"({"in":"query","name":"q","type":"integer"})");
  std::string message;
  begin_gnostic_paths(message, path.size());
  message += path;
  begin_gnostic_parameters(message, parameter.size());
  message += parameter;
  EXPECT_EQ(at(message, "8.2.1"), "/x/{name}\n");
  EXPECT_EQ(at(message, "8.2.2.8.5"), "patchX\n");
  EXPECT_EQ(at(message, "8.2.2.8.6"), "c\n");
  EXPECT_EQ(at(message, "8.2.2.8.7"), "a\nb\n");
  EXPECT_EQ(at(message, "8.2.2.8.8.1.1.2"), "body\n");
  EXPECT_EQ(at(message, "8.2.2.8.8.1.1.4"), "1\n");
  EXPECT_EQ(at(message, "8.2.2.8.8.1.1.5.1"), "#/definitions/p\n");
  EXPECT_EQ(at(message, "8.2.2.8.8.1.2.3.4"), "force\n");
  EXPECT_EQ(at(message, "8.2.2.8.8.1.2.3.6"), "boolean\n");
  EXPECT_EQ(at(message, "8.2.2.8.8.1.2.3.20"), "1\n");
  EXPECT_EQ(at(message, "8.2.2.8.8.2.1"), "#/parameters/q\n");
  EXPECT_EQ(at(message, "8.2.2.8.9.1.1"), "200\n401\n");
  EXPECT_EQ(at(message, "8.2.2.8.9.1.2.1.1"), "OK\nno\n");
  EXPECT_EQ(at(message, "8.2.2.8.9.1.2.1.2.1.22.1"), "string\n");
  EXPECT_EQ(at(message, "8.2.2.8.13.2.2"), "\"patch\"\n");
  EXPECT_EQ(at(message, "8.2.2.9.1.2.4.4"), "name\n");
  EXPECT_EQ(at(message, "8.2.2.9.1.2.4.5"), "string\n");
  EXPECT_EQ(at(message, "10.1.1"), "q\n");
  EXPECT_EQ(at(message, "10.1.2.2.3.4"), "q\n");
}

}  // namespace
}  // namespace proa::apiserver

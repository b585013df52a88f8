#include "apiserver/representation/openapi/foreign/converted_spec.h"

#include <gtest/gtest.h>

#include "api/schema/builtin.h"
#include "apiserver/representation/openapi/openapi.h"
#include "base/encoding.h"
#include "crypto/digest.h"
#include "json/parse.h"
#include "json/print.h"

namespace proa::apiserver {
namespace {

ForeignSpec read(const std::string& json) {
  return read_foreign_spec(json, "wardle.example.com", "v1").value();
}

TEST(ConvertToVersion3, ConvertsPaths) {
  const ForeignSpec spec = read(
      R"({"swagger":"2.0","info":{"title":"wardle","version":"v0"},"paths":{)"
      R"("/apis/wardle.example.com/v1/flunders":{"parameters":[{"name":"pretty","in":"query",)"
      R"("type":"string","uniqueItems":true}],"post":{"operationId":"create","tags":["t"],)"
      R"("consumes":["*/*"],"produces":["application/json","application/yaml"],"schemes":["https"],)"
      R"("parameters":[{"name":"body","in":"body","required":true,"schema":{"$ref":)"
      R"("#/definitions/Flunder"}},{"$ref":"#/parameters/dry"}],"responses":{"200":{)"
      R"("description":"OK","schema":{"$ref":"#/definitions/Flunder"}},"401":{"description":"No"}},)"
      R"("x-kubernetes-action":"post"}}},"parameters":{"dry":{"name":"dryRun","in":"query",)"
      R"("type":"boolean"}},"definitions":{"Flunder":{"type":"object"}},"securityDefinitions":{)"
      R"("Token":{"type":"apiKey","name":"authorization","in":"header"}}})");
  const std::string schema = R"({"schema":{"$ref":"#/components/schemas/Flunder"}})";
  const std::string expected =
      R"({"openapi":"3.0.0","info":{"title":"wardle","version":"v0"},"paths":{)"
      R"("/apis/wardle.example.com/v1/flunders":{"post":{"tags":["t"],"operationId":"create",)"
      R"("parameters":[{"$ref":"#/components/parameters/dry"}],"requestBody":{"content":{"*/*":)" +
      schema + R"(}},"responses":{"200":{"description":"OK","content":{"application/json":)" +
      schema + R"(,"application/yaml":)" + schema +
      R"(}},"401":{"description":"No"}},"x-kubernetes-action":"post"},"parameters":[{"name":)"
      R"("pretty","in":"query","schema":{"type":"string","uniqueItems":true}}]}},"components":{)"
      R"("schemas":{"Flunder":{"type":"object"}},"parameters":{"dry":{"name":"dryRun","in":"query",)"
      R"("schema":{"type":"boolean"}}},"securitySchemes":{"Token":{"type":"apiKey","name":)"
      R"("authorization","in":"header"}}}})";
  EXPECT_EQ(convert_to_version3(spec)->text.view(), expected);
}

TEST(ConvertToVersion3, ConvertsSchemas) {
  const ForeignSpec spec = read(
      R"({"paths":{"/apis/wardle.example.com/v1/flunders":{"get":{"responses":{"200":{)"
      R"("description":"OK","schema":{"$ref":"#/definitions/A"}}}}}},"definitions":{"A":{)"
      R"("properties":{"items":{"type":"array","items":{"$ref":"#/definitions/B"}},)"
      R"("spec":{"$ref":"#/definitions/B","description":"d","default":{}},)"
      R"("more":{"additionalProperties":{"$ref":"#/definitions/B"}}}},"B":{"type":"string"}}})");
  const std::string text = convert_to_version3(spec)->text.str();
  const json::Document document = json::parse(text).value();
  const std::string_view name = "A";
  EXPECT_EQ(
      json::print(*api::View(document.root())["components"]["schemas"][name].value()),
      R"({"properties":{"items":{"type":"array","items":{"$ref":"#/components/schemas/B"}},)"
      R"("spec":{"allOf":[{"$ref":"#/components/schemas/B"}],"description":"d","default":{}},)"
      R"("more":{"additionalProperties":{"$ref":"#/components/schemas/B"}}}})");
  EXPECT_EQ(text.find("#/definitions"), std::string::npos);
}

// An operation that answers with a schema of its own, in these media types.
ForeignSpec answering_in(const std::string& media, size_t bytes) {
  return read(R"({"paths":{"/apis/wardle.example.com/v1/flunders":{"get":{"produces":[)" + media +
              R"(],"responses":{"200":{"description":"OK","schema":{"description":")" +
              std::string(bytes, 'a') + R"("}}}}}}})");
}

TEST(ConvertToVersion3, WritesEqualMediaTypesOnce) {
  std::string media = R"("text/plain")";
  for (int i = 0; i < 1000; ++i) media += R"(,"application/json")";
  const ConvertedSpecPtr converted = convert_to_version3(answering_in(media, 100'000));
  ASSERT_NE(converted, nullptr);
  EXPECT_GT(converted->text.size(), 200'000U);
  EXPECT_LT(converted->text.size(), 201'000U);
}

TEST(ConvertToVersion3, IsBounded) {
  std::string media = R"("type/0")";
  for (int i = 1; i < 1000; ++i) media += ",\"type/" + std::to_string(i) + "\"";
  EXPECT_NE(convert_to_version3(answering_in(media, 30'000)), nullptr);
  EXPECT_EQ(convert_to_version3(answering_in(media, 40'000)), nullptr);
}

TEST(ConvertToVersion3, IsServedAndInTheIndex) {
  const ConvertedSpecPtr spec = convert_to_version3(
      read(R"({"paths":{"/apis/wardle.example.com/v1/flunders":{"get":{"responses":{}}}}})"));
  ASSERT_NE(spec, nullptr);
  OpenApi openapi(api::builtin_schema(), {});
  openapi.add_converted("apis/wardle.example.com/v1", spec);
  const std::string index = openapi.answer({.path = "/openapi/v3"}).body.str();
  const std::string begin = "/openapi/v3/apis/wardle.example.com/v1?hash=";
  const size_t at = index.find(begin);
  ASSERT_NE(at, std::string::npos) << index;
  const std::string hash = index.substr(at + begin.size(), 128);
  const std::string path = "/openapi/v3/apis/wardle.example.com/v1";
  const OpenApi::Response response = openapi.answer({.path = path, .hash = hash});
  EXPECT_EQ(response.code, 200);
  EXPECT_EQ(response.body.owner(), spec->text.owner()) << "not converted again";
  EXPECT_EQ(hash, to_upper_hex(crypto::sha512(response.body.view()).view()));
  EXPECT_EQ(openapi.answer({.path = path, .hash = "OLD"}).code, 301);
  const std::string tag = "\"" + hash + "\"";
  EXPECT_EQ(openapi.answer({.path = path, .if_none_match = tag}).code, 304);
  EXPECT_EQ(openapi.answer({.path = path + "beta1"}).code, 404);
}

}  // namespace
}  // namespace proa::apiserver

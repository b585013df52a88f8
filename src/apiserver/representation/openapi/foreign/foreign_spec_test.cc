#include "apiserver/representation/openapi/foreign/foreign_spec.h"

#include <gtest/gtest.h>

#include "api/object/view.h"
#include "api/schema/builtin.h"
#include "apiserver/representation/openapi/openapi.h"
#include "json/parse.h"

namespace proa::apiserver {
namespace {

std::string document(const std::string& definitions) {
  return R"({"swagger":"2.0","paths":{"/apis/wardle.example.com/v1/flunders":{"get":{)"
         R"("parameters":[{"$ref":"#/parameters/pretty-1"}],"responses":{"200":{)"
         R"("description":"OK","schema":{"$ref":"#/definitions/Flunder"}}}}},)"
         R"("/apis/apps/v1/deployments":{"get":{}}},"definitions":{)" +
         definitions + R"(},"parameters":{"pretty-1":{"in":"query","name":"pretty"},)" +
         R"("other-1":{"in":"query","name":"other"}}})";
}

ForeignSpecPtr read(const std::string& json) {
  auto spec = read_foreign_spec(json, "wardle.example.com", "v1");
  return spec ? std::make_shared<const ForeignSpec>(std::move(*spec)) : nullptr;
}

const TakenNames kNoneTaken{.definition = [](std::string_view) { return false; },
                            .parameter = [](std::string_view) { return false; }};

TEST(ReadForeignSpec, KeepsTheVersionAndWhatItNeeds) {
  const ForeignSpecPtr spec =
      read(document(R"("Flunder":{"type":"object","properties":{"spec":{"$ref":)"
                    R"("#/definitions/Spec"}}},"Spec":{"additionalProperties":true},)"
                    R"("Unused":{"type":"object"})"));
  ASSERT_NE(spec, nullptr);
  ASSERT_EQ(spec->paths.size(), 1U);
  EXPECT_TRUE(spec->paths.contains("/apis/wardle.example.com/v1/flunders"));
  EXPECT_EQ(spec->definitions.size(), 2U);
  EXPECT_EQ(spec->definitions.at("Spec"), R"({"additionalProperties":{}})");
  EXPECT_EQ(spec->parameters.size(), 1U);
  EXPECT_FALSE(spec->hash.empty());
}

TEST(ReadForeignSpec, RefusesWhatNoDocumentCanHave) {
  for (const std::string& garbage :
       {std::string("garbage"), std::string("[]"),
        document(""),  // a reference to nothing
        document(R"("Flunder":5)"), document(R"("Flunder":{"type":{}})"),
        document(R"("Flunder":{"properties":[1]})"),
        document(R"("Flunder":{"items":{"$ref":"https://evil.example.com/"}})")}) {
    SCOPED_TRACE(garbage);
    EXPECT_EQ(read(garbage), nullptr);
  }
}

// Each '<' is printed as six bytes.
TEST(ReadForeignSpec, RefusesWhatIsTooLongOncePrinted) {
  const std::string description = R"({"description":")" + std::string(11'000'000, '<') + R"("})";
  EXPECT_EQ(read(document(R"("Flunder":)" + description)), nullptr);
  const std::string path = R"({"swagger":"2.0","paths":{"/apis/wardle.example.com/v1/flunders":)";
  EXPECT_EQ(read(path + R"({"get":)" + description + "}}}"), nullptr);
  const std::string rest = path + R"({"get":{}}},)";
  EXPECT_NE(read(rest + R"("info":{}})"), nullptr);
  EXPECT_EQ(read(rest + R"("info":)" + description + "}"), nullptr);
  EXPECT_EQ(read(rest + R"("securityDefinitions":{"Token":)" + description + "}}"), nullptr);
}

TEST(ReadForeignSpec, RefusesTooMuchAltogether) {
  const auto with = [](int count) {
    std::string properties;
    std::string definitions;
    for (int i = 0; i < count; ++i) {
      const std::string name = "Part" + std::to_string(i);
      properties += (i == 0 ? "\"" : ",\"") + name + R"(":{"$ref":"#/definitions/)" + name + "\"}";
      definitions += ",\"" + name + R"(":{"description":")" + std::string(1'000'000, '<') + R"("})";
    }
    return read(document(R"("Flunder":{"properties":{)" + properties + "}}" + definitions));
  };
  const ForeignSpecPtr some = with(5);
  ASSERT_NE(some, nullptr);
  EXPECT_EQ(with(6), nullptr);
  // What is accepted is read again with longer references.
  const ForeignSpecPtr other = read(document(R"("Flunder":{"type":"string"})"));
  const ForeignSpecPtr both[] = {other, some};
  const ForeignSpec merged = merge_foreign_specs(both, kNoneTaken);
  EXPECT_EQ(merged.definitions.at("Part4"), some->definitions.at("Part4"));
  EXPECT_TRUE(merged.definitions.contains("Flunder_v2"));
}

TEST(MergeForeignSpecs, RenamesWhatDiffers) {
  const ForeignSpecPtr one = read(document(R"("Flunder":{"type":"object"})"));
  const ForeignSpecPtr other = read(document(R"("Flunder":{"type":"string"})"));
  ASSERT_NE(one, nullptr);
  ASSERT_NE(other, nullptr);
  const ForeignSpecPtr both[] = {one, one, other};
  const ForeignSpec merged = merge_foreign_specs(both, kNoneTaken);
  ASSERT_EQ(merged.definitions.size(), 2U);
  EXPECT_EQ(merged.definitions.at("Flunder"), R"({"type":"object"})");
  EXPECT_EQ(merged.definitions.at("Flunder_v2"), R"({"type":"string"})");
  // This server's own name stays its own.
  TakenNames taken = kNoneTaken;
  taken.definition = [](std::string_view name) { return name == "Flunder"; };
  const ForeignSpecPtr alone[] = {one};
  const ForeignSpec renamed = merge_foreign_specs(alone, taken);
  EXPECT_TRUE(renamed.definitions.contains("Flunder_v2"));
  EXPECT_NE(renamed.paths.begin()->second.find(R"("#/definitions/Flunder_v2")"), std::string::npos);
  EXPECT_NE(renamed.paths.begin()->second.find(R"("#/parameters/pretty-1")"), std::string::npos);
}

// A document with the part of another server, in both encodings.
TEST(ForeignSpec, IsPartOfTheDocument) {
  const ForeignSpecPtr spec =
      read(document(R"("Flunder":{"type":"object"},"Spare":{"type":"object"})"));
  ASSERT_NE(spec, nullptr);
  const auto answer = [&](std::string_view accept, const ForeignSpecPtr& with) {
    OpenApi openapi(api::builtin_schema(), api::builtin_schema().resources());
    if (with != nullptr) openapi.add_foreign(with);
    return openapi.answer(
        {.path = "/openapi/v2", .hash = {}, .accept = accept, .if_none_match = {}, .now = {}});
  };
  const OpenApi::Response json = answer("application/json", spec);
  const auto parsed = json::parse(json.body.view());
  ASSERT_TRUE(parsed.ok()) << parsed.status().message();
  const api::View root(parsed->root());
  constexpr std::string_view kPaths = "paths";
  EXPECT_TRUE(root[kPaths]["/apis/wardle.example.com/v1/flunders"].exists());
  EXPECT_TRUE(root["definitions"]["Flunder"].exists());
  EXPECT_TRUE(root["parameters"]["pretty-1"].exists());
  const OpenApi::Response plain = answer("application/json", nullptr);
  EXPECT_NE(json.headers, plain.headers);  // another ETag
  const std::string_view kProtobuf = "application/com.github.proto-openapi.spec.v2.v1.0+protobuf";
  const OpenApi::Response protobuf = answer(kProtobuf, spec);
  EXPECT_NE(protobuf.body.view().find("/apis/wardle.example.com/v1/flunders"),
            std::string_view::npos);
  EXPECT_GT(protobuf.body.size(), answer(kProtobuf, nullptr).body.size());
}

}  // namespace
}  // namespace proa::apiserver

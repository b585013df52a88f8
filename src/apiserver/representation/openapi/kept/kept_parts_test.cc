#include "apiserver/representation/openapi/kept/kept_parts.h"

#include <gtest/gtest.h>

namespace proa::apiserver {
namespace {

custom::DefinitionPtr ships() {
  return custom::Definition::
      make(api::Object::make(
               R"({"metadata":{"name":"ships.example.com","resourceVersion":"7"},"spec":{"group":"example.com",)"
               R"("names":{"plural":"ships","kind":"Ship","listKind":"ShipList"},"versions":[)"
               R"({"name":"v1","served":true,"storage":true},{"name":"v2","served":true,"storage":false}]}})"))
          .value();
}

struct Document {
  KeptParts parts(DocumentEncoding encoding) {
    return {encoding, "paths of Example", [this](const custom::CustomResource& resource) {
              ++made;
              const std::string name = std::string(resource.version) + std::to_string(made);
              return EncodedParts{.paths = "paths of " + name, .schemas = "schemas of " + name};
            }};
  }
  int made = 0;
};

TEST(KeptParts, AreMadeOnceForAllDocuments) {
  const custom::DefinitionPtr definition = ships();
  const custom::CustomResource& v1 = definition->versions()[0];
  Document document;
  for (int i = 0; i < 2; ++i) {
    KeptParts parts = document.parts(DocumentEncoding::kJson);
    std::string out;
    parts.add_paths(v1, out);
    parts.add_schemas(v1, out);
    EXPECT_EQ(out, "paths of v11schemas of v11");
  }
  EXPECT_EQ(document.made, 1);
}

TEST(KeptParts, DifferByVersionAndEncoding) {
  const custom::DefinitionPtr definition = ships();
  Document document;
  KeptParts json = document.parts(DocumentEncoding::kJson);
  KeptParts protobuf = document.parts(DocumentEncoding::kProtobuf);
  std::string out;
  json.add_paths(definition->versions()[0], out);
  json.add_paths(definition->versions()[1], out);
  protobuf.add_paths(definition->versions()[0], out);
  json.add_paths(definition->versions()[0], out);
  EXPECT_EQ(out, "paths of v11paths of v22paths of v13paths of v11");
}

// A change makes another definition with another object.
TEST(KeptParts, GoWithTheDefinition) {
  Document document;
  KeptParts parts = document.parts(DocumentEncoding::kJson);
  std::string out;
  for (int i = 0; i < 2; ++i) parts.add_paths(ships()->versions()[0], out);
  EXPECT_EQ(out, "paths of v11paths of v12");
}

}  // namespace
}  // namespace proa::apiserver

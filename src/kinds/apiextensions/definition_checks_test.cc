#include "kinds/apiextensions/definition_checks.h"

#include <gtest/gtest.h>

#include "json/parse.h"
#include "kinds/apiextensions/versions.h"

namespace proa::kinds::crd {
namespace {

// `schema`: of the last version; the others have none but a type.
json::Document definition(size_t versions, const std::string& schema = R"({"type":"object"})") {
  std::string text = R"({"spec":{"versions":[)";
  for (size_t i = 1; i <= versions; ++i) {
    text += i == 1 ? "" : ",";
    text += R"({"name":"v)" + std::to_string(i) + R"(","served":true,"storage":)" +
            (i == 1 ? "true" : "false") + R"(,"schema":{"openAPIV3Schema":)" +
            (i == versions ? schema : R"({"type":"object"})") + "}}";
  }
  return json::parse(text + "]}}").value();
}

std::vector<std::string> problems(const json::Document& definition,
                                  const DefinitionChecks& checks) {
  api::FieldErrors errors;
  validate_versions(View(definition.root())["spec"], checks, api::Path("spec"), errors);
  return errors.texts();
}

TEST(DefinitionChecks, VersionsAreCounted) {
  EXPECT_EQ(problems(definition(kMaxVersions), {}), std::vector<std::string>());
  const std::vector<std::string> too_many = {
      "spec.versions: Too many: 10000: must have at most 100 items"};
  EXPECT_EQ(problems(definition(10'000), {}), too_many);
}

TEST(DefinitionChecks, StoredVersionsMayRemain) {
  const json::Document old = definition(200);
  const json::Document more = definition(201);
  EXPECT_EQ(problems(old, checks_of_update(old.root(), old.root())), std::vector<std::string>());
  const std::vector<std::string> too_many = {
      "spec.versions: Too many: 201: must have at most 200 items"};
  EXPECT_EQ(problems(more, checks_of_update(more.root(), old.root())), too_many);
}

TEST(DefinitionChecks, FindUnchangedSchemas) {
  const json::Document old = definition(3);
  const json::Document other = definition(3, R"({"type":"object","title":"other"})");
  using Names = std::set<std::string_view>;
  EXPECT_EQ(checks_of_update(old.root(), old.root()).unchanged_schemas, Names({"v1", "v2", "v3"}));
  EXPECT_EQ(checks_of_update(other.root(), old.root()).unchanged_schemas, Names({"v1", "v2"}));
  EXPECT_EQ(checks_of_update(other.root(), other.root()).unchanged_schemas,
            Names({"v1", "v2", "v3"}));
  const json::Document more = definition(4);
  // What all versions share counts for names that they do not have, too.
  EXPECT_EQ(checks_of_update(more.root(), old.root()).unchanged_schemas,
            Names({"v1", "v2", "v3", "v4"}));
}

}  // namespace
}  // namespace proa::kinds::crd

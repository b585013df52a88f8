#include "apiserver/representation/openapi/schemas/definitions.h"

#include <gtest/gtest.h>

#include <filesystem>

#include "api/schema/builtin.h"
#include "base/strings.h"
#include "testkit/golden.h"

namespace proa::apiserver {
namespace {

const api::Type& find(std::string_view name) {
  const api::Type* type = api::builtin_schema().find_openapi("io.k8s." + std::string(name));
  CHECK(type != nullptr);
  return *type;
}

// "v3 api.core.v1.ContainerPort": the schema. "names v3 api...": the names of all types it needs.
std::string run(std::string_view command) {
  const bool names_only = command.starts_with("names ");
  if (names_only) command.remove_prefix(6);
  const auto halves = split_once(command, ' ');
  Definitions definitions(halves->before == "v2" ? Dialect::kVersion2 : Dialect::kVersion3,
                          {{.group = "apps", .version = "v1"}});
  const api::Type& type = find(halves->after);
  std::string reference;
  JsonText out(reference);
  definitions.write_reference(out, type);
  std::string text = reference + "\n";
  definitions.for_each([&](std::string_view name, std::string_view schema) {
    if (names_only) text += std::string(name) + "\n";
    if (!names_only && name == type.openapi) text += std::string(schema) + "\n";
  });
  return text;
}

TEST(Definitions, AreThoseOfUpstream) {
  testkit::run_golden(std::filesystem::path(__FILE__).parent_path() / "testdata/definitions.txt",
                      run);
}

TEST(Definitions, AreEmptyUntilSomethingIsNeeded) {
  Definitions definitions(Dialect::kVersion3, {});
  EXPECT_TRUE(definitions.empty());
  std::string text;
  JsonText out(text);
  definitions.write_reference(out, find("api.core.v1.Pod"));
  EXPECT_FALSE(definitions.empty());
}

}  // namespace
}  // namespace proa::apiserver

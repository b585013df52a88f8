#include "cli/command_line/version_document.h"

#include <gtest/gtest.h>

#include "cli/command_line/build_info.h"

namespace proa::cli {
namespace {

TEST(VersionDocument, IsWhatKubernetesAnswersAtVersion) {
  const json::Document document = version_document();
  const auto text = [&](std::string_view key) -> std::string_view {
    const json::Value* value = document.root().find(key);
    return value == nullptr ? "(missing)" : value->as_string();
  };
  EXPECT_EQ(text("major"), "1");
  EXPECT_EQ(text("minor"), "36");
  EXPECT_EQ(text("emulationMajor"), "1");
  EXPECT_EQ(text("emulationMinor"), "36");
  EXPECT_EQ(text("minCompatibilityMajor"), "1");
  EXPECT_EQ(text("minCompatibilityMinor"), "35");
  EXPECT_TRUE(text("gitVersion").starts_with("v1.36.")) << text("gitVersion");
  EXPECT_NE(text("gitVersion").find("+proa-"), std::string_view::npos);
  EXPECT_TRUE(text("platform").starts_with("linux/"));
  for (const char* key : {"gitCommit", "gitTreeState", "buildDate", "goVersion", "compiler"}) {
    EXPECT_NE(text(key), "(missing)") << key;
  }
}

TEST(BuildInfo, StatesTheCompiler) {
  EXPECT_NE(build_info().compiler.find("++ "), std::string_view::npos) << build_info().compiler;
}

}  // namespace
}  // namespace proa::cli

#include "cli/command_line/variables.h"

#include <gtest/gtest.h>

#include "cli/commands/table.h"

namespace proa::cli {
namespace {

using Texts = std::vector<std::string>;

TEST(VariableWarnings, NameTheSettingThatIsMeant) {
  const Command root = program_commands();
  EXPECT_EQ(variable_warnings(root, {"PROA_LOG_LEVL=debug", "PROA_DATA_DRI=there", "HOME=there"}),
            (Texts{"PROA_DATA_DRI is not a setting; did you mean 'PROA_DATA_DIR'?",
                   "PROA_LOG_LEVL is not a setting; did you mean 'PROA_LOG_LEVEL'?"}));
}

TEST(VariableWarnings, AreNotForSettingsOfOtherCommandsNorForOtherPrograms) {
  const Command root = program_commands();
  EXPECT_EQ(
      variable_warnings(root, {"PROA_LOG_LEVEL=debug", "PROA_DATA_DIR=there", "PROA_TOKEN=a",
                               "PROA_TEST_RECORD=there", "PROA_BUILD_CLIENTS=1", "PROA_STARTED=1",
                               "PROA_SERVICE_PORT_HTTPS=443", "PROA_=1", "PROAX=1"}),
      Texts());
}

TEST(VariableWarnings, NeverShowAValue) {
  for (const std::string& text : variable_warnings(program_commands(), {"PROA_TOKN=secret"})) {
    EXPECT_EQ(text.find("secret"), std::string::npos) << text;
  }
}

}  // namespace
}  // namespace proa::cli

// Runs the program itself, as a user does: words in; output, errors and exit code out.
#include <gtest/gtest.h>

#include "program.h"

namespace proa::e2e {
namespace {

TEST(CommandLine, VersionNamesTheKubernetesReleaseAndOurs) {
  const Outcome text = run_program("version");
  EXPECT_EQ(text.code, 0);
  EXPECT_NE(text.text.find("v1.36."), std::string::npos) << text.text;
  const Outcome json = run_program("version -o json");
  EXPECT_EQ(json.code, 0);
  EXPECT_NE(json.text.find("+proa-"), std::string::npos) << json.text;
  EXPECT_TRUE(json.text.starts_with("{")) << json.text;
  EXPECT_NE(run_program("version -o yaml").text.find("gitVersion: v1.36."), std::string::npos);
}

TEST(CommandLine, HelpIsThereForEveryCommand) {
  EXPECT_EQ(run_program("").code, 0);
  for (const char* command : {"", "version", "completion", "store", "store check", "up",
                              "scheduler", "explain-pending", "help"}) {
    SCOPED_TRACE(command);
    const Outcome help = run_program(std::string("help ") + command);
    EXPECT_EQ(help.code, 0);
    EXPECT_NE(help.text.find("Usage: proa"), std::string::npos);
    EXPECT_EQ(run_program(std::string(command) + " --help").text, help.text);
  }
}

TEST(CommandLine, WrongWordsEndWithTwoAndASuggestion) {
  const Outcome outcome = run_program("stroe");
  EXPECT_EQ(outcome.code, 2);
  EXPECT_NE(outcome.text.find("did you mean 'store'?"), std::string::npos) << outcome.text;
  EXPECT_EQ(run_program("store check").code, 2);
  EXPECT_EQ(run_program("version -o xml").code, 2);
}

TEST(CommandLine, SettingsComeFromFlagEnvironmentAndFile) {
  const TemporaryFolder folder;
  const std::string config = folder.file("config.yaml", "output: json\n");
  const std::string with_config = "PROA_CONFIG=" + config;
  EXPECT_TRUE(run_program("version", with_config).text.starts_with("{"));
  EXPECT_NE(run_program("version", with_config + " PROA_OUTPUT=yaml").text.find("gitVersion: v1"),
            std::string::npos);
  EXPECT_TRUE(
      run_program("version -o text", with_config + " PROA_OUTPUT=yaml").text.starts_with("Proa"));
  folder.file("config.yaml.d/10.yaml", "output: yaml\n");
  EXPECT_NE(run_program("version", with_config).text.find("gitVersion: v1"), std::string::npos);
}

TEST(CommandLine, UnknownSettingsAreRefused) {
  const TemporaryFolder folder;
  const std::string config = folder.file("config.yaml", "log-levle: debug\n");
  const Outcome outcome = run_program("version --config " + config);
  EXPECT_EQ(outcome.code, 2);
  EXPECT_NE(outcome.text.find("did you mean 'log-level'?"), std::string::npos) << outcome.text;
  EXPECT_EQ(run_program("version --config " + folder.path() + "/missing.yaml").code, 2);
}

TEST(CommandLine, StoreCommandsRefuseWhatIsNoStore) {
  const TemporaryFolder folder;
  folder.file("notes.txt", "not a store");
  for (const char* command : {"inspect", "check", "compact"}) {
    SCOPED_TRACE(command);
    const Outcome outcome = run_program(std::string("store ") + command + " " + folder.path());
    EXPECT_EQ(outcome.code, 1) << outcome.text;
    EXPECT_NE(outcome.text.find(folder.path()), std::string::npos) << outcome.text;
    EXPECT_EQ(run_program(std::string("store ") + command + " " + folder.path() + "/nowhere").code,
              1);
  }
}

TEST(CommandLine, CompletionWorksWhenSourced) {
  const TemporaryFolder folder;
  const std::string script =
      folder.file("try.bash", "source <(" + program() +
                                  " completion bash)\nCOMP_WORDS=(proa store "
                                  "ch)\nCOMP_CWORD=2\n_proa\necho \"${COMPREPLY[@]}\"\n");
  EXPECT_EQ(run_shell("bash --norc " + script).text, "check\n");
}

TEST(CommandLine, CompletionWorksInFish) {
  const std::string line = "fish --no-config -c 'source (" + program() +
                           " completion fish | psub); complete -C \"proa store ch\"'";
  EXPECT_TRUE(run_shell(line).text.starts_with("check\t")) << run_shell(line).text;
}

TEST(CommandLine, CompletionWorksInZsh) {
  const std::string line = "zsh -f -c 'autoload -U compinit && compinit -D; source <(" + program() +
                           " completion zsh); echo ${_comps[proa]}'";
  EXPECT_EQ(run_shell(line).text, "_proa\n");
}

}  // namespace
}  // namespace proa::e2e

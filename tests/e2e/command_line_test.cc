// Runs the program as a user does: arguments in; output, errors and exit code out.
#include <gtest/gtest.h>
#include <unistd.h>

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

TEST(CommandLine, HelpIsPrinted) {
  EXPECT_EQ(run_program("").code, 0);
  for (const char* command : {"", "version", "store check", "help"}) {
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

TEST(CommandLine, WrongFlagsOfANodeRunNothing) {
  struct Case {
    const char* words;
    const char* text;
  };
  const Case cases[] = {
      {"status --grace 1s", "unknown flag --grace of 'status'"},
      {"status -o xml", "'xml' is not one of text, json, yaml"},
      {"status box", "unexpected argument 'box' of 'status'"},
      {"down --grace soon", "--grace: 'soon' is not a duration"},
      {"down --yes", "unknown flag --yes of 'down'"},
      {"uninstall --yes=maybe", "--yes: 'maybe' is neither true nor false"},
      {"node --kubelet-port 65536", "--kubelet-port: '65536' is not a port"},
      {"node --max-pods many", "--max-pods: 'many'"},
      {"node --listen 127.0.0.1:1", "unknown flag --listen of 'node'"},
      {"up --node-nam box", "did you mean '--node-name'?"},
      {"up --kubelet-port x", "--kubelet-port: 'x' is not a port"},
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(c.words);
    const Outcome outcome = run_program(c.words);
    EXPECT_EQ(outcome.code, 2);
    EXPECT_NE(outcome.text.find(c.text), std::string::npos) << outcome.text;
  }
}

TEST(CommandLine, NodesSayWhatTheyMiss) {
  if (geteuid() != 0) GTEST_SKIP() << "the check for root comes first";
  const TemporaryFolder folder;
  struct Case {
    const char* words;
    const char* text;
  };
  const Case cases[] = {
      {"node", "--server is required"},
      {"node --server https://127.0.0.1:1", "pass --token"},
      {"node --server https://127.0.0.1:1 --token abc", "not a join token"},
      {"node --server https://127.0.0.1:1 --node-labels =x", "--node-labels must be NAME=VALUE"},
      {"up --listen 127.0.0.1:0 --pod-cidr 10.0.0.0", "--pod-cidr must be a CIDR"},
      {"up --listen 127.0.0.1:0 --node-name 'A B'", "--node-name"},
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(c.words);
    const Outcome outcome = run_program(c.words + (" --data-dir " + folder.path()) + "/data");
    EXPECT_EQ(outcome.code, 1);
    EXPECT_NE(outcome.text.find(c.text), std::string::npos) << outcome.text;
  }
}

TEST(CommandLine, WhatDoesNotRunIsNeitherLookedAtNorEnded) {
  const TemporaryFolder folder;
  const std::string nowhere = " --data-dir " + folder.path() + "/nowhere";
  for (const char* command : {"status", "down"}) {
    SCOPED_TRACE(command);
    const Outcome outcome = run_program(command + nowhere);
    EXPECT_EQ(outcome.code, 1);
    EXPECT_NE(outcome.text.find(folder.path() + "/nowhere does not exist"), std::string::npos)
        << outcome.text;
  }
  const Outcome removed = run_program("uninstall" + nowhere);
  EXPECT_EQ(removed.code, 0);
  EXPECT_NE(removed.text.find("nothing to remove"), std::string::npos) << removed.text;
  // A foreign folder.
  const std::string other = " --data-dir " + folder.path();
  const std::string notes = folder.file("notes.txt", "not ours");
  EXPECT_EQ(run_program("status" + other).code, 1);
  if (geteuid() != 0) return;
  const Outcome down = run_program("down" + other);
  EXPECT_EQ(down.code, 0);
  EXPECT_NE(down.text.find("Nothing was running."), std::string::npos) << down.text;
  // Without confirmation nothing is removed.
  EXPECT_EQ(run_program("uninstall" + other).code, 1);
  EXPECT_EQ(run_program("uninstall --yes" + other).code, 0);
  EXPECT_TRUE(std::filesystem::exists(notes));
}

TEST(CommandLine, OnlyRootRunsPods) {
  if (geteuid() != 0 || run_shell("command -v setpriv").code != 0) GTEST_SKIP() << "not root";
  const TemporaryFolder folder;
  std::filesystem::permissions(folder.path(), std::filesystem::perms::all);
  // The program may be in a folder that other users cannot access.
  const std::string copy = folder.path() + "/proa";
  std::filesystem::copy_file(program(), copy);
  for (const char* words : {"up --listen 127.0.0.1:0", "node --server https://127.0.0.1:1", "down",
                            "uninstall --yes"}) {
    SCOPED_TRACE(words);
    const Outcome outcome = run_shell("setpriv --reuid 65534 --regid 65534 --clear-groups " + copy +
                                      " " + words + " --data-dir " + folder.path());
    EXPECT_EQ(outcome.code, 1);
    EXPECT_NE(outcome.text.find("requires root"), std::string::npos) << outcome.text;
  }
  // Nothing is created before that is found out.
  const std::string fresh = folder.path() + "/fresh";
  for (const char* words : {"up", "node --server https://127.0.0.1:1"}) {
    EXPECT_EQ(run_shell("setpriv --reuid 65534 --regid 65534 --clear-groups " + copy + " " + words +
                        " --data-dir " + fresh)
                  .code,
              1);
    EXPECT_FALSE(std::filesystem::exists(fresh)) << words;
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

// Runs the program as a user does: arguments in; output, errors and exit code out.
#include <gtest/gtest.h>
#include <unistd.h>

#include <chrono>

#include "program.h"
#include "testkit/patience.h"

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
  EXPECT_EQ(run_program("--version").text, text.text);
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

// Values whose type is right, but which make no sense.
TEST(CommandLine, WrongValuesEndWithTwoBeforeAnythingIsMade) {
  const TemporaryFolder folder;
  struct Case {
    const char* words;
    const char* text;
  };
  const Case cases[] = {
      {"node", "--server is required"},
      {"node --server http://127.0.0.1:1", "--server must be https://"},
      {"node --server https://127.0.0.1:1 --token abc", "not a join token"},
      {"node --server https://127.0.0.1:1 --node-labels =x", "--node-labels must be NAME=VALUE"},
      {"server --max-requests-inflight=-1", "--max-requests-inflight: '-1' is not between"},
      {"up --max-pods -3", "--max-pods: '-3' is not between 0 and 100000"},
      {"up --max-pods 99999999999", "--max-pods: '99999999999' is not between"},
      {"up --pod-cidr 10.0.0.0", "--pod-cidr must be a CIDR"},
      {"up --pod-cidr 10.96.0.0/24", "overlaps with --service-cluster-ip-range"},
      {"up --node-name 'A B'", "--node-name"},
      {"up --node-ip 0.0.0.0", "--node-ip must be"},
      {"up --listen 127.0.0.1:0", "--listen 127.0.0.1:0 is a loopback address"},
      {"up --register-with-taints a", "--register-with-taints must be"},
      {"up --system-reserved cpu=-1", "--system-reserved: cpu must be"},
      {"server --listen here:1", "--listen must be ADDRESS:PORT"},
      {"server --listen 127.0.0.1:65536", "--listen must be ADDRESS:PORT"},
      {"server --advertise-address here", "--advertise-address must be"},
      {"server --tls-san 'a b'", "--tls-san must be"},
      {"server --service-cluster-ip-range 10.96.0.1/16", "--service-cluster-ip-range:"},
      {"server --service-node-port-range 1-0", "--service-node-port-range:"},
      {"server --drain-timeout=-1s", "--drain-timeout: '-1s' is negative"},
      {"server --cluster-cidr 10.0.0.0", "--cluster-cidr must be"},
      {"server --cluster-cidr 10.0.0.0/8 --node-cidr-mask-size 30", "--node-cidr-mask-size 30"},
      {"server --terminated-pod-gc-threshold 99999999999", "--terminated-pod-gc-threshold"},
      {"server --controllers nothing", "--controllers names nothing"},
      {"server --authorization-mode Anything", "--authorization-mode: unknown mode"},
      {"server --enable-admission-plugins None", "--enable-admission-plugins: unknown"},
      {"server --token-auth-file /nowhere", "--token-auth-file: "},
      {"server --scheduler-config /nowhere", "--scheduler-config: "},
      {"kubectl get pods --data-dir /d", "--data-dir belongs before the words of kubectl"},
      {"kubectl get pods --data-dir=/d", "--data-dir belongs before the words of kubectl"},
      {"help nothing", "unknown command 'nothing'"},
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(c.words);
    const Outcome outcome =
        run_program(c.words, "PROA_DATA_DIR=" + folder.path() + "/data PROA_CONFIG=/dev/null");
    EXPECT_EQ(outcome.code, 2);
    EXPECT_NE(outcome.text.find(c.text), std::string::npos) << outcome.text;
    EXPECT_FALSE(std::filesystem::exists(folder.path() + "/data"));
  }
}

TEST(CommandLine, ANodeNeedsATokenForItsFirstStart) {
  if (geteuid() != 0) GTEST_SKIP() << "the check for root comes first";
  const TemporaryFolder folder;
  const Outcome outcome =
      run_program("node --server https://127.0.0.1:1 --data-dir " + folder.path() + "/data");
  EXPECT_EQ(outcome.code, 1);
  EXPECT_NE(outcome.text.find("pass --token"), std::string::npos) << outcome.text;
}

TEST(CommandLine, AServerThatIsNotThereIsReportedAtOnce) {
  if (geteuid() != 0) GTEST_SKIP() << "the check for root comes first";
  const TemporaryFolder folder;
  const auto begin = std::chrono::steady_clock::now();
  const Outcome outcome =
      run_program("node --server https://127.0.0.1:1 --token proa1.abcdef." + std::string(32, '0') +
                  "." + std::string(64, 'a') + " --data-dir " + folder.path() + "/data");
  EXPECT_EQ(outcome.code, 1);
  EXPECT_NE(outcome.text.find("127.0.0.1:1"), std::string::npos) << outcome.text;
  EXPECT_NE(outcome.text.find("refused"), std::string::npos) << outcome.text;
  EXPECT_LT(std::chrono::steady_clock::now() - begin, testkit::patient(std::chrono::seconds(5)));
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

TEST(CommandLine, AListInTheConfigurationIsForSettingsThatTakeOne) {
  const TemporaryFolder folder;
  const auto run = [&](const std::string& settings) {
    return run_program("up --data-dir " + folder.path() + "/data --listen 127.0.0.1:0",
                       "PROA_CONFIG=" + folder.file("config.yaml", settings));
  };
  const Outcome refused = run("max-pods: [1]\n");
  EXPECT_EQ(refused.code, 2);
  EXPECT_NE(refused.text.find("config.yaml: max-pods must be a string, a number, true or false; it "
                              "takes one value"),
            std::string::npos)
      << refused.text;
  // What is wrong here comes later: the list is taken.
  const Outcome taken = run("node-labels: [a=b, c=d]\nauthorization-mode: [Node, RBAC]\n");
  EXPECT_NE(taken.text.find("is a loopback address"), std::string::npos) << taken.text;
}

TEST(CommandLine, WhoLacksRightsIsToldSo) {
  if (geteuid() != 0 || run_shell("command -v setpriv").code != 0) GTEST_SKIP() << "not root";
  const TemporaryFolder folder;
  std::filesystem::permissions(folder.path(), std::filesystem::perms::all);
  const std::string copy = folder.path() + "/proa";
  std::filesystem::copy_file(program(), copy);
  const std::string data = folder.path() + "/data";
  std::filesystem::create_directory(data);
  std::filesystem::permissions(data, std::filesystem::perms::owner_all);
  for (const char* words : {"token list", "status", "kubectl get pods", "kubeconfig"}) {
    SCOPED_TRACE(words);
    const std::string text(words);
    const std::string flag = " --data-dir " + data;
    const std::string line =
        text.starts_with("kubectl") ? "kubectl" + flag + " get pods" : text + flag;
    const Outcome outcome =
        run_shell("setpriv --reuid 65534 --regid 65534 --clear-groups " + copy + " " + line);
    EXPECT_EQ(outcome.code, 1);
    EXPECT_NE(outcome.text.find("Permission denied; try sudo"), std::string::npos) << outcome.text;
  }
}

TEST(CommandLine, OnlyRootRunsPods) {
  if (geteuid() != 0 || run_shell("command -v setpriv").code != 0) GTEST_SKIP() << "not root";
  const TemporaryFolder folder;
  std::filesystem::permissions(folder.path(), std::filesystem::perms::all);
  // The program may be in a folder that other users cannot access.
  const std::string copy = folder.path() + "/proa";
  std::filesystem::copy_file(program(), copy);
  for (const char* words : {"up", "node --server https://127.0.0.1:1", "down", "uninstall --yes"}) {
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

// Drives a server with common clients: kubectl, client-go, and the libraries for Python and Node.
// Their programs are in tests/clients.
#include <gtest/gtest.h>

#include "server.h"
#include "testkit/golden.h"

namespace proa::e2e {
namespace {

namespace fs = std::filesystem;

fs::path clients_folder() {
  const fs::path file(__FILE__);
  // The compiler may have been given a path relative to the build folder, which contains the
  // program.
  const fs::path absolute =
      file.is_absolute() ? file : fs::read_symlink("/proc/self/exe").parent_path() / file;
  return absolute.parent_path().parent_path() / "clients";
}

// A fresh server, and a separate home folder for clients.
class ClientsTest : public testing::Test {
 protected:
  void SetUp() override { ASSERT_TRUE(server_.ready()) << server_.said(); }
  void TearDown() override {
    if (HasFatalFailure()) return;
    EXPECT_EQ(server_.stop(SIGTERM), 0) << server_.said();
  }

  // The output of a script of tests/clients: the path of a client that it fetched or built. Nullopt
  // if it is not available on this machine; the test is skipped with the reason.
  static std::string fetch(const std::string& script) {
    const Outcome outcome = run_shell(clients_folder() / script);
    if (outcome.code == 0) return outcome.text.substr(0, outcome.text.find_last_of('\n'));
    [&] {
      if (outcome.code == 77) GTEST_SKIP() << script << ": " << outcome.text;
      FAIL() << script << " ends with " << outcome.code << ":\n" << outcome.text;
    }();
    return "";
  }

  Outcome run(const std::string& command) const {
    fs::create_directories(home_);
    return run_shell("cd " + home_ + " && env HOME=" + home_ + " TMPDIR=" + home_ +
                     " TZ=UTC KUBECONFIG=" + data_dir_ + "/admin.kubeconfig " + command);
  }

  const TemporaryFolder folder_;
  const std::string data_dir_ = folder_.path() + "/data";
  const std::string home_ = folder_.path() + "/home";
  // Without controllers that would change the objects that clients wrote.
  Server server_{data_dir_,
                 "server",
                 {"--controllers",
                  "namespace,serviceaccount,root-ca-certificate-publisher,csrapproving,csrsigning",
                  "--disable-admission-plugins", "StorageObjectInUseProtection"}};
};

// A script of commands, with the kubectl versions that it is for.
struct Script {
  std::string name;
  std::string kubectl;

  friend void PrintTo(const Script& script, std::ostream* out) {
    *out << script.name << ".txt with kubectl " << script.kubectl;
  }
};

class KubectlTest : public ClientsTest, public testing::WithParamInterface<Script> {};

TEST_P(KubectlTest, PrintsWhatItPrintsOfAnyServer) {
  const std::string kubectl =
      fetch(GetParam().kubectl == "1.20" ? "get-kubectl-1.20" : "build-go kubectl");
  if (kubectl.empty()) return;
  const std::string programs = folder_.path() + "/bin";
  fs::create_directories(programs);
  fs::create_symlink(kubectl, programs + "/kubectl");
  const fs::path scripts = clients_folder() / "kubectl";
  testkit::run_golden(scripts / (GetParam().name + ".txt"), [&](std::string_view command) {
    const std::string block = folder_.file(
        "block", std::string(command) + "\ncode=$?; [ $code = 0 ] || echo \"exit code $code\"\n");
    return run("PATH=" + programs + ":$PATH BASH_ENV=" + (scripts / "prelude.bash").string() +
               " timeout 30 bash --norc " + block + " 2>&1 | sed -E -f " +
               (scripts / "mask.sed").string())
        .text;
  });
}

std::vector<Script> scripts() {
  std::vector<Script> all;
  for (const char* kubectl : {"1.20", "1.36"}) {
    for (const char* name :
         {"get", "create", "change", "delete", "apply", "workloads", "cluster"}) {
      all.push_back({name, kubectl});
    }
  }
  // Features or messages that differ between the versions.
  all.push_back({"only-1.20", "1.20"});
  all.push_back({"only-1.36", "1.36"});
  all.push_back({"access", "1.36"});
  all.push_back({"server-side", "1.36"});
  return all;
}

INSTANTIATE_TEST_SUITE_P(Clients, KubectlTest, testing::ValuesIn(scripts()), [](const auto& test) {
  std::string name = test.param.name + "_with_" + test.param.kubectl;
  for (char& c : name) {
    if (c == '.' || c == '-') c = '_';
  }
  return name;
});

// The others are programs that check and report by themselves.
class LibraryTest : public ClientsTest {
 protected:
  void check(const std::string& command) {
    const Outcome outcome = run("timeout 60 " + command);
    EXPECT_EQ(outcome.code, 0) << outcome.text;
  }
};

TEST_F(LibraryTest, ClientGo) {
  const std::string program = fetch("build-go check");
  if (!program.empty()) check(program);
}

TEST_F(LibraryTest, Python) {
  // Not python3 from the PATH: Debian's modules need Debian's Python.
  if (run_shell("/usr/bin/python3 -c 'import kubernetes'").code != 0) {
    GTEST_SKIP() << "the package python3-kubernetes is not installed";
  }
  check("/usr/bin/python3 " + (clients_folder() / "python/check.py").string());
}

TEST_F(LibraryTest, Node) {
  const std::string modules = fetch("get-node");
  if (modules.empty()) return;
  // Modules are resolved relative to the program.
  const fs::path program = folder_.path() + "/check.mjs";
  fs::create_symlink(modules + "/node_modules", folder_.path() + "/node_modules");
  fs::copy_file(clients_folder() / "node/check.mjs", program);
  check("node " + program.string());
}

}  // namespace
}  // namespace proa::e2e

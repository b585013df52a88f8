#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "testkit/kubelet/test_containerd.h"
#include "testkit/patience.h"
#include "testkit/process.h"
#include "tests/e2e/program.h"
#include "tests/e2e/server.h"

// A complete cluster on this machine, started by `proa up`, for tests inside of pods.
namespace proa::node_tests {

inline std::filesystem::path tests_folder() {
  // The compiler may have been given a path relative to this program.
  const auto build = std::filesystem::read_symlink("/proc/self/exe").parent_path();
  return (build / __FILE__).lexically_normal().parent_path().parent_path();
}

// Why the cluster cannot run on this machine; empty if it can. Tests skip with this message.
inline std::string missing() {
  // As upstream, a node whose disk is nearly full accepts no pods.
  const std::filesystem::space_info disk =
      std::filesystem::space(std::filesystem::temp_directory_path());
  if (disk.available < disk.capacity / 100 * 17) return "less than 17 % of the disk is free";
  return testkit::TestContainerd::missing();
}

class Cluster {
 public:
  static constexpr const char* kBusybox = "docker.io/library/busybox:1";

  // On free ports; `flags`: additional ones for `proa up`.
  explicit Cluster(std::vector<std::string> flags = {}) : flags_(std::move(flags)) {
    flags_.insert(flags_.end(), {"--kubelet-port", std::to_string(testkit::free_port()),
                                 "--pod-cidr", own_range()});
    start();
    import_busybox(kBusybox);
  }
  // Removes everything.
  ~Cluster() {
    up_.reset();
    const e2e::Outcome removed =
        e2e::run_program("uninstall --yes --data-dir " + data_dir(), "PROA_LOG_LEVEL=warn");
    EXPECT_EQ(removed.code, 0) << removed.text;
  }
  Cluster(const Cluster&) = delete;
  Cluster& operator=(const Cluster&) = delete;

  void start() {
    up_ = std::make_unique<e2e::Server>(data_dir(), "up", flags_);
    if (!up_->ready()) ADD_FAILURE() << up_->said();
  }
  // Ends only the process, with that signal; pods keep running.
  void stop(int signal) { up_->stop(signal); }
  std::string said() const { return up_->said(); }
  // The port of its API.
  std::string url() const { return up_->url(); }

  std::string data_dir() const { return folder_.path() + "/data"; }
  std::string kubeconfig() const { return data_dir() + "/admin.kubeconfig"; }
  // "/run/proa-1234/containerd.sock"
  std::string socket() const {
    const e2e::Outcome found =
        e2e::run_shell("grep -o '/run/proa[^\"]*containerd.sock' " + data_dir() +
                       "/containerd.toml | grep -v ttrpc | head -n 1");
    return found.text.substr(0, found.text.find('\n'));
  }
  // The ids of containers and sandboxes in the runtime, one per line; `filter`: in ctr's syntax.
  e2e::Outcome containers(const std::string& filter) const {
    // Newer versions also warn about cgroups v1.
    return e2e::run_shell("ctr -a " + socket() + " -n k8s.io containers ls -q '" + filter +
                          "' 2>/dev/null");
  }
  void import_busybox(const std::string& name, const std::string& user = "") const {
    const e2e::Outcome made = e2e::run_shell((tests_folder() / "node/make-busybox-image").string() +
                                             " " + socket() + " " + name + " " + user);
    EXPECT_EQ(made.code, 0) << made.text;
  }

  // Runs kubectl 1.36 with these arguments through the shell; `input` is its standard input.
  e2e::Outcome kubectl(const std::string& words, const std::string& input = "") const {
    return run_kubectl(newest_kubectl(), words, input);
  }
  e2e::Outcome old_kubectl(const std::string& words, const std::string& input = "") const {
    return run_kubectl(oldest_kubectl(), words, input);
  }
  // Its output without the line end; fails the test if it failed.
  std::string ask(const std::string& words) const {
    e2e::Outcome outcome = kubectl(words);
    EXPECT_EQ(outcome.code, 0) << words << "\n" << outcome.text;
    while (outcome.text.ends_with('\n')) outcome.text.pop_back();
    return outcome.text;
  }
  void apply(const std::string& yaml) const {
    const e2e::Outcome outcome = kubectl("create -f -", yaml);
    EXPECT_EQ(outcome.code, 0) << yaml << "\n" << outcome.text;
  }
  // The output of a command in the first container of a pod.
  std::string inside(const std::string& pod, const std::string& command,
                     const std::string& container = "") const {
    const std::string chosen = container.empty() ? "" : " -c " + container;
    return ask("exec " + pod + chosen + " -- sh -c '" + command + "'");
  }
  bool wait(const std::string& pod, const std::string& condition = "condition=Ready",
            int seconds = 30) const {
    const e2e::Outcome outcome =
        kubectl("wait --for=" + condition + " pod/" + pod + within(seconds));
    EXPECT_EQ(outcome.code, 0) << outcome.text << kubectl("describe pod " + pod).text;
    return outcome.code == 0;
  }
  // Polls until it has that result; false after `seconds`.
  bool eventually(const std::string& words, const std::string& answer, int seconds = 30) const {
    std::string text;
    const bool answered = testkit::holds_within(std::chrono::seconds(seconds), [&] {
      text = kubectl(words).text;
      while (text.ends_with('\n')) text.pop_back();
      return text == answer;
    });
    if (!answered) ADD_FAILURE() << words << "\nsays " << text << "\nnot  " << answer;
    return answered;
  }

  // kubectl's timeout flag: " --timeout=30s".
  static std::string within(int seconds) {
    const auto limit = testkit::patient(std::chrono::seconds(seconds));
    return " --timeout=" + std::to_string(limit.count()) + "s";
  }

  // Empty if there is none, and it cannot be built here.
  static std::string newest_kubectl() {
    static const std::string kPath = fetch("build-go kubectl");
    return kPath;
  }
  static std::string oldest_kubectl() {
    static const std::string kPath = fetch("get-kubectl-1.20");
    return kPath;
  }

 private:
  static std::string fetch(const std::string& command) {
    const e2e::Outcome found =
        e2e::run_shell((tests_folder() / "clients").string() + "/" + command + " 2>/dev/null");
    return found.code == 0 ? found.text.substr(0, found.text.find('\n')) : "";
  }
  e2e::Outcome run_kubectl(const std::string& program, const std::string& words,
                           const std::string& input) const {
    const auto limit = testkit::patient(std::chrono::seconds(120));
    std::string command = "KUBECONFIG=" + kubeconfig() + " timeout " +
                          std::to_string(limit.count()) + " " + program + " " + words;
    if (!input.empty()) {
      command += " < " + folder_.file("input-" + std::to_string(++inputs_), input);
    }
    return e2e::run_shell(command);
  }
  // An address range that other tests on the machine do not use.
  static std::string own_range() {
    const int number = static_cast<int>(getpid());
    return "10." + std::to_string(128 + (number >> 8) % 100) + "." + std::to_string(number & 255) +
           ".0/24";
  }

  const e2e::TemporaryFolder folder_;
  std::vector<std::string> flags_;
  std::unique_ptr<e2e::Server> up_;
  mutable int inputs_ = 0;
};

}  // namespace proa::node_tests

#pragma once

#include <gtest/gtest.h>
#include <sched.h>
#include <sys/mount.h>

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "testkit/patience.h"
#include "tests/e2e/program.h"
#include "tests/node/cluster.h"

// Clusters of several machines, made by `proa lab`. The "host" of these tests is a network
// namespace of their own, so that what labs leave there can be compared exactly.
namespace proa::lab_tests {

// Any version: these tests are about the machines.
inline std::string kubectl_program() {
  const std::string newest = node_tests::Cluster::newest_kubectl();
  if (!newest.empty()) return newest;
  return testkit::has_program("kubectl") ? "kubectl" : "";
}

// Why labs cannot run on this machine; empty if they can. Tests skip with this message.
inline std::string missing() {
  if (kubectl_program().empty()) return "there is no kubectl";
  return node_tests::missing();
}

// Moves this process to a network and mount namespace of its own, once. False if that is not
// permitted.
inline bool enter_own_host() {
  static const bool kEntered = [] {
    if (unshare(CLONE_NEWNET | CLONE_NEWNS) != 0) return false;
    if (mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0) return false;
    return e2e::run_shell(
               "ip link set lo up && sysctl -qw net.ipv6.conf.default.accept_dad=0 && "
               "ip link add outside type veth peer name world && "
               "ip address add 192.0.2.10/24 dev outside && ip link set outside up && ip link set "
               "world up && "
               "ip route add default via 192.0.2.1")
               .code == 0;
  }();
  return kEntered;
}

// Names of labs that no other process uses.
inline std::string own_name(const std::string& name) {
  return name + "-" + std::to_string(getpid());
}

// Everything that labs with own names may leave on their host. `folder`: that of all labs.
inline std::string traces(const std::string& folder) {
  const std::string mark = own_name("");
  return e2e::run_shell(
             "echo links; ip -o link; echo addresses; ip -o address; echo routes; ip route; "
             "ip -6 route; ip rule; echo rules; nft -s list ruleset; "
             "echo mounts; cut -d ' ' -f 4- /proc/self/mountinfo; "
             "echo cgroups; find /sys/fs/cgroup -type d -path '*proa-lab-*" +
             mark + "*'; echo processes; pgrep -af 'lab-[m]achine .*" + mark +
             " '; echo folders; ls " + folder +
             " /run/netns; echo settings; sysctl -a 2>/dev/null | "
             "grep -E 'forwarding|ip_forward|bridge-nf|kernel.hostname'")
      .text;
}

// A lab with a name of its own; removed on destruction.
class TestLab {
 public:
  // `flags`: of `proa lab up`.
  TestLab(std::string name, const std::string& folder, const std::string& flags)
      : name_(std::move(name)), folder_(folder) {
    up_ = run("up", flags);
  }
  ~TestLab() {
    if (!down_) down();
  }
  TestLab(const TestLab&) = delete;
  TestLab& operator=(const TestLab&) = delete;

  const e2e::Outcome& up() const { return up_; }
  e2e::Outcome down() {
    down_ = true;
    e2e::Outcome outcome = run("down");
    EXPECT_EQ(outcome.code, 0) << outcome.text;
    return outcome;
  }

  // A command of `proa lab`.
  e2e::Outcome run(const std::string& command, const std::string& words = "") const {
    return e2e::run_program("lab " + command + " --name " + name_ + " --lab-dir " + folder_ + " " +
                            words);
  }
  // The output of a command in a machine; fails the test if it failed.
  std::string inside(const std::string& machine, const std::string& command) const {
    return plain(run("exec", machine + " -- " + command), command);
  }
  e2e::Outcome kubectl(const std::string& words) const {
    return e2e::run_shell("KUBECONFIG=" + folder_ + "/" + name_ + "/kubeconfig " +
                          kubectl_program() + " " + words);
  }
  std::string ask(const std::string& words) const { return plain(kubectl(words), words); }
  void apply(const std::string& yaml) const {
    const e2e::Outcome outcome =
        e2e::run_shell("KUBECONFIG=" + folder_ + "/" + name_ + "/kubeconfig " + kubectl_program() +
                       " create -f - <<'END'\n" + yaml + "\nEND");
    EXPECT_EQ(outcome.code, 0) << yaml << "\n" << outcome.text;
  }
  // Waits for a condition of a Node or pod: "node/node-2", "Ready=Unknown".
  void wait(const std::string& object, const std::string& condition, int seconds = 40) const {
    const auto limit = testkit::patient(std::chrono::seconds(seconds));
    const e2e::Outcome outcome = kubectl("wait " + object + " --for=condition=" + condition +
                                         " --timeout=" + std::to_string(limit.count()) + "s");
    EXPECT_EQ(outcome.code, 0) << outcome.text << kubectl("describe " + object).text;
  }
  // Whether a packet comes back from there.
  bool reaches(const std::string& machine, const std::string& other) const {
    return run("exec", machine + " -- busybox ping -c 1 -W 1 " + other).code == 0;
  }
  bool soon_reaches(const std::string& machine, const std::string& other) const {
    return testkit::holds_within(std::chrono::seconds(10), [&] { return reaches(machine, other); });
  }

 private:
  static std::string plain(e2e::Outcome outcome, const std::string& words) {
    EXPECT_EQ(outcome.code, 0) << words << "\n" << outcome.text;
    while (outcome.text.ends_with('\n')) outcome.text.pop_back();
    return outcome.text;
  }

  const std::string name_;
  const std::string folder_;
  e2e::Outcome up_;
  bool down_ = false;
};

// The folder of all labs of a test.
class LabFolder {
 public:
  LabFolder() : path_("/var/tmp/proa-labs" + own_name("")) {
    std::filesystem::create_directories(path_);
  }
  ~LabFolder() { std::filesystem::remove_all(path_); }
  LabFolder(const LabFolder&) = delete;
  LabFolder& operator=(const LabFolder&) = delete;
  const std::string& path() const { return path_; }

 private:
  const std::string path_;
};

}  // namespace proa::lab_tests

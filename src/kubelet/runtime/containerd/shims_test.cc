#include "kubelet/runtime/containerd/shims.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <cstring>

#include "base/process/spawn.h"
#include "base/strings.h"
#include "testkit/patience.h"
#include "testkit/process.h"

namespace proa::kubelet {
namespace {

// Processes that look like shims of a containerd in a folder.
class ShimsTest : public testing::Test {
 protected:
  ShimsTest() { EXPECT_EQ(mkfifo(folder_.file("pipe").c_str(), 0600), 0); }

  // Runs a script until that has written a file with the number of its child, if it has one.
  testkit::Process& run(const std::string& script, const std::vector<std::string>& more) {
    const std::string begun = folder_.file("begun-" + std::to_string(processes_.size()));
    std::vector<std::string> words = {"/bin/sh", "-c", script, begun};
    words.insert(words.end(), more.begin(), more.end());
    processes_.push_back(std::make_unique<testkit::Process>(words));
    EXPECT_TRUE(testkit::holds_within(std::chrono::seconds(10),
                                      [&] { return files_.exists(begun).value(); }));
    return *processes_.back();
  }
  std::vector<std::string> words(const std::string& id, const std::string& socket) const {
    return {"-namespace", "k8s.io", "-id", id, "-address", socket};
  }
  std::vector<std::string> words(const std::string& id) const { return words(id, socket_); }
  std::string waits() const { return ": > $0; read line <> " + folder_.file("pipe"); }
  // It notes its child as containers' first processes are.
  std::string runs(const std::string& id) const {
    const std::string note = folder_.file("tasks/k8s.io/" + id + "/init.pid");
    return "trap 'kill $!' TERM; sleep 1000 & echo $! > " + note + "; : > $0; wait";
  }
  void make_bundle(const std::string& id) {
    EXPECT_TRUE(files_.make_dirs(folder_.file("tasks/k8s.io/" + id), 0700).ok());
  }
  ShimPlace place() const {
    return {.socket = socket_, .tasks = folder_.file("tasks"), .shim_sockets = folder_.path()};
  }
  static FileDescriptor bound(const std::string& path) {
    FileDescriptor socket(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
    sockaddr_un where{};
    where.sun_family = AF_UNIX;
    EXPECT_LT(path.size(), sizeof where.sun_path);
    std::memcpy(where.sun_path, path.c_str(), path.size() + 1);
    EXPECT_EQ(bind(socket.get(), reinterpret_cast<const sockaddr*>(&where), sizeof where), 0);
    return socket;
  }
  size_t end_idle() { return end_idle_shims(files_, place()).value(); }
  static bool has_ended(const testkit::Process& process) {
    return ProcessHandle::open(process.pid())->has_ended();
  }

  SystemFiles files_;
  const testkit::TempDir folder_;
  const std::string socket_ = folder_.file("containerd.sock");
  std::vector<std::unique_ptr<testkit::Process>> processes_;
};

TEST_F(ShimsTest, EndsThoseOfItsContainerdThatRunNothing) {
  make_bundle("b");
  testkit::Process& idle = run(waits(), words("a"));
  testkit::Process& busy = run(runs("b"), words("b"));
  testkit::Process& of_another = run(waits(), words("c", "/x.sock"));
  testkit::Process& no_shim = run(waits(), {"-address", socket_});
  testkit::Process& half = run(waits(), {"-namespace", "k8s.io", "-id", "d", "-address"});
  EXPECT_EQ(end_idle(), 1u);
  EXPECT_TRUE(has_ended(idle));
  EXPECT_FALSE(has_ended(busy));
  EXPECT_FALSE(has_ended(of_another));
  EXPECT_FALSE(has_ended(no_shim));
  EXPECT_FALSE(has_ended(half));
  // Its child would outlive it.
  busy.signal(SIGTERM);
  busy.wait();
}

// As a shim whose call to make a container broke off.
TEST_F(ShimsTest, WhatWasBegunEndsWithItsShim) {
  make_bundle("a");
  const std::string noted = folder_.file("child");
  testkit::Process& shim = run("sleep 1000 & echo $! > " + noted + "; : > $0; wait", words("a"));
  const auto child = ProcessHandle::open(
      static_cast<pid_t>(*parse_int(trim(files_.read_file(noted, 100).value()))));
  EXPECT_EQ(end_idle(), 1u);
  EXPECT_TRUE(has_ended(shim));
  EXPECT_TRUE(child->has_ended());
}

// As what it starts, until that is another program.
TEST_F(ShimsTest, AChildWithTheWordsOfItsShimIsNone) {
  make_bundle("a");
  const std::string note = folder_.file("tasks/k8s.io/a/init.pid");
  testkit::Process& shim = run("trap 'kill $!' TERM; (read line <> " + folder_.file("pipe") +
                                   ") & echo $! > " + note + "; : > $0; wait",
                               words("a"));
  EXPECT_EQ(end_idle(), 0u);
  EXPECT_FALSE(has_ended(shim));
  shim.signal(SIGTERM);
  shim.wait();
}

TEST_F(ShimsTest, HelpersEndByThemselves) {
  const std::string born = folder_.file("born");
  std::string shim = "/bin/sh -c 'echo $$ > $0; read line <> " + folder_.file("pipe") + "' " + born;
  for (const std::string& word : words("a")) shim += " " + word;
  std::vector<std::string> more = words("a");
  more.emplace_back("start");
  testkit::Process& helper =
      run(": > $0; sleep 0.1; " + shim + " & while [ ! -s " + born + " ]; do :; done", more);
  EXPECT_EQ(end_idle(), 1u);
  EXPECT_EQ(helper.wait(), 0);
  const auto pid = parse_int(trim(files_.read_file(born, 100).value()));
  const auto left = ProcessHandle::open(static_cast<pid_t>(*pid));
  EXPECT_TRUE(!left.ok() || left->has_ended());
}

// A containerd that keeps its bundles elsewhere, say: nothing of it is taken for lost.
TEST_F(ShimsTest, WithoutBundlesEveryChildCounts) {
  testkit::Process& idle = run(waits(), words("a"));
  testkit::Process& busy = run("trap 'kill $!' TERM; sleep 1000 & : > $0; wait", words("b"));
  EXPECT_EQ(end_lost_shims(files_, place()).value(), 0u);
  EXPECT_EQ(end_idle(), 1u);
  EXPECT_TRUE(has_ended(idle));
  EXPECT_FALSE(has_ended(busy));
  busy.signal(SIGTERM);
  busy.wait();
}

// A killed one could not do that itself.
TEST_F(ShimsTest, TakesTheirSocketsAway) {
  const std::string path = shim_socket(place(), "k8s.io/a");
  ASSERT_EQ(mknod(path.c_str(), S_IFSOCK | 0600, 0), 0);
  run(waits(), words("a"));
  EXPECT_EQ(end_idle(), 1u);
  EXPECT_FALSE(files_.exists(path).value());
}

TEST_F(ShimsTest, SocketsThatNobodyListensOnGo) {
  make_bundle("known");
  const std::string known = shim_socket(place(), "k8s.io/known");
  const std::string young = shim_socket(place(), "k8s.io/young");
  const std::string foreign = folder_.file("foreign.sock");
  for (const std::string& path : {known, young, foreign}) bound(path);
  const std::string live = shim_socket(place(), "k8s.io/live");
  const FileDescriptor listener = bound(live);
  ASSERT_EQ(listen(listener.get(), 1), 0);
  const auto exist = [&] {
    std::vector<bool> all;
    for (const std::string& path : {known, young, foreign, live})
      all.push_back(files_.exists(path).value());
    return all;
  };
  ASSERT_TRUE(remove_dead_sockets(files_, place(), std::chrono::hours(1)).ok());
  EXPECT_EQ(exist(), (std::vector<bool>{false, true, true, true}));
  ASSERT_TRUE(remove_dead_sockets(files_, place(), Duration(0)).ok());
  EXPECT_EQ(exist(), (std::vector<bool>{false, false, true, true}));
}

TEST_F(ShimsTest, WithARunningContainerdOnlyThoseWithoutABundleEnd) {
  make_bundle("begun");
  make_bundle("busy");
  testkit::Process& begun = run(waits(), words("begun"));
  testkit::Process& lost = run(waits(), words("lost"));
  std::vector<std::string> more = words("going");
  more.emplace_back("delete");
  testkit::Process& helper = run(waits(), more);
  // Its pod's first container is gone, another one runs.
  testkit::Process& busy = run(runs("busy"), words("gone"));
  EXPECT_EQ(end_lost_shims(files_, place()).value(), 1u);
  EXPECT_TRUE(has_ended(lost));
  EXPECT_FALSE(has_ended(begun));
  EXPECT_FALSE(has_ended(helper));
  EXPECT_FALSE(has_ended(busy));
  busy.signal(SIGTERM);
  busy.wait();
}

TEST(ShimSocket, IsNamedAsContainerdNamesIt) {
  EXPECT_EQ(shim_socket({.socket = "/run/proa-1dd93e02/containerd.sock"},
                        "k8s.io/80016ebc2837bb5643f08b8721e22589af8784c551cc0b1de95153629a1e1292"),
            "/run/containerd/s/ea19a106ca94770e2ed870b733b1faad9a1a9208041031e25907d1e675a348f6");
}

}  // namespace
}  // namespace proa::kubelet

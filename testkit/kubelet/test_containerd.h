#pragma once

#include <memory>
#include <optional>
#include <string>

#include "base/clock.h"
#include "http/client/client.h"
#include "kubelet/runtime/cri/runtime.h"
#include "testkit/process.h"

namespace proa::testkit {

// A containerd of its own: in a folder that vanishes with it, with a bridge and a range of
// addresses that nobody else has, and the images kBusybox and kPause. Whatever ran in it ends when
// it goes; no process, mount, namespace, cgroup or link stays.
class TestContainerd {
 public:
  // All of busybox's commands in /bin.
  static constexpr const char* kBusybox = "docker.io/proa/busybox:1";
  // What sandboxes run.
  static constexpr const char* kPause = "docker.io/proa/pause:1";

  // Why there can be none on this machine; empty when there can. Tests skip with that word.
  static std::string missing();

  // Returns when it answers and has its images. REQUIRES: nothing is missing.
  TestContainerd();
  ~TestContainerd();
  TestContainerd(const TestContainerd&) = delete;
  TestContainerd& operator=(const TestContainerd&) = delete;

  const std::string& socket() const { return socket_; }
  // A path in its folder, for logs and the like.
  std::string file(const std::string& name) const { return folder_.file(name); }
  // What containerd wrote, for messages of failed tests.
  std::string log() const;
  // "10.150.3.": how the addresses of pods begin.
  const std::string& address_prefix() const { return address_prefix_; }

  Clock& clock() { return clock_; }
  http::Client& client() { return client_; }
  http::Loop& loop() { return loops_.at(0); }
  kubelet::cri::Runtime& runtime() { return *runtime_; }

  // Ends containerd alone; containers go on.
  void stop();
  // Begins it again, and returns when it answers.
  void start();

 private:
  void write_configuration() const;
  void import_images() const;
  bool wait_until_ready();
  void remove_pods();
  void kill_shims() const;
  void unmount_all() const;
  void remove_shared_folders() const;

  TempDir folder_;
  std::string socket_;
  std::string bridge_;
  std::string address_prefix_;
  SystemClock clock_;
  http::LoopGroup loops_{1};
  http::Client client_{loops_, clock_, {}};
  std::unique_ptr<kubelet::cri::Runtime> runtime_;
  std::optional<Process> containerd_;
};

}  // namespace proa::testkit

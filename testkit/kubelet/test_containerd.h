#pragma once

#include <memory>
#include <optional>
#include <string>

#include "base/clock.h"
#include "http/client/client.h"
#include "kubelet/runtime/cri/runtime.h"
#include "testkit/process.h"

namespace proa::testkit {

// A private containerd: in a temporary folder, with its own bridge and address range, and the
// images kBusybox and kPause. The destructor ends everything that runs in it; no process, mount,
// namespace, cgroup or link remains.
class TestContainerd {
 public:
  // All busybox commands in /bin.
  static constexpr const char* kBusybox = "docker.io/proa/busybox:1";
  // The sandbox image.
  static constexpr const char* kPause = "docker.io/proa/pause:1";

  // Why it cannot run on this machine; empty if it can. Tests skip with this message.
  static std::string missing();

  // Returns when it responds and has its images. REQUIRES: nothing is missing.
  TestContainerd();
  ~TestContainerd();
  TestContainerd(const TestContainerd&) = delete;
  TestContainerd& operator=(const TestContainerd&) = delete;

  const std::string& socket() const { return socket_; }
  // A path in its folder, for logs etc.
  std::string file(const std::string& name) const { return folder_.file(name); }
  // The log of containerd, for failure messages.
  std::string log() const;
  // "10.150.3.": the prefix of pod addresses.
  const std::string& address_prefix() const { return address_prefix_; }

  Clock& clock() { return clock_; }
  http::Client& client() { return client_; }
  http::Loop& loop() { return loops_.at(0); }
  kubelet::cri::Runtime& runtime() { return *runtime_; }

  // Stops containerd; containers keep running.
  void stop();
  // Restarts it, and returns when it responds.
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

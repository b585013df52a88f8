#pragma once

#include <deque>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/threads/mutex.h"
#include "kubelet/runtime/cri/runtime.h"

namespace proa::testkit {

// A runtime that only remembers. Containers run until a test finishes them or somebody stops them.
// From any thread.
class FakeRuntime final : public kubelet::cri::Runtime {
 public:
  explicit FakeRuntime(Clock& clock) : clock_(clock) {}

  // What was asked to be done, in order, by the names of pods and containers: "run_sandbox web",
  // "start_container main", "stop_container main 30s", "exec main cat /x", "pull_image busybox".
  // Questions are not in it.
  std::vector<std::string> calls() const EXCLUDES(mutex_);
  void clear_calls() EXCLUDES(mutex_);
  // The next call of that method ("create_container", "containers") fails. Several wait in turn.
  void fail_next(const std::string& method, const Status& why) EXCLUDES(mutex_);
  // Told what changed (its id) after each change, under no lock. REQUIRES: set before it is used.
  void on_change(std::function<void(const std::string& id)> listener) {
    listener_ = std::move(listener);
  }

  // A container ends by itself. Empty reason: "Completed" or "Error".
  void finish(const std::string& container_id, int exit_code, std::string reason = {})
      EXCLUDES(mutex_);
  // A sandbox dies, and all that runs in it.
  void kill_sandbox(const std::string& id) EXCLUDES(mutex_);
  // As from now on, for those of that container name: stops are not heeded until SIGKILL.
  void ignore_stops(const std::string& name) EXCLUDES(mutex_);
  // An image is there. What it says besides its name may be given.
  void add_image(const std::string& reference, kubelet::cri::Image image = {}) EXCLUDES(mutex_);
  // A registry has it: pulls of it succeed.
  void offer_image(const std::string& reference, kubelet::cri::Image image = {}) EXCLUDES(mutex_);
  // What a command (its words with spaces between) answers; others answer nothing, with 0.
  void answer_exec(const std::string& command, kubelet::cri::ExecResult answer) EXCLUDES(mutex_);
  void set_readiness(kubelet::cri::RuntimeReadiness readiness) EXCLUDES(mutex_);

  // The id of the newest container of that name; empty when there is none.
  std::string newest(const std::string& container_name) const EXCLUDES(mutex_);
  // The same for the sandbox of a pod.
  std::string newest_sandbox(const std::string& pod_name) const EXCLUDES(mutex_);
  // What it was made with, as JSON text.
  std::string config_of(const std::string& id) const EXCLUDES(mutex_);

  Result<kubelet::cri::RuntimeVersion> version(const Until& until) override;
  Result<kubelet::cri::RuntimeReadiness> readiness(const Until& until) override;
  Result<void> set_pod_cidr(const std::string& cidr, const Until& until) override;
  Result<std::string> run_sandbox(const json::Value& config, const std::string& handler,
                                  const Until& until) override;
  Result<void> stop_sandbox(const std::string& id, const Until& until) override;
  Result<void> remove_sandbox(const std::string& id, const Until& until) override;
  Result<kubelet::cri::Sandbox> sandbox(const std::string& id, const Until& until) override;
  Result<std::vector<kubelet::cri::Sandbox>> sandboxes(const std::string& pod_uid,
                                                       const Until& until) override;
  Result<std::string> create_container(const std::string& sandbox_id, const json::Value& config,
                                       const json::Value& sandbox_config,
                                       const Until& until) override;
  Result<void> start_container(const std::string& id, const Until& until) override;
  Result<void> stop_container(const std::string& id, Duration grace, const Until& until) override;
  Result<void> remove_container(const std::string& id, const Until& until) override;
  Result<kubelet::cri::Container> container(const std::string& id, const Until& until) override;
  Result<std::vector<kubelet::cri::Container>> containers(
      const kubelet::cri::ContainerFilter& filter, const Until& until) override;
  Result<void> update_resources(const std::string& id, const json::Value& resources,
                                const Until& until) override;
  Result<void> reopen_log(const std::string& id, const Until& until) override;
  Result<kubelet::cri::ExecResult> exec(const std::string& id,
                                        const std::vector<std::string>& command, Duration timeout,
                                        const Until& until) override;
  Result<std::string> exec_url(const std::string& id, const std::vector<std::string>& command,
                               const kubelet::cri::StreamChoices& choices,
                               const Until& until) override;
  Result<std::string> attach_url(const std::string& id, const kubelet::cri::StreamChoices& choices,
                                 const Until& until) override;
  Result<std::string> port_forward_url(const std::string& sandbox_id,
                                       const std::vector<int32_t>& ports,
                                       const Until& until) override;
  Result<std::optional<kubelet::cri::Image>> image(const std::string& reference,
                                                   const Until& until) override;
  Result<std::vector<kubelet::cri::Image>> images(const Until& until) override;
  Result<std::string> pull_image(const std::string& reference,
                                 const kubelet::cri::PullCredentials& credentials,
                                 const json::Value& sandbox_config, const Until& until) override;
  Result<void> remove_image(const std::string& reference, const Until& until) override;
  Result<std::vector<kubelet::cri::FilesystemUse>> image_filesystems(const Until& until) override;

 private:
  struct SandboxEntry {
    kubelet::cri::Sandbox sandbox = {};
    std::string config = {};
  };
  struct ContainerEntry {
    kubelet::cri::Container container = {};
    std::string config = {};
  };

  // Writes down the call, and fails it where a test said so.
  Result<void> begin(const std::string& method, const std::string& words) REQUIRES(mutex_);
  // The same for questions, which are not written down.
  Result<void> ask(const std::string& method) REQUIRES(mutex_);
  Result<ContainerEntry*> find_container(const std::string& id) REQUIRES(mutex_);
  Result<SandboxEntry*> find_sandbox(const std::string& id) REQUIRES(mutex_);
  // Their names, for the log of calls; the id where nobody knows it.
  std::string container_name(const std::string& id) const REQUIRES(mutex_);
  std::string pod_name(const std::string& id) const REQUIRES(mutex_);
  void end_container(kubelet::cri::Container& container, int exit_code, std::string reason)
      REQUIRES(mutex_);
  // Ends what runs in it; who that was.
  std::vector<std::string> end_sandbox(SandboxEntry& entry) REQUIRES(mutex_);
  const kubelet::cri::Image* find_image(const std::string& reference) const REQUIRES(mutex_);
  // A moment of its own, so that "newer" always means something.
  Time moment() REQUIRES(mutex_);
  void tell(const std::vector<std::string>& ids);

  Clock& clock_;
  std::function<void(const std::string& id)> listener_;
  mutable Mutex mutex_;
  std::vector<std::string> calls_ GUARDED_BY(mutex_);
  std::map<std::string, std::deque<Status>> failures_ GUARDED_BY(mutex_);
  std::map<std::string, SandboxEntry> sandboxes_ GUARDED_BY(mutex_);
  std::map<std::string, ContainerEntry> containers_ GUARDED_BY(mutex_);
  std::map<std::string, kubelet::cri::Image> images_ GUARDED_BY(mutex_);
  std::map<std::string, kubelet::cri::Image> offered_ GUARDED_BY(mutex_);
  std::map<std::string, kubelet::cri::ExecResult> answers_ GUARDED_BY(mutex_);
  std::map<std::string, bool> stubborn_ GUARDED_BY(mutex_);
  kubelet::cri::RuntimeReadiness readiness_ GUARDED_BY(mutex_){.runtime_ready = true,
                                                               .network_ready = true};
  int made_ GUARDED_BY(mutex_) = 0;
  Time last_moment_ GUARDED_BY(mutex_) = {};
};

}  // namespace proa::testkit

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

// An in-memory runtime. Containers run until a test finishes them or they are stopped. Thread-safe.
class FakeRuntime final : public kubelet::cri::Runtime {
 public:
  explicit FakeRuntime(Clock& clock) : clock_(clock) {}

  // The calls that change something, in order, by the names of pods and containers: "run_sandbox
  // web", "start_container main", "stop_container main 30s", "exec main cat /x", "pull_image
  // busybox".
  std::vector<std::string> calls() const EXCLUDES(mutex_);
  void clear_calls() EXCLUDES(mutex_);
  // The next call of that method ("create_container", "containers") fails. Several failures are
  // queued.
  void fail_next(const std::string& method, const Status& why) EXCLUDES(mutex_);
  // Called with the id after each change, under no lock. REQUIRES: set before it is used.
  void on_change(std::function<void(const std::string& id)> listener) {
    listener_ = std::move(listener);
  }

  // A container exits by itself. Empty reason: "Completed" or "Error".
  void finish(const std::string& container_id, int exit_code, std::string reason = {})
      EXCLUDES(mutex_);
  // A sandbox dies, with all of its containers.
  void kill_sandbox(const std::string& id) EXCLUDES(mutex_);
  // From now on, containers of that name ignore stops until SIGKILL.
  void ignore_stops(const std::string& name) EXCLUDES(mutex_);
  // Adds a local image. Fields besides its name may be given.
  void add_image(const std::string& reference, kubelet::cri::Image image = {}) EXCLUDES(mutex_);
  // Adds an image to the registry: pulls of it succeed.
  void offer_image(const std::string& reference, kubelet::cri::Image image = {}) EXCLUDES(mutex_);
  // The result of a command (its words joined by spaces); other commands return nothing, with exit
  // code 0.
  void answer_exec(const std::string& command, kubelet::cri::ExecResult answer) EXCLUDES(mutex_);
  void set_readiness(kubelet::cri::RuntimeReadiness readiness) EXCLUDES(mutex_);

  // The id of the newest container of that name; empty if there is none.
  std::string newest(const std::string& container_name) const EXCLUDES(mutex_);
  // The same for the sandbox of a pod.
  std::string newest_sandbox(const std::string& pod_name) const EXCLUDES(mutex_);
  // The configuration it was created with, as JSON.
  std::string config_of(const std::string& id) const EXCLUDES(mutex_);

  Result<kubelet::cri::RuntimeVersion> version(const Until& until) override;
  Result<kubelet::cri::RuntimeReadiness> readiness(const Until& until) override;
  Result<void> set_pod_cidr(const std::string& cidr, const Until& until) override;
  Result<std::string> run_sandbox(const json::Value& config, const std::string& handler,
                                  const Until& until) override;
  Result<void> stop_sandbox(const std::string& id, const Until& until) override;
  Result<void> remove_sandbox(const std::string& id, const Until& until) override;
  Result<kubelet::cri::Sandbox> sandbox(const std::string& id, const Until& until) override;
  Result<std::vector<kubelet::cri::Sandbox>> sandboxes(api::UidView pod_uid,
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

  // Records the call, and fails it if a test requested that.
  Result<void> begin(const std::string& method, const std::string& words) REQUIRES(mutex_);
  // The same for queries, which are not recorded.
  Result<void> ask(const std::string& method) REQUIRES(mutex_);
  Result<ContainerEntry*> find_container(const std::string& id) REQUIRES(mutex_);
  Result<SandboxEntry*> find_sandbox(const std::string& id) REQUIRES(mutex_);
  // The names for the log of calls; the id if unknown.
  std::string container_name(const std::string& id) const REQUIRES(mutex_);
  std::string pod_name(const std::string& id) const REQUIRES(mutex_);
  void end_container(kubelet::cri::Container& container, int exit_code, std::string reason)
      REQUIRES(mutex_);
  // Ends its containers; returns their ids.
  std::vector<std::string> end_sandbox(SandboxEntry& entry) REQUIRES(mutex_);
  const kubelet::cri::Image* find_image(const std::string& reference) const REQUIRES(mutex_);
  // A unique time, so that "newer" is well-defined.
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

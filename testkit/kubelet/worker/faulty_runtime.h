#pragma once

#include "testkit/kubelet/fake_runtime.h"
#include "testkit/kubelet/worker/faults.h"

namespace proa::testkit {

// A runtime with injected faults, whose calls are recorded with all others.
class FaultyRuntime final : public kubelet::cri::Runtime {
 public:
  // All arguments outlive it.
  FaultyRuntime(FakeRuntime& runtime, Faults& faults) : runtime_(runtime), faults_(faults) {}

  using Container = kubelet::cri::Container;
  using ContainerFilter = kubelet::cri::ContainerFilter;
  using ExecResult = kubelet::cri::ExecResult;
  using FilesystemUse = kubelet::cri::FilesystemUse;
  using Image = kubelet::cri::Image;
  using PullCredentials = kubelet::cri::PullCredentials;
  using RuntimeReadiness = kubelet::cri::RuntimeReadiness;
  using RuntimeVersion = kubelet::cri::RuntimeVersion;
  using Sandbox = kubelet::cri::Sandbox;
  using StreamChoices = kubelet::cri::StreamChoices;

  Result<RuntimeVersion> version(const Until& until) override {
    return pass("version", until, [&] { return runtime_.version(until); });
  }
  Result<RuntimeReadiness> readiness(const Until& until) override {
    return pass("readiness", until, [&] { return runtime_.readiness(until); });
  }
  Result<void> set_pod_cidr(const std::string& cidr, const Until& until) override {
    return pass("set_pod_cidr", until, [&] { return runtime_.set_pod_cidr(cidr, until); });
  }
  Result<std::string> run_sandbox(const json::Value& config, const std::string& handler,
                                  const Until& until) override {
    return pass("run_sandbox", until, [&] { return runtime_.run_sandbox(config, handler, until); });
  }
  Result<void> stop_sandbox(const std::string& id, const Until& until) override {
    return pass("stop_sandbox", until, [&] { return runtime_.stop_sandbox(id, until); });
  }
  Result<void> remove_sandbox(const std::string& id, const Until& until) override {
    return pass("remove_sandbox", until, [&] { return runtime_.remove_sandbox(id, until); });
  }
  Result<Sandbox> sandbox(const std::string& id, const Until& until) override {
    return pass("sandbox", until, [&] { return runtime_.sandbox(id, until); });
  }
  Result<std::vector<Sandbox>> sandboxes(api::UidView pod_uid, const Until& until) override {
    return pass("sandboxes", until, [&] { return runtime_.sandboxes(pod_uid, until); });
  }
  Result<std::string> create_container(const std::string& sandbox_id, const json::Value& config,
                                       const json::Value& sandbox_config,
                                       const Until& until) override {
    return pass("create_container", until, [&] {
      return runtime_.create_container(sandbox_id, config, sandbox_config, until);
    });
  }
  Result<void> start_container(const std::string& id, const Until& until) override {
    return pass("start_container", until, [&] { return runtime_.start_container(id, until); });
  }
  Result<void> stop_container(const std::string& id, Duration grace, const Until& until) override {
    return pass("stop_container", until, [&] { return runtime_.stop_container(id, grace, until); });
  }
  Result<void> remove_container(const std::string& id, const Until& until) override {
    return pass("remove_container", until, [&] { return runtime_.remove_container(id, until); });
  }
  Result<Container> container(const std::string& id, const Until& until) override {
    return pass("container", until, [&] { return runtime_.container(id, until); });
  }
  Result<std::vector<Container>> containers(const ContainerFilter& filter,
                                            const Until& until) override {
    return pass("containers", until, [&] { return runtime_.containers(filter, until); });
  }
  Result<void> update_resources(const std::string& id, const json::Value& resources,
                                const Until& until) override {
    return pass("update_resources", until,
                [&] { return runtime_.update_resources(id, resources, until); });
  }
  Result<void> reopen_log(const std::string& id, const Until& until) override {
    return pass("reopen_log", until, [&] { return runtime_.reopen_log(id, until); });
  }
  Result<ExecResult> exec(const std::string& id, const std::vector<std::string>& command,
                          Duration timeout, const Until& until) override {
    return pass("exec", until, [&] { return runtime_.exec(id, command, timeout, until); });
  }
  Result<std::string> exec_url(const std::string& id, const std::vector<std::string>& command,
                               const StreamChoices& choices, const Until& until) override {
    return pass("exec_url", until, [&] { return runtime_.exec_url(id, command, choices, until); });
  }
  Result<std::string> attach_url(const std::string& id, const StreamChoices& choices,
                                 const Until& until) override {
    return pass("attach_url", until, [&] { return runtime_.attach_url(id, choices, until); });
  }
  Result<std::string> port_forward_url(const std::string& sandbox_id,
                                       const std::vector<int32_t>& ports,
                                       const Until& until) override {
    return pass("port_forward_url", until,
                [&] { return runtime_.port_forward_url(sandbox_id, ports, until); });
  }
  Result<std::optional<Image>> image(const std::string& reference, const Until& until) override {
    return pass("image", until, [&] { return runtime_.image(reference, until); });
  }
  Result<std::vector<Image>> images(const Until& until) override {
    return pass("images", until, [&] { return runtime_.images(until); });
  }
  Result<std::string> pull_image(const std::string& reference, const PullCredentials& credentials,
                                 const json::Value& sandbox_config, const Until& until) override {
    return pass("pull_image", until,
                [&] { return runtime_.pull_image(reference, credentials, sandbox_config, until); });
  }
  Result<void> remove_image(const std::string& reference, const Until& until) override {
    return pass("remove_image", until, [&] { return runtime_.remove_image(reference, until); });
  }
  Result<std::vector<FilesystemUse>> image_filesystems(const Until& until) override {
    return pass("image_filesystems", until, [&] { return runtime_.image_filesystems(until); });
  }

 private:
  template <typename Call>
  auto pass(const std::string& name, const Until& until, Call call) -> decltype(call()) {
    return faults_.pass(name, until, [&] {
      auto answer = call();
      for (const std::string& done : runtime_.calls()) faults_.note(done);
      runtime_.clear_calls();
      return answer;
    });
  }

  FakeRuntime& runtime_;
  Faults& faults_;
};

}  // namespace proa::testkit

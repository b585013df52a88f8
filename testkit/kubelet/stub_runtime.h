#pragma once

#include <string>
#include <vector>

#include "base/threads/mutex.h"
#include "kubelet/runtime/cri/runtime.h"

namespace proa::kubelet {

// A runtime with scripted readiness and streaming addresses that runs nothing.
class StubRuntime : public cri::Runtime {
 public:
  // Initially not ready.
  void set_readiness(Result<cri::RuntimeReadiness> readiness) EXCLUDES(mutex_) {
    MutexLock lock(mutex_);
    readiness_ = std::move(readiness);
  }
  void set_images(std::vector<cri::Image> images) EXCLUDES(mutex_) {
    MutexLock lock(mutex_);
    images_ = std::move(images);
  }
  // The number of readiness queries.
  int looks() const EXCLUDES(mutex_) {
    MutexLock lock(mutex_);
    return looks_;
  }
  std::string pod_cidr() const EXCLUDES(mutex_) {
    MutexLock lock(mutex_);
    return pod_cidr_;
  }
  static cri::RuntimeReadiness ready() {
    cri::RuntimeReadiness readiness;
    readiness.runtime_ready = true;
    readiness.network_ready = true;
    return readiness;
  }

  Result<cri::RuntimeVersion> version(const Until& /*until*/) override {
    return cri::RuntimeVersion{.name = "containerd", .version = "1.6.20", .api_version = "v1"};
  }
  Result<cri::RuntimeReadiness> readiness(const Until& /*until*/) override EXCLUDES(mutex_) {
    MutexLock lock(mutex_);
    ++looks_;
    return readiness_;
  }
  Result<void> set_pod_cidr(const std::string& cidr, const Until& /*until*/) override
      EXCLUDES(mutex_) {
    MutexLock lock(mutex_);
    pod_cidr_ = cidr;
    return {};
  }
  Result<std::vector<cri::Image>> images(const Until& /*until*/) override EXCLUDES(mutex_) {
    MutexLock lock(mutex_);
    return images_;
  }

  Result<std::string> run_sandbox(const json::Value&, const std::string&, const Until&) override {
    return nothing();
  }
  Result<void> stop_sandbox(const std::string&, const Until&) override { return nothing(); }
  Result<void> remove_sandbox(const std::string&, const Until&) override { return nothing(); }
  Result<cri::Sandbox> sandbox(const std::string&, const Until&) override { return nothing(); }
  Result<std::vector<cri::Sandbox>> sandboxes(api::UidView, const Until&) override {
    return nothing();
  }
  Result<std::string> create_container(const std::string&, const json::Value&, const json::Value&,
                                       const Until&) override {
    return nothing();
  }
  Result<void> start_container(const std::string&, const Until&) override { return nothing(); }
  Result<void> stop_container(const std::string&, Duration, const Until&) override {
    return nothing();
  }
  Result<void> remove_container(const std::string&, const Until&) override { return nothing(); }
  Result<cri::Container> container(const std::string&, const Until&) override { return nothing(); }
  Result<std::vector<cri::Container>> containers(const cri::ContainerFilter&,
                                                 const Until&) override {
    return nothing();
  }
  Result<void> update_resources(const std::string&, const json::Value&, const Until&) override {
    return nothing();
  }
  Result<void> reopen_log(const std::string&, const Until&) override { return nothing(); }
  Result<cri::ExecResult> exec(const std::string&, const std::vector<std::string>&, Duration,
                               const Until&) override {
    return nothing();
  }
  Result<std::string> exec_url(const std::string&, const std::vector<std::string>&,
                               const cri::StreamChoices&, const Until&) override {
    return nothing();
  }
  Result<std::string> attach_url(const std::string&, const cri::StreamChoices&,
                                 const Until&) override {
    return nothing();
  }
  Result<std::string> port_forward_url(const std::string&, const std::vector<int32_t>&,
                                       const Until&) override {
    return nothing();
  }
  Result<std::optional<cri::Image>> image(const std::string&, const Until&) override {
    return nothing();
  }
  Result<std::string> pull_image(const std::string&, const cri::PullCredentials&,
                                 const json::Value&, const Until&) override {
    return nothing();
  }
  Result<void> remove_image(const std::string&, const Until&) override { return nothing(); }
  Result<std::vector<cri::FilesystemUse>> image_filesystems(const Until&) override {
    return nothing();
  }

 private:
  static Status nothing() { return Status(Reason::kNotFound, "the stub has nothing of that"); }

  mutable Mutex mutex_;
  Result<cri::RuntimeReadiness> readiness_ GUARDED_BY(mutex_) = Status(Reason::kServiceUnavailable,
                                                                       "no runtime");
  int looks_ GUARDED_BY(mutex_) = 0;
  std::vector<cri::Image> images_ GUARDED_BY(mutex_);
  std::string pod_cidr_ GUARDED_BY(mutex_);
};

}  // namespace proa::kubelet

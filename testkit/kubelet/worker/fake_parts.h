#pragma once

#include <limits>
#include <map>
#include <set>

#include "base/files.h"
#include "kubelet/host/cgroups/cgroups.h"
#include "kubelet/node/agent/node_agent.h"
#include "kubelet/pod/handlers/probes/prober.h"
#include "kubelet/pod/status/status_writer.h"
#include "kubelet/pod/volumes/container_mounts.h"
#include "kubelet/pod/volumes/volumes.h"
#include "kubelet/runtime/images/image_puller.h"
#include "testkit/kubelet/worker/faults.h"

// Fakes of a pod worker's dependencies that record calls. Not thread-safe.

namespace proa::testkit {

class FakeVolumes final : public kubelet::Volumes {
 public:
  FakeVolumes(Faults& faults, Files& files, const kubelet::Paths& paths)
      : faults_(faults), files_(files), paths_(paths) {}

  Result<kubelet::MountedVolumes> mount(const kubelet::Pod& pod, const kubelet::PodFacts&,
                                        const Until& until) override {
    return faults_.pass("mount", until, [&]() -> Result<kubelet::MountedVolumes> {
      TRY(files_.make_dirs(paths_.pod(pod.uid()), 0750));
      if (mounted_.insert(pod.uid()).second) faults_.note("mount " + pod.uid().str());
      return volumes;
    });
  }
  Time next_refresh(api::UidView) override { return Time::max(); }
  Result<std::vector<kubelet::ContainerMount>> container_mounts(
      const kubelet::Pod& pod, api::View container, const kubelet::MountedVolumes& mounted,
      const kubelet::Environment& environment) override {
    return kubelet::make_container_mounts({.pod = pod,
                                           .container = container,
                                           .volumes = mounted,
                                           .environment = environment,
                                           .paths = paths_});
  }
  Result<std::vector<kubelet::ContainerDevice>> container_devices(
      api::View, const kubelet::MountedVolumes&) override {
    return std::vector<kubelet::ContainerDevice>{};
  }
  Result<std::string> exceeded_limit(const kubelet::Pod&) override { return exceeded; }
  Result<void> unmount(api::UidView uid) override {
    return faults_.pass("unmount", {}, [&]() -> Result<void> {
      if (mounted_.erase(api::Uid(uid)) > 0) faults_.note("unmount " + uid.str());
      remove_all(paths_.pod(uid));
      return {};
    });
  }
  Result<std::vector<api::Uid>> pods() override {
    return std::vector<api::Uid>(mounted_.begin(), mounted_.end());
  }
  // For a pod from before the kubelet started.
  void leave_behind(api::UidView uid) { mounted_.emplace(uid); }

  std::string exceeded;             // the result of exceeded_limit()
  kubelet::MountedVolumes volumes;  // of every pod

 private:
  void remove_all(const std::string& path) {
    const Result<std::vector<std::string>> names = files_.list(path);
    if (names.ok()) {
      for (const std::string& name : *names) remove_all(path + "/" + name);
    }
    static_cast<void>(files_.remove(path).ok());
  }

  Faults& faults_;
  Files& files_;
  const kubelet::Paths& paths_;
  std::set<api::Uid> mounted_;
};

class FakeCgroups final : public kubelet::Cgroups {
 public:
  explicit FakeCgroups(Faults& faults) : faults_(faults) {}

  bool is_v2() const override { return true; }
  Result<void> set_up(int64_t, int64_t) override { return {}; }
  Result<std::string> ensure(const kubelet::Pod& pod) override {
    return faults_.pass("ensure_cgroup", {}, [&]() -> Result<std::string> {
      if (made_.insert(pod.uid()).second) {
        faults_.note("make_cgroup " + pod.uid().str());
        quotas_[pod.uid()] = kubelet::pod_values(pod, {}).cpu_quota.value_or(0);
      }
      return "/kubepods/pod" + pod.uid().str();
    });
  }
  Result<void> resize(const kubelet::Pod& pod, kubelet::Change change) override {
    const bool raises = change == kubelet::Change::kRaise;
    return faults_.pass(raises ? "raise_cgroup" : "lower_cgroup", {}, [&]() -> Result<void> {
      const int64_t wanted = kubelet::pod_values(pod, {}).cpu_quota.value_or(0);
      int64_t& now = quotas_[pod.uid()];
      if (raises ? wanted > now : wanted < now) {
        faults_.note((raises ? "raise_cgroup " : "lower_cgroup ") + pod.uid().str());
        now = wanted;
      }
      return {};
    });
  }
  Result<kubelet::CgroupValues> values(const kubelet::Pod& pod) override {
    return kubelet::pod_values(pod, {});
  }
  Result<kubelet::MemoryUse> memory(const kubelet::Pod& pod,
                                    const std::string& container_id) override {
    const auto found = used.find(container_id.empty() ? pod.uid().str() : container_id);
    return kubelet::MemoryUse{.limit = std::numeric_limits<int64_t>::max(),
                              .used = found == used.end() ? 0 : found->second};
  }
  Result<void> thaw(api::UidView uid) override {
    thawed.emplace(uid);
    return {};
  }
  Result<void> remove(api::UidView uid) override {
    return faults_.pass("remove_cgroup", {}, [&]() -> Result<void> {
      if (made_.erase(api::Uid(uid)) > 0) faults_.note("remove_cgroup " + uid.str());
      return {};
    });
  }
  Result<std::vector<api::Uid>> pods() override {
    return std::vector<api::Uid>(made_.begin(), made_.end());
  }
  Result<void> balance(const std::function<std::vector<kubelet::PodPtr>()>& active) override {
    balanced = active().size();
    return {};
  }
  Result<void> remove_all() override { return {}; }
  Result<void> remove_own(const std::vector<api::Uid>&) override { return {}; }

  size_t balanced = 0;                  // the number of pods at the last call
  std::map<std::string, int64_t> used;  // memory, by pod and by container id
  std::set<api::Uid> thawed;

 private:
  Faults& faults_;
  std::set<api::Uid> made_;
  std::map<api::Uid, int64_t> quotas_;
};

// All images are present, unless a test says otherwise.
class FakeImages final : public kubelet::ImagePuller {
 public:
  kubelet::ImageState ensure(const kubelet::PodPtr& pod, const kubelet::ContainerSpec& container,
                             const json::Value&) override {
    asked.insert(pod->uid());
    const auto told = states.find(container.name());
    if (told != states.end()) return told->second;
    return {.kind = kubelet::ImageState::Kind::kReady, .reference = "image"};
  }
  kubelet::ImageState ensure_volume(const kubelet::PodPtr&, std::string_view volume,
                                    const kubelet::VolumeImage& image,
                                    const json::Value&) override {
    volumes_asked.emplace_back(volume);
    const auto told = volume_states.find(volume);
    if (told != volume_states.end()) return told->second;
    return {.kind = kubelet::ImageState::Kind::kReady, .reference = "sha256:" + image.specified};
  }
  void forget(api::UidView uid) override { asked.erase(api::Uid(uid)); }
  void keep_only(const std::vector<kubelet::cri::Image>&) override {}

  std::map<std::string, kubelet::ImageState, std::less<>> states;         // by container
  std::map<std::string, kubelet::ImageState, std::less<>> volume_states;  // by volume
  std::set<api::Uid> asked;                                               // pods
  std::vector<std::string> volumes_asked;
};

class FakeProber final : public kubelet::Prober {
 public:
  void follow(const kubelet::PodPtr& pod, const kubelet::cri::RuntimePod& running) override {
    std::set<std::string>& names = followed[pod->uid()];
    names.clear();
    for (const kubelet::cri::Container& container : running.containers) {
      if (container.state == kubelet::cri::ContainerState::kRunning) names.insert(container.name);
    }
  }
  void stop_liveness(api::UidView uid) override { without_liveness.emplace(uid); }
  void forget(api::UidView uid) override {
    followed.erase(api::Uid(uid));
    without_liveness.erase(api::Uid(uid));
  }

  std::map<api::Uid, std::set<std::string>> followed;  // running containers by pod
  std::set<api::Uid, std::less<>> without_liveness;
};

class FakeStatuses final : public kubelet::StatusWriter {
 public:
  explicit FakeStatuses(Faults& faults) : faults_(faults) {}

  void set(const kubelet::PodPtr& pod, json::Document status) override {
    const std::string before = phase(pod->uid());
    statuses_[pod->uid()] = std::make_shared<const json::Document>(std::move(status));
    const std::string now = phase(pod->uid());
    if (now != before) faults_.note(now + " " + pod->uid().str());
  }
  void finish(const kubelet::PodPtr& pod) override { faults_.note("finish " + pod->uid().str()); }
  void seen(const kubelet::PodPtr&) override {}
  std::shared_ptr<const json::Document> last(api::UidView uid) const override {
    const auto found = statuses_.find(uid);
    return found == statuses_.end() ? nullptr : found->second;
  }
  void forget(api::UidView uid) override { statuses_.erase(api::Uid(uid)); }

  std::string phase(api::UidView uid) const {
    const auto status = last(uid);
    return status == nullptr ? "" : std::string(api::View(status->root())["phase"].text());
  }
  size_t size() const { return statuses_.size(); }
  // For these pods the API has the last status; the others are forgotten.
  void keep_only(const std::map<api::Uid, kubelet::PodPtr>& pods) {
    std::erase_if(statuses_, [&pods](const auto& one) { return !pods.contains(one.first); });
  }

 private:
  Faults& faults_;
  std::map<api::Uid, std::shared_ptr<const json::Document>, std::less<>> statuses_;
};

class FakeNode final : public kubelet::NodeAgent {
 public:
  void start() override {}
  void stop() override {}
  void refresh() override {}
  api::ObjectPtr node() const override { return object; }
  kubelet::PodFacts facts() const override {
    return {.node_name = api::NodeName("n1"), .host_addresses = {"192.168.0.1"}};
  }
  kubelet::Pressures pressures() const override { return {}; }
  bool network_ready() const override { return has_network; }
  bool mounts_recursively(const std::string& handler) const override {
    return recursive.contains(handler);
  }

  api::ObjectPtr object = api::Object::make(
      R"({"metadata":{"name":"n1"},"status":{"allocatable":{"cpu":"4","memory":"8Gi","pods":"10"}}})");
  bool has_network = true;
  std::set<std::string> recursive;  // handlers that support it
};

class NoObjects final : public kubelet::ObjectSource {
 public:
  Result<api::ObjectPtr> get(std::string_view, std::string_view resource, std::string_view,
                             std::string_view name) override {
    return Status(Reason::kNotFound,
                  std::string(resource) + " \"" + std::string(name) + "\" not found");
  }
};

}  // namespace proa::testkit

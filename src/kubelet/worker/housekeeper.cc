#include "kubelet/worker/housekeeper.h"

#include <set>

#include "base/log.h"
#include "kubelet/cri/labels.h"

namespace proa::kubelet {
namespace housekeeper {

const Log kLog{"kubelet"};
constexpr Duration kPatience = std::chrono::minutes(1);
// How often it is asked whether all pods are known, at the start.
constexpr Duration kSoon = std::chrono::milliseconds(20);

std::string owner_of(const cri::Labels& labels) {
  const auto found = labels.find(cri::kPodUid);
  return found == labels.end() ? std::string() : found->second;
}

}  // namespace housekeeper

Housekeeper::Housekeeper(const Parts& parts, WorkerPool& pool, std::function<bool()> ready,
                         std::function<void(const std::string& uid)> look)
    : parts_(parts),
      pool_(pool),
      ready_(std::move(ready)),
      look_(std::move(look)),
      logs_(parts.clock, parts.files,
            [&runtime = parts.runtime](const std::string& id, const Until& until) {
              return runtime.reopen_log(id, until);
            },
            parts.paths.logs(),
            {.max_bytes = parts.options.max_log_bytes, .max_files = parts.options.max_log_files}) {}

Housekeeper::~Housekeeper() {
  MutexLock lock(mutex_);
  while (running_) idle_.wait(mutex_);
}

void Housekeeper::on_work(std::function<void()> wake) { wake_ = std::move(wake); }

void Housekeeper::hurry() {
  hurry_ = true;
  if (wake_) wake_();
}

Steady Housekeeper::poll() {
  const Steady now = parts_.clock.steady();
  if (!ready_()) return now + housekeeper::kSoon;
  if (now < due_ && !hurry_.exchange(false)) return due_;
  {
    MutexLock lock(mutex_);
    if (running_) return now + housekeeper::kSoon;
    running_ = true;
  }
  hurry_ = false;
  due_ = now + parts_.options.full_sync;
  if (!pool_.submit([this] { run(); })) {
    MutexLock lock(mutex_);
    running_ = false;
  }
  return due_;
}

void Housekeeper::run() {
  const Result<void> done = compare_runtime();
  if (!done.ok()) {
    housekeeper::kLog.warn("the runtime does not say what it has", {{"error", done.status()}});
  } else {
    find_leftovers();
  }
  MutexLock lock(mutex_);
  running_ = false;
  idle_.notify_all();
}

Result<void> Housekeeper::compare_runtime() {
  const Until until = Until::after(parts_.clock, housekeeper::kPatience);
  const std::vector<cri::Sandbox> sandboxes = TRY(parts_.runtime.sandboxes("", until));
  const std::vector<cri::Container> containers = TRY(parts_.runtime.containers({}, until));
  std::vector<std::string> ids;
  std::set<std::string> changed;
  for (const cri::Sandbox& sandbox : sandboxes) {
    ids.push_back(sandbox.id);
    const bool known = parts_.registry.is_known(sandbox.id, state_number(sandbox.state));
    if (!known) changed.insert(housekeeper::owner_of(sandbox.labels));
  }
  for (const cri::Container& container : containers) {
    ids.push_back(container.id);
    const bool known = parts_.registry.is_known(container.id, state_number(container.state));
    if (!known) changed.insert(housekeeper::owner_of(container.labels));
    if (container.state == cri::ContainerState::kRunning) {
      rotate_log(container, until);
    }
  }
  for (std::string& uid : parts_.registry.missing(ids)) changed.insert(std::move(uid));
  for (const std::string& uid : changed) {
    // Containers that somebody else runs through the same runtime carry no such label.
    if (!uid.empty()) look_(uid);
  }
  return {};
}

void Housekeeper::rotate_log(const cri::Container& container, const Until& until) {
  const auto label = [&container](std::string_view key) {
    const auto found = container.labels.find(key);
    return found == container.labels.end() ? std::string() : found->second;
  };
  const std::string pod = label(cri::kPodName);
  if (pod.empty()) return;
  const std::string path = label(cri::kPodNamespace) + "_" + pod + "_" + label(cri::kPodUid) + "/" +
                           Paths::log_file(container.name, container.attempt);
  const Result<bool> done = logs_.rotate({.container_id = container.id, .path = path}, until);
  if (!done.ok() && !done.is(Reason::kNotFound)) {
    housekeeper::kLog.warn("log not rotated", {{"log", path}, {"error", done.status()}});
  }
}

// Folders and cgroups of pods that nobody knows.
void Housekeeper::find_leftovers() {
  std::set<std::string> found;
  const Result<std::vector<std::string>> folders = parts_.volumes.pods();
  if (folders.ok()) found.insert(folders->begin(), folders->end());
  const Result<std::vector<std::string>> groups = parts_.cgroups.pods();
  if (groups.ok()) found.insert(groups->begin(), groups->end());
  for (const std::string& uid : found) {
    if (parts_.registry.get(uid).pod == nullptr) look_(uid);
  }
}

}  // namespace proa::kubelet

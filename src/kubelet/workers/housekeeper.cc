#include "kubelet/workers/housekeeper.h"

#include <array>
#include <set>

#include "base/log.h"
#include "kubelet/runtime/cri/labels.h"
#include "kubelet/workers/actions/pod_files.h"

namespace proa::kubelet {
namespace housekeeper {

const Log kLog{"kubelet"};
constexpr Duration kPatience = std::chrono::minutes(1);
// How often it is asked whether all pods are known, at the start.
constexpr Duration kSoon = std::chrono::milliseconds(100);

constexpr Duration kBetweenCollections = std::chrono::minutes(5);
// When to look again after the stream of events was broken: what a kubelet before this one asked
// for may still be under way in the runtime, and come to light without anybody to tell it to.
constexpr std::array<Duration, 4> kEchoes{std::chrono::seconds(1), std::chrono::seconds(2),
                                          std::chrono::seconds(4), std::chrono::seconds(8)};

client::ObjectReference node_reference(const Parts& parts) {
  return {.api_version = "v1",
          .kind = "Node",
          .name_space = {},
          .name = parts.options.node_name,
          .uid = parts.options.node_name,
          .resource_version = {},
          .field_path = {}};
}

std::string owner_of(const cri::Labels& labels) {
  const auto found = labels.find(cri::kPodUid);
  return found == labels.end() ? std::string() : found->second;
}

}  // namespace housekeeper

Housekeeper::Housekeeper(const Parts& parts, WorkerPool& pool, std::function<bool()> ready,
                         std::function<void()> tidy)
    : parts_(parts),
      pool_(pool),
      ready_(std::move(ready)),
      tidy_(std::move(tidy)),
      logs_(parts.clock, parts.files,
            [&runtime = parts.runtime](const std::string& id, const Until& until) {
              return runtime.reopen_log(id, until);
            },
            parts.paths.logs(),
            {.max_bytes = parts.options.max_log_bytes, .max_files = parts.options.max_log_files}),
      collector_(
          {.runtime = parts.runtime,
           .clock = parts.clock,
           .events = parts.events,
           .node = [&parts] { return housekeeper::node_reference(parts); },
           .kept = {parts.options.pause_image, "docker.io/proa/hello:1"},
           .seen = [&parts](
                       const std::vector<cri::Image>& images) { parts.images.keep_only(images); }}),
      collect_at_(parts.clock.steady() + housekeeper::kBetweenCollections) {}

Housekeeper::~Housekeeper() {
  stop_.request_stop();
  MutexLock lock(mutex_);
  while (tasks_ > 0) idle_.wait(mutex_);
}

void Housekeeper::on_work(std::function<void()> wake) { wake_ = std::move(wake); }

void Housekeeper::hurry() {
  echo_ = 0;
  hurry_ = true;
  if (wake_) wake_();
}

Steady Housekeeper::poll() {
  const Steady now = parts_.clock.steady();
  if (!all_known_ && ready_()) {
    all_known_ = true;
    hurry_ = true;
  }
  if (begin(now)) {
    const size_t echo = echo_++;
    due_ = now + (echo < housekeeper::kEchoes.size() ? housekeeper::kEchoes[echo]
                                                     : parts_.options.full_sync);
    if (!pool_.submit([this] { run(); })) end();
  }
  if (!all_known_) return now + housekeeper::kSoon;
  MutexLock lock(mutex_);
  // The end of a look has this called again.
  return running_ ? Steady::max() : due_;
}

// Whether it is time for a look, and none is under way.
bool Housekeeper::begin(Steady now) {
  MutexLock lock(mutex_);
  if (running_ || (now < due_ && !hurry_)) return false;
  hurry_ = false;
  running_ = true;
  ++tasks_;
  return true;
}

void Housekeeper::run() {
  const Result<void> done = compare_runtime();
  if (!done.ok()) {
    housekeeper::kLog.warn("the runtime does not say what it has", {{"error", done.status()}});
  } else {
    if (tidy_) tidy_();
    if (all_known_) find_leftovers();
    balance_shares(parts_);
    collect_images();
  }
  end();
}

void Housekeeper::end() {
  {
    MutexLock lock(mutex_);
    running_ = false;
  }
  if (wake_) wake_();
  // Behind this, it may be gone.
  MutexLock lock(mutex_);
  --tasks_;
  idle_.notify_all();
}

Until Housekeeper::until() const {
  return Until::after(parts_.clock, housekeeper::kPatience, stop_.get_token());
}

// Of those that nobody knows yet, some may be wanted.
bool Housekeeper::may_look(const std::string& uid) const {
  return all_known_ || parts_.registry.get(uid).pod != nullptr;
}

Result<void> Housekeeper::compare_runtime() {
  const std::vector<cri::Sandbox> sandboxes = TRY(parts_.runtime.sandboxes("", until()));
  const std::vector<cri::Container> containers = TRY(parts_.runtime.containers({}, until()));
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
      rotate_log(container);
    }
  }
  for (std::string& uid : parts_.registry.missing(ids)) changed.insert(std::move(uid));
  for (const std::string& uid : changed) {
    // Containers that somebody else runs through the same runtime carry no such label.
    if (!uid.empty() && may_look(uid)) parts_.look(uid);
  }
  return {};
}

void Housekeeper::rotate_log(const cri::Container& container) {
  const auto label = [&container](std::string_view key) {
    const auto found = container.labels.find(key);
    return found == container.labels.end() ? std::string() : found->second;
  };
  const std::string pod = label(cri::kPodName);
  if (pod.empty()) return;
  const std::string path = label(cri::kPodNamespace) + "_" + pod + "_" + label(cri::kPodUid) + "/" +
                           Paths::log_file(container.name, container.attempt);
  const Result<bool> done = logs_.rotate({.container_id = container.id, .path = path}, until());
  if (!done.ok() && !done.is(Reason::kNotFound)) {
    housekeeper::kLog.warn("log not rotated", {{"log", path}, {"error", done.status()}});
  }
}

void Housekeeper::collect_images() {
  const Steady now = parts_.clock.steady();
  if (now < collect_at_) return;
  collect_at_ = now + housekeeper::kBetweenCollections;
  const Result<void> done = collector_.collect(until());
  if (!done.ok()) housekeeper::kLog.warn("images not collected", {{"error", done.status()}});
}

// Folders, cgroups and logs of pods that nobody knows.
void Housekeeper::find_leftovers() {
  std::set<std::string> found;
  const Result<std::vector<std::string>> folders = parts_.volumes.pods();
  if (folders.ok()) found.insert(folders->begin(), folders->end());
  const Result<std::vector<std::string>> groups = parts_.cgroups.pods();
  if (groups.ok()) found.insert(groups->begin(), groups->end());
  const Result<std::vector<std::string>> logs = pods_with_logs(parts_.files, parts_.paths);
  if (logs.ok()) found.insert(logs->begin(), logs->end());
  for (const std::string& uid : found) {
    if (parts_.registry.get(uid).pod == nullptr) parts_.look(uid);
  }
}

}  // namespace proa::kubelet

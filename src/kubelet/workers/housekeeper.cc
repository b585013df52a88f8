#include "kubelet/workers/housekeeper.h"

#include <array>
#include <set>

#include "base/log.h"
#include "kubelet/model/reference.h"
#include "kubelet/runtime/cri/labels.h"
#include "kubelet/workers/start/pod_files.h"

namespace proa::kubelet {
namespace housekeeper {

const Log kLog{"kubelet"};
// Of one call to the runtime.
constexpr Duration kCallTimeout = std::chrono::minutes(1);
// How often to ask whether all pods are known, at the start.
constexpr Duration kSyncedPollInterval = std::chrono::milliseconds(100);
constexpr Duration kImageCollectionInterval = std::chrono::minutes(5);
// Delays of the resyncs after the event stream was interrupted: calls of a previous kubelet may
// still be under way in the runtime, and their results come without an event for us.
constexpr std::array<Duration, 4> kResyncDelays{std::chrono::seconds(1), std::chrono::seconds(2),
                                                std::chrono::seconds(4), std::chrono::seconds(8)};

api::Uid owner_of(const cri::Labels& labels) {
  const auto found = labels.find(cri::kPodUid);
  return found == labels.end() ? api::Uid() : api::Uid(found->second);
}

}  // namespace housekeeper

Housekeeper::Housekeeper(Context context)
    : context_(std::move(context)),
      logs_(context_.clock, context_.files,
            [&runtime = context_.runtime](const std::string& id, const Until& until) {
              return runtime.reopen_log(id, until);
            },
            context_.paths.logs(),
            {.max_bytes = context_.options.max_log_bytes,
             .max_files = context_.options.max_log_files}),
      collector_({.runtime = context_.runtime,
                  .clock = context_.clock,
                  .events = context_.events,
                  .node = [this] { return reference_to_node(context_.options.node_name); },
                  .kept = {context_.options.pause_image, "docker.io/proa/hello:1"},
                  .seen =
                      [this](const std::vector<cri::Image>& images) {
                        context_.images.keep_only(images);
                      }}),
      collect_at_(context_.clock.steady() + housekeeper::kImageCollectionInterval) {}

Housekeeper::~Housekeeper() {
  stop_.request_stop();
  MutexLock lock(mutex_);
  while (tasks_ > 0) idle_.wait(mutex_);
}

void Housekeeper::on_work(std::function<void()> wake) { wake_ = std::move(wake); }

void Housekeeper::resync_now() {
  resyncs_ = 0;
  resync_now_ = true;
  if (wake_) wake_();
}

Steady Housekeeper::poll() {
  const Steady now = context_.clock.steady();
  if (!synced_ && context_.pods_synced()) {
    synced_ = true;
    resync_now_ = true;
  }
  if (begin(now)) {
    const size_t resync = resyncs_++;
    due_ = now + (resync < housekeeper::kResyncDelays.size() ? housekeeper::kResyncDelays[resync]
                                                             : context_.options.full_sync);
    if (!context_.pool.submit([this] { run(); })) end();
  }
  if (!synced_) return now + housekeeper::kSyncedPollInterval;
  MutexLock lock(mutex_);
  // The end of the running resync polls again.
  return running_ ? Steady::max() : due_;
}

// Whether a resync is due and none is running.
bool Housekeeper::begin(Steady now) {
  MutexLock lock(mutex_);
  if (running_ || (now < due_ && !resync_now_)) return false;
  resync_now_ = false;
  running_ = true;
  ++tasks_;
  return true;
}

void Housekeeper::run() {
  const Result<void> done = compare_runtime();
  if (!done.ok()) {
    housekeeper::kLog.warn("listing the runtime's pods failed", {{"error", done.status()}});
  } else {
    if (context_.tidy_runtime) context_.tidy_runtime();
    if (synced_) find_leftovers();
    context_.shares.balance();
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
  // After this, the housekeeper may be destroyed.
  MutexLock lock(mutex_);
  --tasks_;
  idle_.notify_all();
}

Until Housekeeper::until() const {
  return Until::after(context_.clock, housekeeper::kCallTimeout, stop_.get_token());
}

// A pod that is not known yet may still turn out to be wanted.
bool Housekeeper::may_enqueue(api::UidView uid) const {
  return synced_ || context_.registry.get(uid).pod != nullptr;
}

Result<void> Housekeeper::compare_runtime() {
  const std::vector<cri::Sandbox> sandboxes = TRY(context_.runtime.sandboxes({}, until()));
  const std::vector<cri::Container> containers = TRY(context_.runtime.containers({}, until()));
  std::vector<std::string> ids;
  std::set<api::Uid> changed;
  for (const cri::Sandbox& sandbox : sandboxes) {
    ids.push_back(sandbox.id);
    const bool known = context_.registry.is_known(sandbox.id, state_number(sandbox.state));
    if (!known) changed.insert(housekeeper::owner_of(sandbox.labels));
  }
  for (const cri::Container& container : containers) {
    ids.push_back(container.id);
    const bool known = context_.registry.is_known(container.id, state_number(container.state));
    if (!known) changed.insert(housekeeper::owner_of(container.labels));
    if (container.state == cri::ContainerState::kRunning) {
      rotate_log(container);
    }
  }
  for (api::Uid& uid : context_.registry.missing(ids)) changed.insert(std::move(uid));
  for (const api::Uid& uid : changed) {
    // Containers of other clients of the runtime carry no such label.
    if (!uid.empty() && may_enqueue(uid)) context_.enqueue(uid);
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
    housekeeper::kLog.warn("log rotation failed", {{"log", path}, {"error", done.status()}});
  }
}

void Housekeeper::collect_images() {
  const Steady now = context_.clock.steady();
  if (now < collect_at_) return;
  collect_at_ = now + housekeeper::kImageCollectionInterval;
  const Result<void> done = collector_.collect(until());
  if (!done.ok())
    housekeeper::kLog.warn("image garbage collection failed", {{"error", done.status()}});
}

// Folders, cgroups and logs of unknown pods.
void Housekeeper::find_leftovers() {
  std::set<api::Uid> found;
  const Result<std::vector<api::Uid>> folders = context_.volumes.pods();
  if (folders.ok()) found.insert(folders->begin(), folders->end());
  const Result<std::vector<api::Uid>> groups = context_.cgroups.pods();
  if (groups.ok()) found.insert(groups->begin(), groups->end());
  const Result<std::vector<api::Uid>> logs = pods_with_logs(context_.files, context_.paths);
  if (logs.ok()) found.insert(logs->begin(), logs->end());
  for (const api::Uid& uid : found) {
    if (context_.registry.get(uid).pod == nullptr) context_.enqueue(uid);
  }
}

}  // namespace proa::kubelet

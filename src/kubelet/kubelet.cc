#include "kubelet/kubelet.h"

#include <algorithm>

#include "base/log.h"
#include "kubelet/assembly/local_volumes.h"
#include "kubelet/assembly/node_endpoint.h"
#include "kubelet/assembly/pod_sources.h"
#include "kubelet/assembly/worker_parts.h"
#include "kubelet/host/machine.h"
#include "kubelet/runtime/cri/runtime_events.h"

namespace proa::kubelet {
namespace agent {

const Log kLog{"kubelet"};
// How often wait_ready() asks whether the node is ready.
constexpr Duration kReadyPollInterval = std::chrono::milliseconds(10);
// How often stop_containers() asks whether all have stopped.
constexpr Duration kHaltPollInterval = std::chrono::milliseconds(20);
// What the runtime may need beyond grace periods, to kill and to report it.
constexpr Duration kHaltSlack = std::chrono::seconds(30);

// Whether the Node has the condition Ready.
Result<void> readiness_of(const api::ObjectPtr& node) {
  if (node == nullptr) return Status(Reason::kServiceUnavailable, "the node is not registered yet");
  const json::Document document = TRY(node->document());
  for (const api::View condition : api::View(document.root())["status"]["conditions"].items()) {
    if (condition["type"].text() != "Ready") continue;
    if (condition["status"].text() == "True") return {};
    return Status(Reason::kServiceUnavailable,
                  "the node is not ready: " + std::string(condition["message"].text()));
  }
  return Status(Reason::kServiceUnavailable, "the node has no condition Ready yet");
}

// The kubelet: its parts, in the order in which they need each other.
class Agent final : public Kubelet {
 public:
  Agent(Context context, std::unique_ptr<Cgroups> cgroups, const MachineFacts& machine);
  ~Agent() override { stop(); }

  Result<void> set_up();
  void start() override;
  void stop_containers(Duration most_grace) override;
  Duration longest_grace() const override;
  void stop() override;
  void refresh_node() override { pods_.node->refresh(); }
  Result<void> health() const override { return readiness_of(pods_.node->node()); }
  bool wait_ready(const Until& until) override;

 private:
  Result<void> set_up_cgroups();
  void follow_runtime();

  Core core_;
  PodParts pods_;
  WorkerParts workers_;
  PodSources sources_;
  // Null if this node does not manage local-path volumes.
  std::unique_ptr<LocalVolumes> local_volumes_;
  std::unique_ptr<cri::RuntimeEvents> runtime_events_;
  NodeEndpoint endpoint_;
  bool started_ = false;
};

Agent::Agent(Context context, std::unique_ptr<Cgroups> cgroups, const MachineFacts& machine)
    : core_(std::move(context), std::move(cgroups)),
      pods_(core_, [this] { return sources_.pods_synced(); }),
      workers_(
          core_, pods_, machine,
          {.services =
               [this](std::string_view name_space) { return sources_.services_for(name_space); },
           .services_synced = [this] { return sources_.services_synced(); },
           .pods_synced = [this] { return sources_.pods_synced(); }}),
      sources_(core_, pods_),
      endpoint_(core_, pods_) {
  core_.poller.add(pods_.objects);
  core_.poller.add(workers_.runner);
  core_.poller.add(workers_.mirror_runner);
  core_.poller.add(workers_.housekeeper);
  if (!core_.context.options.local_volumes.empty()) {
    local_volumes_ = std::make_unique<LocalVolumes>(core_);
  }
}

Result<void> Agent::set_up() {
  TRY(core_.context.files.make_dirs(core_.paths.pods(), 0750));
  for (const std::string& folder :
       {core_.paths.logs(), core_.paths.log_records(), core_.paths.log_links()}) {
    TRY(core_.context.files.make_dirs(folder, 0755));
  }
  TRY(set_up_cgroups());
  TRY(sources_.follow_manifest_folder());
  return endpoint_.listen();
}

Result<void> Agent::set_up_cgroups() {
  const Machine machine = read_machine(core_.context.files, "");
  Result<void> limited = core_.cgroups->set_up(machine.memory_bytes, machine.cpus * 1000);
  if (!limited.is(Reason::kConflict)) return limited;
  // Pods that run already use more than the new limit.
  kLog.warn("limiting the pods' total memory failed", {{"error", limited.status()}});
  return {};
}

void Agent::start() {
  if (started_) return;
  started_ = true;
  pods_.node->start();
  follow_runtime();
  workers_.runner.start();
  workers_.mirror_runner.start();
  if (local_volumes_ != nullptr) local_volumes_->start();
  core_.poller.start();
}

void Agent::follow_runtime() {
  runtime_events_ = cri::follow_runtime(core_.context.http, core_.context.loops.at(0),
                                        core_.context.options.runtime_socket,
                                        {.changed =
                                             [this](const std::string& id) {
                                               const api::Uid uid = pods_.registry.owner(id);
                                               if (!uid.empty()) core_.enqueue(uid);
                                             },
                                         .resumed =
                                             [this] {
                                               pods_.node->refresh();
                                               workers_.housekeeper.resync_now();
                                             }});
}

bool Agent::wait_ready(const Until& until) {
  Mutex mutex;
  CondVar never;
  MutexLock lock(mutex);
  while (!sources_.pods_synced() || !health().ok()) {
    const Steady now = core_.context.clock.steady();
    if (now >= until.deadline || until.stop.stop_requested()) return false;
    core_.context.clock.wait_until(never, mutex,
                                   std::min(now + kReadyPollInterval, until.deadline));
  }
  return true;
}

Duration Agent::longest_grace() const {
  Duration longest{0};
  for (const PodPtr& pod : pods_.registry.pods()) {
    longest = std::max(longest, bounded_seconds(pod->grace_seconds()));
  }
  return longest;
}

void Agent::stop_containers(Duration most_grace) {
  const Steady deadline =
      core_.context.clock.steady() + std::min(most_grace, longest_grace()) + kHaltSlack;
  pods_.halt.begin(most_grace);
  pods_.enqueue_all();
  Mutex mutex;
  CondVar never;
  MutexLock lock(mutex);
  while (pods_.registry.any_may_run()) {
    const Steady now = core_.context.clock.steady();
    if (now >= deadline) {
      kLog.warn("containers did not stop in time");
      return;
    }
    core_.context.clock.wait_until(never, mutex, std::min(now + kHaltPollInterval, deadline));
  }
}

void Agent::stop() {
  if (!started_) return;
  started_ = false;
  endpoint_.stop();
  runtime_events_.reset();
  sources_.stop();
  core_.poller.stop();
  workers_.stop();
  if (local_volumes_ != nullptr) local_volumes_->stop();
  pods_.node->stop();
}

}  // namespace agent

Result<std::unique_ptr<Kubelet>> Kubelet::make(Context context) {
  std::unique_ptr<Cgroups> cgroups = TRY(open_cgroups(context.files, context.options));
  const MachineFacts machine = TRY(read_machine_facts(context.files, cgroups->is_v2()));
  auto made = std::make_unique<agent::Agent>(std::move(context), std::move(cgroups), machine);
  TRY(made->set_up());
  return std::unique_ptr<Kubelet>(std::move(made));
}

}  // namespace proa::kubelet

#include "cli/node/teardown.h"

#include <fmt/format.h>
#include <signal.h>

#include <algorithm>
#include <functional>
#include <set>

#include "base/process/spawn.h"
#include "base/threads/group.h"
#include "cli/host/instance_lock.h"
#include "cli/host/signals.h"
#include "cli/node/foreign_runtime.h"
#include "cli/node/leftovers.h"
#include "cli/node/own_runtime.h"
#include "cli/node/stop_containers.h"
#include "http/client/client.h"
#include "kubelet/host/cgroups/cgroups.h"
#include "kubelet/model/options.h"
#include "kubelet/runtime/containerd/await_runtime.h"
#include "kubelet/runtime/containerd/socket_check.h"
#include "kubelet/runtime/cri/cri_runtime.h"
#include "kubelet/runtime/cri/labels.h"

namespace proa::cli {
namespace ending {

// Longer than the default drain timeout of a server, and what it waits for pods beyond their grace.
constexpr Duration kStopTimeout = std::chrono::seconds(90);
// Of pods in a runtime that cannot be asked.
constexpr Duration kUnknownGrace = std::chrono::seconds(30);
constexpr Duration kRuntimeCallTimeout = std::chrono::minutes(2);
// Concurrency at which containerd does not slow down.
constexpr size_t kAtOnce = 16;

using kubelet::cri::Runtime;
// Selects pods by uid.
using Chosen = std::function<bool(api::UidView uid)>;

bool is_chosen(const Chosen& chosen, const kubelet::cri::Labels& labels) {
  const auto uid = labels.find(kubelet::cri::kPodUid);
  return chosen(uid == labels.end() ? api::UidView() : api::UidView(uid->second));
}

// Returns the number of those that were ready.
Result<size_t> end_sandboxes(Runtime& runtime, WorkerPool& pool, Clock& clock, const Chosen& chosen,
                             bool removes) {
  const auto sandboxes = TRY(runtime.sandboxes({}, Until::after(clock, kRuntimeCallTimeout)));
  Group group(pool, clock);
  size_t count = 0;
  for (const auto& sandbox : sandboxes) {
    if (!is_chosen(chosen, sandbox.labels)) continue;
    if (sandbox.state == kubelet::cri::SandboxState::kReady) ++count;
    group.run([&, id = sandbox.id](const std::stop_token& stop) -> Result<void> {
      TRY(runtime.stop_sandbox(id, Until::after(clock, kRuntimeCallTimeout, stop)));
      if (!removes) return {};
      return runtime.remove_sandbox(id, Until::after(clock, kRuntimeCallTimeout, stop));
    });
  }
  TRY(group.wait());
  return count;
}

// A runtime that was killed while stopping containers may have left them frozen; it would wait for
// them forever.
Result<void> thaw_pods(const NodePaths& place, Files& files) {
  kubelet::KubeletOptions options;
  options.cgroup_root = place.cgroup_root;
  const auto cgroups = TRY(kubelet::open_cgroups(files, options));
  // Below the machine's root cgroup others may have pods too.
  const bool shared = place.cgroup_root == "/";
  const auto uids = shared ? list_own_pods(place, files) : cgroups->pods();
  if (!uids.ok()) return uids.status();
  for (const api::Uid& uid : *uids) TRY(cgroups->thaw(uid));
  return {};
}

// Returns the number of pods that were running.
Result<size_t> end_pods_of(const std::string& socket, Clock& clock, const Teardown& teardown,
                           const Chosen& chosen) {
  http::LoopGroup loops(1);
  http::Client http(loops, clock, {});
  WorkerPool pool({.max_threads = kAtOnce});
  const auto runtime = kubelet::cri::connect_runtime(http, socket);
  TRY(kubelet::await_runtime(*runtime, clock, Until::after(clock, kStopTimeout)));
  TRY(stop_containers(*runtime, clock, teardown.most_grace,
                      [&chosen](const auto& labels) { return is_chosen(chosen, labels); }));
  return end_sandboxes(*runtime, pool, clock, chosen, teardown.removes_pods);
}

// How long the pods of a runtime may take to stop.
Duration longest_grace_at(const std::string& socket, Clock& clock) {
  if (!kubelet::who_listens(socket)) return kUnknownGrace;
  http::LoopGroup loops(1);
  http::Client http(loops, clock, {});
  const auto runtime = kubelet::cri::connect_runtime(http, socket);
  const Result<Duration> longest = longest_grace(*runtime, clock);
  return longest.ok() ? *longest : kUnknownGrace;
}

}  // namespace ending

Result<bool> end_process(const NodePaths& place, Clock& clock, const Teardown& teardown,
                         Terminal& terminal) {
  const auto holder = lock_holder(place.lock);
  if (!holder) return false;
  const auto process = ProcessHandle::open(*holder);
  // It exited meanwhile, or its pid was reused.
  if (process.is(Reason::kNotFound) || lock_holder(place.lock) != holder) return false;
  if (!process) return process.status();
  terminal.out(
      fmt::format("stopping process {}{}\n", *holder, teardown.stops_pods ? " and its pods" : ""));
  Duration grace{0};
  if (teardown.stops_pods) {
    grace = std::min(ending::longest_grace_at(place.socket, clock),
                     teardown.most_grace.value_or(Duration::max()));
    process->signal(kStopWithPods, grace_value(teardown.most_grace));
  } else {
    process->signal(SIGTERM);
  }
  if (process->wait_for_end(grace + ending::kStopTimeout)) return true;
  terminal.out("the process did not stop in time and was killed\n");
  process->signal(SIGKILL);
  if (!process->wait_for_end(ending::kStopTimeout)) {
    return Status(Reason::kTimeout, fmt::format("process {} does not exit", *holder));
  }
  return true;
}

Result<size_t> end_pods(const NodePaths& place, Files& files, Clock& clock,
                        const Teardown& teardown) {
  const bool was_there = TRY(files.exists(place.containerd_state));
  if (!was_there && !kubelet::who_listens(place.socket)) return size_t{0};
  OwnRuntime::Options options;
  options.sandbox_image = kubelet::KubeletOptions().pause_image;
  const auto own = TRY(OwnRuntime::start(files, clock, place, options));
  // On failure, the runtime reports what it cannot stop.
  (void)ending::thaw_pods(place, files);
  Result<size_t> pods =
      ending::end_pods_of(place.socket, clock, teardown, [](api::UidView) { return true; });
  own->end();
  // Removes the rest by force.
  TRY(remove_traces(place, files, clock));
  return pods;
}

Result<size_t> end_foreign_pods(const NodePaths& place, Files& files, Clock& clock,
                                const Teardown& teardown) {
  const std::string socket = foreign_runtime_of(files, place);
  if (socket.empty() || !kubelet::who_listens(socket)) return size_t{0};
  const auto uids = list_own_pods(place, files);
  if (uids.is(Reason::kNotFound)) return size_t{0};
  if (!uids.ok()) return uids.status();
  const std::set<api::Uid, std::less<>> own(uids->begin(), uids->end());
  (void)ending::thaw_pods(place, files);
  return ending::end_pods_of(socket, clock, teardown,
                             [&own](api::UidView uid) { return own.contains(uid); });
}

}  // namespace proa::cli

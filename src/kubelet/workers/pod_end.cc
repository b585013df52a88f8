// The second half of PodWorker: how pods end.

#include <algorithm>

#include "base/log.h"
#include "base/strings.h"
#include "kubelet/runtime/cri/labels.h"
#include "kubelet/workers/actions/pod_files.h"
#include "kubelet/workers/look.h"

namespace proa::kubelet {
namespace pod_end {

const Log kLog{"kubelet"};

bool may_run(const cri::Container& container) {
  return container.state == cri::ContainerState::kRunning ||
         container.state == cri::ContainerState::kUnknown;
}

std::string text_of(const cri::Labels& labels, std::string_view key) {
  const auto found = labels.find(key);
  return found == labels.end() ? std::string() : found->second;
}

// What its container was told about its pod: all that is known of one that nobody wants.
Duration noted_grace(const cri::Container& container) {
  const std::string deletion = text_of(container.annotations, cri::kPodDeletionGrace);
  const std::string spec = text_of(container.annotations, cri::kPodTerminationGrace);
  return bounded_seconds(parse_int(deletion.empty() ? spec : deletion).value_or(2));
}

}  // namespace pod_end

void PodWorker::thaw(const std::string& uid) {
  const Result<void> thawed = parts_.cgroups.thaw(uid);
  if (!thawed.ok()) {
    pod_end::kLog.warn("a pod may be frozen", {{"uid", uid}, {"error", thawed.status()}});
  }
}

Result<client::Again> PodWorker::terminate(Look& look) {
  PodMemory& memory = look.memory;
  if (!look.running.empty()) thaw(look.uid());
  // Who asks for another grace period meanwhile begins to count anew.
  if (!memory.stopping_since || memory.stopping_grace != look.pod->grace_seconds()) {
    memory.stopping_since = parts_.clock.steady();
    memory.stopping_grace = look.pod->grace_seconds();
    parts_.prober.stop_liveness(look.uid());
  }
  for (const cri::Container& container : look.running.containers) {
    parts_.post_starts.call_off(container.id);
  }
  if (!stop_all(look)) {
    probe(look);
    publish(look, false);
    return client::Again{};
  }
  for (cri::Sandbox& sandbox : look.running.sandboxes) {
    if (sandbox.state == cri::SandboxState::kReady || look.leaves()) {
      TRY(parts_.runtime.stop_sandbox(sandbox.id, until()));
      sandbox.state = cri::SandboxState::kNotReady;
    }
  }
  if (!memory.cleaned_up) {
    // Before anything of it goes: its logs may hold the message of its end.
    publish(look, true);
    TRY(clean_up(look));
    memory.cleaned_up = true;
    parts_.allocations.forget(look.uid());
    balance_shares(parts_);
  }
  if (!look.leaves()) return client::Again{};
  TRY(remove_from_runtime(look));
  if (look.gone || look.returned) {
    parts_.statuses.forget(look.uid());
    for (const std::string& next : parts_.registry.forget(look.uid())) parts_.look(next);
  } else if (!memory.finished) {
    parts_.statuses.finish(look.pod);
    memory.finished = true;
  }
  return client::Again{};
}

// Whether nothing of it runs any more. Sidecars end last, in the reverse of the order in which they
// began.
bool PodWorker::stop_all(Look& look) {
  std::vector<std::vector<const cri::Container*>> turns(1);
  const std::vector<ContainerSpec> specs = containers_of(*look.pod);
  const auto add = [&](std::string_view name) {
    const cri::Container* container = look.running.newest(name);
    if (container != nullptr && pod_end::may_run(*container)) turns.push_back({container});
  };
  for (auto spec = specs.rbegin(); spec != specs.rend(); ++spec) {
    if (spec->kind == ContainerKind::kSidecar) add(spec->name());
  }
  for (const cri::Container& container : look.running.containers) {
    const bool is_sidecar = std::any_of(turns.begin() + 1, turns.end(), [&](const auto& turn) {
      return turn.front() == &container;
    });
    if (pod_end::may_run(container) && !is_sidecar) turns.front().push_back(&container);
    if (!pod_end::may_run(container)) parts_.stopper.forget(container.id);
  }
  Duration grace = bounded_seconds(look.pod->grace_seconds());
  if (look.gone) grace = std::max<Duration>(grace, std::chrono::seconds(1));
  if (look.memory.stopping_since) {
    grace -= parts_.clock.steady() - *look.memory.stopping_since;
  }
  const std::vector<std::string> addresses = look.addresses();
  std::erase_if(turns, [](const auto& turn) { return turn.empty(); });
  // The preStop handlers of all begin at once, before the first of them is stopped.
  for (auto turn = turns.rbegin(); turn != turns.rend(); ++turn) {
    const bool waits = std::next(turn) != turns.rend() && grace > Duration::zero();
    for (const cri::Container* container : *turn) {
      parts_.stopper.stop({.pod = look.pod,
                           .pod_uid = look.uid(),
                           .container = *container,
                           .pod_address = addresses.empty() ? std::string() : addresses.front(),
                           .message = {},
                           .grace = std::max(grace, Duration::zero()),
                           .waits_for_turn = waits});
    }
  }
  return turns.empty();
}

// What the node holds for it besides the runtime.
Result<void> PodWorker::clean_up(Look& look) {
  parts_.prober.forget(look.uid());
  parts_.images.forget(look.uid());
  for (const cri::Container& container : look.running.containers) {
    parts_.probes.forget(container.id);
  }
  TRY(parts_.volumes.unmount(look.uid()));
  return parts_.cgroups.remove(look.uid());
}

Result<void> PodWorker::remove_container(const Look& look, const cri::Container& container) {
  const Result<void> removed = parts_.runtime.remove_container(container.id, until());
  if (!removed.ok() && !removed.is(Reason::kNotFound)) return removed;
  parts_.probes.forget(container.id);
  parts_.post_starts.forget(container.id);
  return remove_log(parts_.files, parts_.paths, *look.pod, container);
}

Result<void> PodWorker::remove_from_runtime(Look& look) {
  for (const cri::Container& container : look.running.containers) {
    TRY(remove_container(look, container));
  }
  for (const cri::Sandbox& sandbox : look.running.sandboxes) {
    const Result<void> removed = parts_.runtime.remove_sandbox(sandbox.id, until());
    if (!removed.ok() && !removed.is(Reason::kNotFound)) return removed;
  }
  return remove_logs(parts_.files, parts_.paths, *look.pod);
}

// The newest of each name is kept, and the one before it: what `kubectl logs --previous` shows.
Result<void> PodWorker::remove_old_containers(Look& look) {
  std::map<std::string_view, int> ended;
  std::vector<const cri::Container*> old;
  for (const cri::Container& container : look.running.containers) {
    const bool is_newest = look.running.newest(container.name) == &container;
    if (pod_end::may_run(container) || is_newest) continue;
    if (++ended[container.name] > 1 || container.state == cri::ContainerState::kCreated) {
      old.push_back(&container);
    }
  }
  for (const cri::Container* container : old) TRY(remove_container(look, *container));
  for (size_t i = 1; i < look.running.sandboxes.size(); ++i) {
    const cri::Sandbox& sandbox = look.running.sandboxes[i];
    const bool used = std::any_of(look.running.containers.begin(), look.running.containers.end(),
                                  [&](const cri::Container& container) {
                                    const bool is_old =
                                        std::find(old.begin(), old.end(), &container) != old.end();
                                    return container.sandbox_id == sandbox.id && !is_old;
                                  });
    if (used) continue;
    TRY(parts_.runtime.stop_sandbox(sandbox.id, until()));
    TRY(parts_.runtime.remove_sandbox(sandbox.id, until()));
  }
  return {};
}

// Nobody wants it, and nobody knows its spec: it went while this program was away.
Result<client::Again> PodWorker::remove_unknown(const std::string& uid,
                                                const cri::RuntimePod& running) {
  if (!running.empty()) thaw(uid);
  bool any = false;
  for (const cri::Container& container : running.containers) {
    if (!pod_end::may_run(container)) continue;
    any = true;
    parts_.stopper.stop({.pod = nullptr,
                         .pod_uid = uid,
                         .container = container,
                         .pod_address = {},
                         .message = {},
                         .grace = pod_end::noted_grace(container)});
  }
  if (any) return client::Again{};
  for (const cri::Container& container : running.containers) {
    const Result<void> removed = parts_.runtime.remove_container(container.id, until());
    if (!removed.ok() && !removed.is(Reason::kNotFound)) return removed.status();
  }
  for (const cri::Sandbox& sandbox : running.sandboxes) {
    TRY(parts_.runtime.stop_sandbox(sandbox.id, until()));
    TRY(parts_.runtime.remove_sandbox(sandbox.id, until()));
  }
  TRY(remove_logs(parts_.files, parts_.paths, uid));
  TRY(parts_.volumes.unmount(uid));
  TRY(parts_.cgroups.remove(uid));
  parts_.registry.forget(uid);
  return client::Again{};
}

}  // namespace proa::kubelet

#include "kubelet/workers/pod_worker.h"

#include <algorithm>

#include "base/log.h"
#include "kubelet/model/reference.h"
#include "kubelet/model/status_fields.h"
#include "kubelet/pod/container/runtime_handler.h"
#include "kubelet/pod/status/termination_message.h"
#include "kubelet/workers/look.h"

namespace proa::kubelet {
namespace pod_worker {

const Log kLog{"kubelet"};
// What one call to the runtime may take before it counts as failed.
constexpr Duration kPatience = std::chrono::minutes(4);
constexpr Duration kBetweenLooksAtDisks = std::chrono::seconds(30);

// Whether others are to be started than those that were.
bool opens_the_way(const PodPlan& before, const PodPlan& after) {
  const auto same = [](const ContainerSpec& a, const ContainerSpec& b) {
    return a.name() == b.name();
  };
  return !after.start.empty() && !std::equal(before.start.begin(), before.start.end(),
                                             after.start.begin(), after.start.end(), same);
}

}  // namespace pod_worker

Until PodWorker::until() const { return Until::after(parts_.clock, pod_worker::kPatience, stop_); }

Until PodWorker::until(const Look& look) const {
  return Until::after(parts_.clock, pod_worker::kPatience, look.stop);
}

Result<client::Again> PodWorker::reconcile(const client::Key& key) {
  const std::string& uid = key.name;
  const Registry::Entry entry = parts_.registry.get(uid);
  cri::RuntimePod running = TRY(cri::inspect_pod(parts_.runtime, uid, until()));
  parts_.registry.seen(uid, running);
  if (entry.pod == nullptr) return remove_unknown(uid, running);
  std::stop_source called_off;
  const auto call_off = [&called_off] { called_off.request_stop(); };
  const std::stop_callback on_stop(stop_, call_off);
  const std::stop_callback on_leaving(entry.memory->leaving.get_token(), call_off);
  Look look{.pod = parts_.allocations.allocated(entry.pod),
            .gone = entry.gone,
            .returned = entry.returned,
            .memory = *entry.memory,
            .running = std::move(running),
            .stop = called_off.get_token()};
  if (look.leaves()) return terminate(look);
  // Whoever had its name before has it looked at again.
  if (look.running.empty() && parts_.registry.must_wait(*look.pod)) return client::Again{};
  // Nobody can judge it while the node is unknown: whoever registers that has all pods looked at.
  // Static pods run even if there is no API.
  if (look.running.empty() && !look.pod->is_static() && parts_.node.node() == nullptr) {
    return client::Again{};
  }
  admit(look, entry.pod);
  check_deadline(look);
  // One that was over before this program began.
  if (look.pod->is_finished()) look.memory.over = true;
  if (look.memory.over) return terminate(look);
  Result<client::Again> done = sync(look);
  if (done.ok()) return done;
  // It was called off because the pod shall go: who said that has it looked at again.
  if (look.memory.leaving.stop_requested()) return client::Again{};
  probe(look);
  publish(look, false);
  return done;
}

// Decides once whether it may run here, and after that whether it may have what it asks for since.
void PodWorker::admit(Look& look, const PodPtr& wanted) {
  if (look.memory.over) return;
  if (!look.memory.admitted) {
    const Refusal refusal = parts_.allocations.admit(wanted, !look.running.empty());
    if (!refusal.reason.empty()) {
      parts_.events.warning(reference_to(*wanted), refusal.reason, refusal.message);
      look.memory.over = true;
      look.memory.refused = true;
      look.memory.final_reason = refusal.reason;
      look.memory.final_message = refusal.message;
      return;
    }
  }
  if (wanted->is_finished()) return;
  const std::optional<Duration> again = parts_.allocations.settle(wanted);
  if (again) look.look_at(parts_.clock.steady() + *again);
  look.pod = parts_.allocations.allocated(wanted);
}

void PodWorker::check_deadline(Look& look) {
  const api::View seconds = look.pod->spec()["activeDeadlineSeconds"];
  if (!seconds || look.memory.over) return;
  const std::shared_ptr<const json::Document> last = parts_.statuses.last(look.uid());
  const api::View status = last ? api::View(last->root()) : look.pod->status();
  const Result<Time> started = parse_time(status["startTime"].text());
  if (!started.ok()) {
    // It begins now, as its first status will say.
    look.look_at(parts_.clock.steady() + std::chrono::seconds(seconds.integer()));
    return;
  }
  const Duration left = *started + std::chrono::seconds(seconds.integer()) - parts_.clock.now();
  if (left > Duration::zero()) {
    look.look_at(parts_.clock.steady() + left);
    return;
  }
  look.memory.over = true;
  look.memory.final_reason = "DeadlineExceeded";
  look.memory.final_message = "Pod was active on the node longer than the specified deadline";
  parts_.events.normal(reference_to(*look.pod), look.memory.final_reason,
                       look.memory.final_message);
}

// Whoever fills an emptyDir beyond its limit is evicted. The disk does not tell: somebody has to
// look.
Result<void> PodWorker::check_storage(Look& look) {
  const auto volumes = look.pod->spec()["volumes"].items();
  const bool limited = std::any_of(volumes.begin(), volumes.end(), [](api::View volume) {
    return volume["emptyDir"]["sizeLimit"].exists();
  });
  if (!limited) return {};
  const std::string exceeded = TRY(parts_.volumes.exceeded_limit(*look.pod));
  if (exceeded.empty()) {
    look.look_at(parts_.clock.steady() + pod_worker::kBetweenLooksAtDisks);
    return {};
  }
  look.memory.over = true;
  look.memory.final_reason = "Evicted";
  look.memory.final_message = exceeded;
  parts_.events.warning(reference_to(*look.pod), "Evicted", exceeded);
  return {};
}

Result<client::Again> PodWorker::sync(Look& look) {
  if (!look.pod->uses_host_network() && !parts_.node.network_ready()) {
    parts_.events.warning(reference_to(*look.pod), "NetworkNotReady",
                          "network is not ready: container runtime network not ready");
    publish(look, false);
    // Whoever sees the network come has all pods looked at again.
    return client::Again{};
  }
  const bool clear = TRY(clear_for_restart(look));
  if (!clear) return again(look);
  heed_post_starts(look);
  plan_resize(look);
  const auto plan_now = [&] {
    return plan_pod(*look.pod, look.running, parts_.probes, look.memory.restarting,
                    look.begin_again());
  };
  const PodPlan plan = plan_now();
  TRY(act(look, plan));
  // Who has begun may let others begin, and nobody tells us of our own starts.
  if (pod_worker::opens_the_way(plan, plan_now())) look.look_at(parts_.clock.steady());
  if (!look.memory.over) TRY(check_storage(look));
  if (look.memory.over) return terminate(look);
  end_resize(look);
  probe(look);
  publish(look, false);
  if (look.memory.over) return terminate(look);
  TRY(look.resized);
  TRY(remove_old_containers(look));
  const Time refresh = parts_.volumes.next_refresh(look.uid());
  if (refresh != Time::max()) {
    const Duration wait = std::max<Duration>(refresh - parts_.clock.now(), std::chrono::seconds(1));
    look.look_at(parts_.clock.steady() + wait);
  }
  return again(look);
}

client::Again PodWorker::again(const Look& look) const {
  if (look.next == Steady::max()) return {};
  return {std::max<Duration>(look.next - parts_.clock.steady(), std::chrono::milliseconds(1))};
}

Result<void> PodWorker::act(Look& look, const PodPlan& plan) {
  if (plan.stop_all || !plan.stop.empty()) thaw(look.uid());
  if (plan.stop_all) {
    if (plan.new_sandbox) {
      parts_.events.normal(reference_to(*look.pod), "SandboxChanged",
                           "Pod sandbox changed, it will be killed and re-created.");
    }
    if (!stop_all(look)) return {};
    for (cri::Sandbox& sandbox : look.running.sandboxes) {
      TRY(parts_.runtime.stop_sandbox(sandbox.id, until(look)));
      sandbox.state = cri::SandboxState::kNotReady;
    }
    if (!plan.new_sandbox) {
      look.memory.over = true;
      return {};
    }
  }
  const Result<Ground> ground =
      starter_.prepare(look.pod, look.memory, plan.attempt, look.addresses(), until(look));
  if (!ground.ok()) return ground.status();
  if (plan.new_sandbox) {
    TRY(starter_.make_sandbox(*ground, until(look)));
    look.running.sandboxes = TRY(cri::inspect_sandboxes(parts_.runtime, look.uid(), until(look)));
    parts_.registry.seen(look.uid(), look.running);
    if (look.running.ready_sandbox() == nullptr) {
      return Status(Reason::kServiceUnavailable, "the sandbox ended right after it was made");
    }
  }
  stop_some(look, plan);
  look.resized = resize(look);
  return start_all(look, *ground, plan);
}

void PodWorker::stop_some(Look& look, const PodPlan& plan) {
  const std::vector<std::string> addresses = look.addresses();
  for (const ContainerStop& stop : plan.stop) {
    const auto container =
        std::find_if(look.running.containers.begin(), look.running.containers.end(),
                     [&stop](const cri::Container& candidate) { return candidate.id == stop.id; });
    if (container == look.running.containers.end()) continue;
    if (stop.again) look.memory.begin_again[stop.name] = stop.id;
    int64_t grace = look.pod->grace_seconds();
    const std::optional<ContainerSpec> spec = find_container(*look.pod, stop.name);
    if (spec && stop.reason != StopReason::kNone) {
      const api::View probe =
          spec->view[stop.reason == StopReason::kLiveness ? "livenessProbe" : "startupProbe"];
      grace = probe["terminationGracePeriodSeconds"].integer(grace);
    }
    parts_.stopper.stop({.pod = look.pod,
                         .pod_uid = look.uid(),
                         .container = *container,
                         .pod_address = addresses.empty() ? std::string() : addresses.front(),
                         .message = stop.message,
                         .grace = bounded_seconds(grace)});
  }
}

// A container whose postStart handler failed is stopped; its policy says whether it begins anew.
// The handler of one that ended by itself ends too.
void PodWorker::heed_post_starts(Look& look) {
  const std::vector<std::string> addresses = look.addresses();
  for (const cri::Container& container : look.running.containers) {
    if (container.state == cri::ContainerState::kExited) {
      parts_.post_starts.call_off(container.id);
      continue;
    }
    const std::optional<Status> failure = parts_.post_starts.failure(container.id);
    if (!failure) continue;
    look.memory.waiting[container.name] = {"PostStartHookError", failure->message()};
    parts_.stopper.stop({.pod = look.pod,
                         .pod_uid = look.uid(),
                         .container = container,
                         .pod_address = addresses.empty() ? std::string() : addresses.front(),
                         .message = "FailedPostStartHook",
                         .grace = bounded_seconds(look.pod->grace_seconds())});
  }
}

Result<void> PodWorker::start_all(Look& look, const Ground& ground, const PodPlan& plan) {
  bool any = false;
  for (const ContainerSpec& container : plan.start) {
    if (look.stop.stop_requested()) return Status(Reason::kServiceUnavailable, "called off");
    if (parts_.post_starts.holds_up(look.uid())) break;
    const cri::Container* newest = look.running.newest(container.name());
    // Its place is taken until it has been stopped.
    const bool runs = newest != nullptr && (newest->state == cri::ContainerState::kRunning ||
                                            parts_.stopper.is_stopping(newest->id));
    if (runs) continue;
    look.look_at(starter_.start(ground, container, look.running, until(look)));
    any = true;
  }
  if (!any) return {};
  look.running.containers = TRY(cri::inspect_containers(parts_.runtime, look.uid(), until(look)));
  parts_.registry.seen(look.uid(), look.running);
  return {};
}

void PodWorker::plan_resize(Look& look) {
  look.resize = resizer_.plan(*look.pod, look.running, look.memory);
  if (look.resize.empty()) return;
  parts_.allocations.begin(look.pod);
  publish(look, false);
}

// Brings what runs to what the pod was given; those that begin anew get it when they are started.
Result<void> PodWorker::resize(Look& look) {
  const bool in_progress = parts_.allocations.conditions(look.uid()).in_progress.has_value();
  if (look.resize.empty() && look.memory.sized && !in_progress) return {};
  Result<void> done =
      resizer_.carry_out(*look.pod, look.running, look.resize, look.memory, until(look));
  if (!done.ok() && look.stop.stop_requested()) return done;
  if (!done.ok()) parts_.allocations.fail(look.pod, done.status().message());
  if (!look.resize.memory.empty() || !look.resize.cpu.empty()) {
    look.running.containers = TRY(cri::inspect_containers(parts_.runtime, look.uid(), until(look)));
  }
  return done;
}

void PodWorker::end_resize(Look& look) {
  // Who waits for containers to end is looked at again when they have.
  if (!look.resized.ok() || !look.memory.sized) return;
  if (!resizer_.plan(*look.pod, look.running, look.memory).empty()) return;
  parts_.allocations.complete(look.pod);
}

// A container whose postStart handler runs does not count as running yet: what came before it does.
cri::RuntimePod PodWorker::shown(const Look& look) const {
  cri::RuntimePod shown = look.running;
  if (look.memory.stopping_since) return shown;
  std::erase_if(shown.containers, [this](const cri::Container& container) {
    return parts_.post_starts.is_running(container.id);
  });
  return shown;
}

void PodWorker::probe(const Look& look) { parts_.prober.follow(look.pod, shown(look)); }

void PodWorker::publish(Look& look, bool stopped) {
  // Nobody is there to be told.
  if (look.gone) return;
  const Pod& pod = *look.pod;
  const auto message = [&](const cri::Container& ended) {
    return read_termination_message(parts_.files, parts_.paths, pod.uid(), ended);
  };
  if (look.memory.refused) {
    parts_.statuses.set(look.pod, refused_status(pod, look.memory.final_reason,
                                                 look.memory.final_message, parts_.clock.now()));
    return;
  }
  const std::shared_ptr<const json::Document> before = parts_.statuses.last(pod.uid());
  const cri::RuntimePod running = shown(look);
  const ResizeConditions resize = parts_.allocations.conditions(pod.uid());
  std::optional<CgroupValues> enforced;
  if (resize.in_progress) {
    const Result<CgroupValues> found = parts_.cgroups.values(pod);
    if (found.ok()) enforced = *found;
  }
  const auto handler_can = [this](const std::string& handler) {
    return parts_.node.mounts_recursively(handler);
  };
  json::Document status =
      compute_status({.pod = pod,
                      .running = running,
                      .probes = parts_.probes,
                      .facts = starter_.facts(pod, look.addresses()),
                      .now = parts_.clock.now(),
                      .previous = before == nullptr ? api::View() : api::View(before->root()),
                      .waiting = look.memory.waiting,
                      .bounds = look.memory.bounds,
                      .resize = resize,
                      .enforced = enforced,
                      .begin_again = look.begin_again(),
                      .final_reason = look.memory.final_reason,
                      .final_message = look.memory.final_message,
                      .stopping = look.memory.stopping_since.has_value(),
                      .stopped = stopped,
                      .termination_message = message,
                      .recursive_read_only = mounts_recursively(parts_.objects, handler_can, pod),
                      .kubelet_started = parts_.started});
  if (is_final_phase(phase_of(status))) look.memory.over = true;
  parts_.statuses.set(look.pod, std::move(status));
}

}  // namespace proa::kubelet

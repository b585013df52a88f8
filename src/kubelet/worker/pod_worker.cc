#include "kubelet/worker/pod_worker.h"

#include <algorithm>

#include "base/log.h"
#include "json/print.h"
#include "kubelet/admit/admit.h"
#include "kubelet/pods/reference.h"
#include "kubelet/status/termination_message.h"
#include "kubelet/worker/look.h"

namespace proa::kubelet {
namespace pod_worker {

const Log kLog{"kubelet"};
// What one call to the runtime may take before it counts as failed.
constexpr Duration kPatience = std::chrono::minutes(4);

}  // namespace pod_worker

Until PodWorker::until() const { return Until::after(parts_.clock, pod_worker::kPatience, stop_); }

Result<client::Again> PodWorker::reconcile(const client::Key& key) {
  const std::string& uid = key.name;
  const Registry::Entry entry = parts_.registry.get(uid);
  cri::RuntimePod running = TRY(cri::inspect_pod(parts_.runtime, uid, until()));
  parts_.registry.seen(uid, running);
  if (entry.pod == nullptr) return remove_unknown(uid, running);
  Look look{
      .pod = entry.pod, .gone = entry.gone, .memory = *entry.memory, .running = std::move(running)};
  if (!look.memory.admitted && !admit(look)) return terminate(look);
  check_deadline(look);
  // One that was over before this program began.
  if (look.pod->is_finished()) look.memory.over = true;
  if (look.gone || look.pod->deleted_at() || look.memory.over) return terminate(look);
  const Result<client::Again> done = sync(look);
  if (!done.ok()) publish(look, false);
  return done;
}

// Whether it may run here. What runs already was admitted by a kubelet before this one.
bool PodWorker::admit(Look& look) {
  if (look.gone || look.pod->deleted_at()) return true;
  const api::ObjectPtr node = parts_.node.node();
  if (look.running.empty() && node != nullptr && !look.pod->is_finished()) {
    const Refusal refusal = kubelet::admit(*look.pod, *node, parts_.registry.admitted());
    if (!refusal.reason.empty()) {
      parts_.events.warning(reference_to(*look.pod), refusal.reason, refusal.message);
      look.memory.over = true;
      look.memory.refused = true;
      look.memory.final_reason = refusal.reason;
      look.memory.final_message = refusal.message;
      return false;
    }
  }
  parts_.registry.admit(look.uid());
  return true;
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

Result<client::Again> PodWorker::sync(Look& look) {
  if (!look.pod->uses_host_network() && !parts_.node.network_ready()) {
    parts_.events.warning(reference_to(*look.pod), "NetworkNotReady",
                          "network is not ready: container runtime network not ready");
    publish(look, false);
    return client::Again{std::chrono::seconds(1)};
  }
  const PodPlan plan = plan_pod(*look.pod, look.running, parts_.probes);
  TRY(act(look, plan));
  if (look.memory.over) return terminate(look);
  TRY(resize(look));
  parts_.prober.follow(look.pod, look.running);
  publish(look, false);
  if (look.memory.over) return terminate(look);
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
  if (plan.stop_all) {
    if (plan.new_sandbox) {
      parts_.events.normal(reference_to(*look.pod), "SandboxChanged",
                           "Pod sandbox changed, it will be killed and re-created.");
    }
    if (!stop_all(look)) return {};
    for (const cri::Sandbox& sandbox : look.running.sandboxes) {
      TRY(parts_.runtime.stop_sandbox(sandbox.id, until()));
    }
    if (!plan.new_sandbox) {
      look.memory.over = true;
      return {};
    }
  }
  const Result<Ground> ground =
      starter_.prepare(look.pod, look.memory, plan.attempt, look.addresses(), until());
  if (!ground.ok()) return ground.status();
  if (plan.new_sandbox) {
    TRY(starter_.make_sandbox(*ground, until()));
    look.running = TRY(cri::inspect_pod(parts_.runtime, look.uid(), until()));
    parts_.registry.seen(look.uid(), look.running);
    if (look.running.ready_sandbox() == nullptr) {
      return Status(Reason::kServiceUnavailable, "the sandbox ended right after it was made");
    }
  }
  stop_some(look, plan);
  return start_all(look, *ground, plan);
}

void PodWorker::stop_some(Look& look, const PodPlan& plan) {
  const std::vector<std::string> addresses = look.addresses();
  for (const ContainerStop& stop : plan.stop) {
    const auto container =
        std::find_if(look.running.containers.begin(), look.running.containers.end(),
                     [&stop](const cri::Container& candidate) { return candidate.id == stop.id; });
    if (container == look.running.containers.end()) continue;
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
                         .grace = std::chrono::seconds(grace)});
  }
}

Result<void> PodWorker::start_all(Look& look, const Ground& ground, const PodPlan& plan) {
  bool any = false;
  for (const ContainerSpec& container : plan.start) {
    const cri::Container* newest = look.running.newest(container.name());
    // Its place is taken until it has been stopped.
    const bool runs = newest != nullptr && (newest->state == cri::ContainerState::kRunning ||
                                            parts_.stopper.is_stopping(newest->id));
    if (runs) continue;
    look.look_at(starter_.start(ground, container, look.running, until()));
    any = true;
  }
  if (!any) return {};
  look.running = TRY(cri::inspect_pod(parts_.runtime, look.uid(), until()));
  parts_.registry.seen(look.uid(), look.running);
  return {};
}

// What containers that run may use, where that changed since they were started.
Result<void> PodWorker::resize(Look& look) {
  std::map<std::string, std::string> told;
  for (const ContainerSpec& spec : containers_of(*look.pod)) {
    const cri::Container* container = look.running.newest(spec.name());
    if (container == nullptr || container->state != cri::ContainerState::kRunning) continue;
    const json::Document wanted =
        TRY(make_container_resources(*look.pod, spec.view, parts_.machine));
    std::string text = json::print(wanted.root());
    const auto before = look.memory.resources.find(container->id);
    // Those that this program did not start itself were started with what stood in the spec then.
    if (before != look.memory.resources.end() && before->second != text) {
      TRY(parts_.runtime.update_resources(container->id, wanted.root(), until()));
    }
    told[container->id] = std::move(text);
  }
  look.memory.resources = std::move(told);
  return {};
}

void PodWorker::publish(Look& look, bool stopped) {
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
  json::Document status =
      compute_status({.pod = pod,
                      .running = look.running,
                      .probes = parts_.probes,
                      .facts = starter_.facts(pod, look.addresses()),
                      .now = parts_.clock.now(),
                      .previous = before == nullptr ? api::View() : api::View(before->root()),
                      .waiting = look.memory.waiting,
                      .final_reason = look.memory.final_reason,
                      .final_message = look.memory.final_message,
                      .stopping = look.memory.stopping_since.has_value(),
                      .stopped = stopped,
                      .termination_message = message,
                      .kubelet_started = parts_.started});
  if (is_final_phase(phase_of(status))) look.memory.over = true;
  parts_.statuses.set(look.pod, std::move(status));
}

}  // namespace proa::kubelet

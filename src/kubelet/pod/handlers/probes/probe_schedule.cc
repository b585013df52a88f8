#include "kubelet/pod/handlers/probes/probe_schedule.h"

#include <algorithm>
#include <array>

#include "kubelet/pod/handlers/probes/probe_events.h"

namespace proa::kubelet {
namespace probe_schedules {

constexpr std::array kKinds = {ProbeKind::kStartup, ProbeKind::kReadiness, ProbeKind::kLiveness};
// Upstream's kubeletRestartGracePeriod: containers that started earlier than this before us ran
// under another kubelet.
constexpr Duration kRestartGrace = std::chrono::seconds(10);
// Retry delay when the pool rejects work.
constexpr Duration kBusyWait = std::chrono::seconds(1);

}  // namespace probe_schedules

ProbeSchedule::ProbeSchedule(Context context)
    : context_(std::move(context)),
      actions_(context_.runtime, context_.client, context_.clock),
      began_(context_.clock.now()) {}

ProbeSchedule::~ProbeSchedule() {
  stop_.request_stop();
  MutexLock lock(mutex_);
  while (probing_ > 0) idle_.wait(mutex_);
}

void ProbeSchedule::follow(const PodPtr& pod, const cri::RuntimePod& running) {
  const std::string address = address_of(*pod, running);
  {
    MutexLock lock(mutex_);
    const bool is_stopping = stopping_.count(pod->uid()) > 0;
    for (const ContainerSpec& spec : containers_of(*pod)) {
      if (spec.kind != ContainerKind::kRegular && spec.kind != ContainerKind::kSidecar) continue;
      const ProbedContainer now = facts_of(*pod, spec, running.newest(spec.name()));
      for (const ProbeKind kind : probe_schedules::kKinds) {
        if (!find_probe(*spec.fields, kind)) continue;
        if (is_stopping && kind != ProbeKind::kReadiness) continue;
        follow_probe(pod, spec, kind, now, address);
      }
    }
  }
  wake_if_earlier();
}

std::string ProbeSchedule::address_of(const Pod& pod, const cri::RuntimePod& running) const {
  if (!pod.uses_host_network()) {
    const cri::Sandbox* sandbox = running.ready_sandbox();
    if (sandbox != nullptr && !sandbox->addresses.empty()) return sandbox->addresses.front();
  } else if (context_.host_address) {
    return context_.host_address();
  }
  return std::string(pod.fields().status.address);
}

ProbedContainer ProbeSchedule::facts_of(const Pod& pod, const ContainerSpec& spec,
                                        const cri::Container* container) const {
  ProbedContainer now;
  const bool is_there =
      container != nullptr && (container->state == cri::ContainerState::kRunning ||
                               container->state == cri::ContainerState::kExited);
  if (!is_there) return now;
  now.id = container->id;
  now.running = container->state == cri::ContainerState::kRunning;
  now.ended = !now.running;
  now.started = container->started;
  now.adopted = now.running && now.started < began_ - probe_schedules::kRestartGrace;
  if (!spec.fields->startup) return now;
  const auto startup = context_.results.get(now.id, ProbeKind::kStartup);
  now.has_started = startup.value_or(false);
  if (startup.has_value() || !now.adopted) return now;
  const bool is_sidecar = spec.kind == ContainerKind::kSidecar;
  for (const api::View status :
       pod.status()[is_sidecar ? "initContainerStatuses" : "containerStatuses"].items()) {
    if (status["name"].text() != spec.name()) continue;
    const std::string_view id = status["containerID"].text();
    now.has_started = status["started"].flag() && id.ends_with("//" + now.id);
  }
  return now;
}

void ProbeSchedule::follow_probe(const PodPtr& pod, const ContainerSpec& spec, ProbeKind kind,
                                 const ProbedContainer& now, const std::string& address) {
  Key key{pod->uid(), std::string(spec.name()), kind};
  const auto settings = read_probe_settings(*find_probe(*spec.fields, kind), kind);
  Entry& entry = entries_.try_emplace(key, pod, settings).first->second;
  entry.pod = pod;
  if (!address.empty()) entry.address = address;
  const bool is_other = entry.state.container_id() != now.id;
  const auto notice = entry.state.see(now);
  if (!notice.forget.empty()) context_.results.forget(notice.forget);
  if (notice.result) context_.results.set(now.id, kind, *notice.result);
  if (is_other) set_due(key, entry, Steady::max());
  // A restarted kubelet adopts many containers at once: their probes are spread out.
  Duration spread{0};
  if (now.adopted && settings.period > context_.clock.now() - began_) {
    spread = Duration(context_.random.below(static_cast<uint64_t>(settings.period.count())));
  }
  plan_first(key, entry, spread);
}

void ProbeSchedule::plan_first(const Key& key, Entry& entry, Duration extra) {
  if (!entry.state.wants_probe()) return set_due(key, entry, Steady::max());
  if (entry.is_probing || entry.due != Steady::max()) return;
  const Duration wait = entry.state.first_wait(context_.clock.now());
  set_due(key, entry, context_.clock.steady() + wait + extra);
}

void ProbeSchedule::set_due(const Key& key, Entry& entry, Steady due) {
  if (entry.due == due) return;
  if (entry.due != Steady::max()) queue_.erase({entry.due, key});
  entry.due = due;
  if (due == Steady::max()) return;
  const auto place = queue_.insert({due, key}).first;
  if (place == queue_.begin()) is_earlier_ = true;
}

void ProbeSchedule::erase(Entries::iterator entry) {
  set_due(entry->first, entry->second, Steady::max());
  entries_.erase(entry);
}

void ProbeSchedule::stop_liveness(api::UidView pod_uid) {
  MutexLock lock(mutex_);
  stopping_.emplace(pod_uid);
  auto next = entries_.lower_bound({api::Uid(pod_uid), {}, {}});
  while (next != entries_.end() && next->first.pod_uid == pod_uid) {
    const auto entry = next++;
    if (entry->first.kind != ProbeKind::kReadiness) erase(entry);
  }
}

void ProbeSchedule::forget(api::UidView pod_uid) {
  MutexLock lock(mutex_);
  const auto stopping = stopping_.find(pod_uid);
  if (stopping != stopping_.end()) stopping_.erase(stopping);
  auto next = entries_.lower_bound({api::Uid(pod_uid), {}, {}});
  while (next != entries_.end() && next->first.pod_uid == pod_uid) {
    const auto entry = next++;
    context_.results.forget(entry->second.state.container_id());
    erase(entry);
  }
}

void ProbeSchedule::wake_if_earlier() {
  {
    MutexLock lock(mutex_);
    if (!std::exchange(is_earlier_, false)) return;
  }
  if (wake_) wake_();
}

Steady ProbeSchedule::poll() {
  Steady next = Steady::max();
  while (const auto task = take_due(next)) {
    if (!context_.pool.submit([this, task = *task] { probe(task); })) put_off(*task);
  }
  return next;
}

std::optional<ProbeSchedule::Task> ProbeSchedule::take_due(Steady& next) {
  MutexLock lock(mutex_);
  is_earlier_ = false;
  next = queue_.empty() ? Steady::max() : queue_.begin()->first;
  if (next > context_.clock.steady()) return std::nullopt;
  const Key key = queue_.begin()->second;
  Entry& entry = entries_.at(key);
  set_due(key, entry, Steady::max());
  entry.is_probing = true;
  ++probing_;
  return Task{key, entry.pod, entry.state.container_id(), entry.address, next};
}

void ProbeSchedule::probe(const Task& task) {
  std::optional<bool> found;
  const auto spec = find_container(*task.pod, task.key.container);
  if (spec) {
    const ProbeTarget target{*task.pod, spec->view, spec->view[probe_field(task.key.kind)],
                             task.container_id, task.address};
    const ProbeOutcome outcome = actions_.run(target, stop_.get_token());
    if (!stop_.stop_requested()) {
      tell_of_probe(context_.events, *task.pod, *spec, task.key.kind, outcome);
      found = verdict_of(outcome);
    }
  }
  if (finish(task, found)) context_.changed(task.key.pod_uid);
  wake_if_earlier();
  // Counted until here: from now on nothing of ours is touched.
  MutexLock lock(mutex_);
  --probing_;
  idle_.notify_all();
}

bool ProbeSchedule::finish(const Task& task, const std::optional<bool>& found) {
  MutexLock lock(mutex_);
  const auto place = entries_.find(task.key);
  if (place == entries_.end()) return false;
  Entry& entry = place->second;
  entry.is_probing = false;
  if (entry.state.container_id() != task.container_id) {
    plan_first(task.key, entry, {});
    return false;
  }
  const auto verdict = found ? entry.state.judge(*found) : std::nullopt;
  const bool is_news = verdict && context_.results.set(task.container_id, task.key.kind, *verdict);
  if (is_news && *verdict && task.key.kind == ProbeKind::kStartup) open_gates(task.key);
  if (entry.state.wants_probe()) {
    set_due(task.key, entry,
            std::max(task.due + entry.state.settings().period, context_.clock.steady()));
  }
  return is_news;
}

void ProbeSchedule::open_gates(const Key& startup) {
  for (const ProbeKind kind : {ProbeKind::kReadiness, ProbeKind::kLiveness}) {
    const auto place = entries_.find({startup.pod_uid, startup.container, kind});
    if (place == entries_.end()) continue;
    place->second.state.open_gate();
    plan_first(place->first, place->second, {});
  }
}

void ProbeSchedule::put_off(const Task& task) {
  MutexLock lock(mutex_);
  --probing_;
  const auto place = entries_.find(task.key);
  if (place == entries_.end()) return;
  place->second.is_probing = false;
  if (!place->second.state.wants_probe()) return;
  set_due(task.key, place->second, context_.clock.steady() + probe_schedules::kBusyWait);
}

}  // namespace proa::kubelet

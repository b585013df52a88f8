#include "kubelet/workers/stop/stopper.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/log.h"
#include "kubelet/model/reference.h"

namespace proa::kubelet {
namespace stopper {

const Log kLog{"kubelet"};
// What a container gets in any case to end by itself.
constexpr Duration kLeast = std::chrono::seconds(2);
// What the runtime may take beyond the grace period.
constexpr Duration kSlack = std::chrono::minutes(2);
// Before a container that could not be stopped is tried again: what fails may fail at once.
constexpr Duration kBetweenTries = std::chrono::seconds(5);
// A difference in grace that is not worth another call.
constexpr Duration kSame = std::chrono::seconds(1);

}  // namespace stopper

Stopper::Stopper(cri::Runtime& runtime, Hooks& hooks, Clock& clock, WorkerPool& pool,
                 client::EventRecorder& events, Ended ended)
    : runtime_(runtime),
      hooks_(hooks),
      clock_(clock),
      pool_(pool),
      events_(events),
      ended_(std::move(ended)) {}

Stopper::~Stopper() {
  cancel_all();
  MutexLock lock(mutex_);
  while (tasks_ > 0) idle_.wait(mutex_);
}

bool Stopper::is_stopping(const std::string& container_id) const {
  MutexLock lock(mutex_);
  return stops_.contains(container_id);
}

void Stopper::forget(const std::string& container_id) {
  MutexLock lock(mutex_);
  const auto found = stops_.find(container_id);
  if (found == stops_.end() || !found->second.waits_for_turn) return;
  if (found->second.prepared) {
    stops_.erase(found);
    return;
  }
  // The thread that runs its handler finishes it.
  found->second.waits_for_turn = false;
  found->second.hook.request_stop();
}

Stopper::Step Stopper::note(const Request& request, std::stop_source& hook) {
  const Steady deadline = clock_.steady() + request.grace;
  MutexLock lock(mutex_);
  const auto [place, added] = stops_.try_emplace(request.container.id);
  Stop& stop = place->second;
  hook = stop.hook;
  if (added) {
    stop.deadline = deadline;
    stop.waits_for_turn = request.waits_for_turn;
    return Step::kAll;
  }
  const bool has_turn = stop.waits_for_turn && !request.waits_for_turn;
  const bool is_shorter = deadline + stopper::kSame < stop.deadline;
  stop.deadline = std::min(stop.deadline, deadline);
  if (is_shorter) hook.request_stop();
  if (has_turn) {
    stop.waits_for_turn = false;
    // If its handler still runs, that thread continues.
    return stop.prepared ? Step::kSend : Step::kNone;
  }
  return is_shorter && !stop.waits_for_turn ? Step::kShorten : Step::kNone;
}

void Stopper::stop(Request asked) {
  const auto request = std::make_shared<const Request>(std::move(asked));
  std::stop_source hook{std::nostopstate};
  const Step step = note(*request, hook);
  if (step == Step::kNone) return;
  {
    MutexLock lock(mutex_);
    ++tasks_;
  }
  const bool taken = pool_.submit([this, step, request, hook] {
    take(step, *request, hook);
    end();
  });
  if (taken) return;
  {
    MutexLock lock(mutex_);
    if (step == Step::kAll) stops_.erase(request->container.id);
    // The next reconcile gives it its turn again.
    if (step == Step::kSend) stops_[request->container.id].waits_for_turn = true;
  }
  ended_(request->pod_uid, stopper::kBetweenTries);
  end();
}

// The last thing that a task does: behind it, the stopper may be gone.
void Stopper::end() {
  MutexLock lock(mutex_);
  --tasks_;
  idle_.notify_all();
}

void Stopper::take(Step step, const Request& request, const std::stop_source& hook) {
  if (step == Step::kAll) run(request, hook);
  if (step == Step::kShorten) shorten(request);
  if (step == Step::kSend) finish(request, clock_.steady() + request.grace);
}

void Stopper::run(const Request& request, const std::stop_source& hook) {
  const Steady end = clock_.steady() + request.grace;
  prepare(request, hook);
  finish(request, end);
}

// Unless others have to exit first.
void Stopper::finish(const Request& request, Steady end) {
  const std::optional<Steady> asked = turn(request);
  if (!asked) return;
  const Duration grace = std::min(end, *asked) - clock_.steady();
  const bool stopped = send(request, std::max(grace, stopper::kLeast));
  {
    MutexLock lock(mutex_);
    stops_.erase(request.container.id);
  }
  ended_(request.pod_uid, stopped ? Duration::zero() : stopper::kBetweenTries);
}

std::optional<Steady> Stopper::turn(const Request& request) {
  MutexLock lock(mutex_);
  Stop& stop = stops_.at(request.container.id);
  stop.prepared = true;
  return stop.waits_for_turn ? std::nullopt : std::optional(stop.deadline);
}

void Stopper::prepare(const Request& request, const std::stop_source& hook) {
  const std::optional<ContainerSpec> container =
      request.pod == nullptr ? std::nullopt : find_container(*request.pod, request.container.name);
  if (!container) return;
  events_.normal(reference_to(*request.pod, *container), "Killing",
                 request.message.empty() ? fmt::format("Stopping container {}", container->name())
                                         : request.message);
  const bool has_hook = container->fields->lifecycle.pre_stop.is_set;
  if (has_hook && request.grace > Duration::zero()) run_hook(request, *container, hook);
}

void Stopper::run_hook(const Request& request, const ContainerSpec& container,
                       const std::stop_source& hook) {
  const std::stop_callback on_cancel(cancelled_.get_token(),
                                     [source = hook]() mutable { source.request_stop(); });
  const Result<void> done = hooks_.run(*request.pod, container.view, request.container.id,
                                       request.pod_address, container.view["lifecycle"]["preStop"],
                                       Until::after(clock_, request.grace, hook.get_token()));
  if (done.ok()) return;
  stopper::kLog.warn("preStop handler failed", {{"pod", pod_text(*request.pod)},
                                                {"container", request.container.name},
                                                {"error", done.status()}});
  // Without what went wrong: that may hold secrets.
  events_.warning(reference_to(*request.pod, container), "FailedPreStopHook", "PreStopHook failed");
}

void Stopper::shorten(const Request& request) {
  if (send(request, std::max(request.grace, stopper::kLeast))) return;
  {
    // The next reconcile may shorten it again.
    MutexLock lock(mutex_);
    const auto found = stops_.find(request.container.id);
    if (found != stops_.end()) found->second.deadline = Steady::max();
  }
  ended_(request.pod_uid, stopper::kBetweenTries);
}

bool Stopper::send(const Request& request, Duration grace) {
  const Result<void> stopped = runtime_.stop_container(
      request.container.id, grace,
      Until::after(clock_, grace + stopper::kSlack, cancelled_.get_token()));
  if (!stopped.ok() && !cancelled_.stop_requested()) {
    stopper::kLog.warn("stopping a container failed",
                       {{"container", request.container.id}, {"error", stopped.status()}});
  }
  return stopped.ok();
}

}  // namespace proa::kubelet

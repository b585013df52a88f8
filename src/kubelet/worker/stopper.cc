#include "kubelet/worker/stopper.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/log.h"
#include "kubelet/pods/reference.h"

namespace proa::kubelet {
namespace stopper {

const Log kLog{"kubelet"};
// What a container gets in any case to end by itself.
constexpr Duration kLeast = std::chrono::seconds(2);
// What the runtime may take beyond the grace period.
constexpr Duration kSlack = std::chrono::minutes(2);

}  // namespace stopper

Stopper::Stopper(cri::Runtime& runtime, Hooks& hooks, Clock& clock, WorkerPool& pool,
                 client::EventRecorder& events, std::function<void(const std::string& uid)> ended)
    : runtime_(runtime),
      hooks_(hooks),
      clock_(clock),
      pool_(pool),
      events_(events),
      ended_(std::move(ended)) {}

Stopper::~Stopper() {
  hurry();
  MutexLock lock(mutex_);
  while (tasks_ > 0) idle_.wait(mutex_);
}

bool Stopper::is_stopping(const std::string& container_id) const {
  MutexLock lock(mutex_);
  return deadlines_.contains(container_id);
}

void Stopper::stop(Request request) {
  const Steady deadline = clock_.steady() + request.grace;
  bool is_new = false;
  {
    MutexLock lock(mutex_);
    const auto [place, added] = deadlines_.try_emplace(request.container.id, deadline);
    // A second's difference is not worth another call.
    if (!added && place->second <= deadline + std::chrono::seconds(1)) return;
    place->second = deadline;
    is_new = added;
    ++tasks_;
  }
  const bool taken = pool_.submit([this, request = std::move(request), is_new] {
    if (is_new) {
      run(request);
    } else {
      send(request, request.grace);
    }
    end();
  });
  if (!taken) end();
}

void Stopper::end() {
  MutexLock lock(mutex_);
  --tasks_;
  idle_.notify_all();
}

void Stopper::run(const Request& request) {
  Duration grace = request.grace;
  const std::optional<ContainerSpec> container =
      request.pod == nullptr ? std::nullopt : find_container(*request.pod, request.container.name);
  if (container) {
    events_.normal(reference_to(*request.pod, *container), "Killing",
                   request.message.empty() ? fmt::format("Stopping container {}", container->name())
                                           : request.message);
    if (container->view["lifecycle"]["preStop"] && grace > Duration::zero()) {
      grace -= run_hook(request, *container);
    }
  }
  send(request, std::max(grace, stopper::kLeast));
  {
    MutexLock lock(mutex_);
    deadlines_.erase(request.container.id);
  }
  ended_(request.pod_uid);
}

// How long it took.
Duration Stopper::run_hook(const Request& request, const ContainerSpec& container) {
  const Steady begin = clock_.steady();
  const Result<void> done = hooks_.run(*request.pod, container.view, request.container.id,
                                       request.pod_address, container.view["lifecycle"]["preStop"],
                                       Until::after(clock_, request.grace, hurry_.get_token()));
  if (!done.ok()) {
    stopper::kLog.warn("preStop handler failed", {{"pod", pod_text(*request.pod)},
                                                  {"container", request.container.name},
                                                  {"error", done.status()}});
  }
  return clock_.steady() - begin;
}

void Stopper::send(const Request& request, Duration grace) {
  const Result<void> stopped =
      runtime_.stop_container(request.container.id, grace,
                              Until::after(clock_, grace + stopper::kSlack, hurry_.get_token()));
  if (!stopped.ok() && !hurry_.stop_requested()) {
    stopper::kLog.warn("container not stopped",
                       {{"container", request.container.id}, {"error", stopped.status()}});
  }
}

}  // namespace proa::kubelet

#include "kubelet/workers/start/post_starts.h"

#include <algorithm>
#include <memory>
#include <vector>

#include "base/log.h"
#include "kubelet/model/reference.h"

namespace proa::kubelet {
namespace post_starts {

const Log kLog{"kubelet"};

}  // namespace post_starts

PostStarts::PostStarts(Hooks& hooks, WorkerPool& pool, client::EventRecorder& events,
                       std::function<void(api::UidView uid)> ended)
    : hooks_(hooks), pool_(pool), events_(events), ended_(std::move(ended)) {}

PostStarts::~PostStarts() {
  std::vector<std::stop_source> all;
  {
    MutexLock lock(mutex_);
    for (const auto& [id, state] : states_) all.push_back(state.stop);
  }
  for (std::stop_source& one : all) one.request_stop();
  MutexLock lock(mutex_);
  while (tasks_ > 0) idle_.wait(mutex_);
}

void PostStarts::begin(Request asked) {
  const auto request = std::make_shared<const Request>(std::move(asked));
  std::stop_source stop;
  {
    MutexLock lock(mutex_);
    states_[request->container_id] = {.pod_uid = request->pod->uid(), .stop = stop};
    ++tasks_;
  }
  const bool taken = pool_.submit([this, request, stop] { run(*request, stop); });
  if (!taken) {
    finish(*request, Status(Reason::kServiceUnavailable, "no free thread to run the handler"));
  }
}

void PostStarts::run(const Request& request, const std::stop_source& stop) {
  const std::optional<ContainerSpec> container = find_container(*request.pod, request.container);
  CHECK(container.has_value());
  const Result<void> done =
      hooks_.run(*request.pod, container->view, request.container_id, request.pod_address,
                 container->view["lifecycle"]["postStart"],
                 {.deadline = Steady::max(), .stop = stop.get_token()});
  if (done.ok() || stop.stop_requested()) return finish(request, std::nullopt);
  post_starts::kLog.warn("postStart handler failed", {{"pod", pod_text(*request.pod)},
                                                      {"container", request.container},
                                                      {"error", done.status()}});
  // Without what went wrong: that may hold secrets.
  events_.warning(reference_to(*request.pod, *container), "FailedPostStartHook",
                  "PostStartHook failed");
  finish(request, done.status());
}

void PostStarts::finish(const Request& request, std::optional<Status> failure) {
  {
    MutexLock lock(mutex_);
    const auto found = states_.find(request.container_id);
    if (found != states_.end()) {
      found->second.is_over = true;
      found->second.failure = std::move(failure);
    }
  }
  ended_(request.pod->uid());
  // Behind this, it may be gone.
  MutexLock lock(mutex_);
  --tasks_;
  idle_.notify_all();
}

bool PostStarts::is_running(const std::string& container_id) const {
  MutexLock lock(mutex_);
  const auto found = states_.find(container_id);
  return found != states_.end() && !found->second.is_over;
}

bool PostStarts::blocks_starts(api::UidView pod_uid) const {
  MutexLock lock(mutex_);
  return std::any_of(states_.begin(), states_.end(), [pod_uid](const auto& one) {
    return one.second.pod_uid == pod_uid && !one.second.is_over;
  });
}

std::optional<Status> PostStarts::failure(const std::string& container_id) const {
  MutexLock lock(mutex_);
  const auto found = states_.find(container_id);
  return found == states_.end() ? std::nullopt : found->second.failure;
}

void PostStarts::cancel(const std::string& container_id) {
  std::stop_source stop{std::nostopstate};
  {
    MutexLock lock(mutex_);
    const auto found = states_.find(container_id);
    if (found != states_.end()) stop = found->second.stop;
  }
  stop.request_stop();
}

void PostStarts::forget(const std::string& container_id) {
  cancel(container_id);
  MutexLock lock(mutex_);
  states_.erase(container_id);
}

}  // namespace proa::kubelet

#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>

#include "base/threads/mutex.h"
#include "base/threads/pool.h"
#include "client/events/recorder.h"
#include "kubelet/model/pod.h"
#include "kubelet/pod/handlers/hooks.h"

namespace proa::kubelet {

// Runs postStart handlers in the background: they may take any time, and a pod's worker never waits
// for one. From any thread.
class PostStarts {
 public:
  // Everything outlives it. `ended`: a handler of that pod ended. Each handler occupies a thread of
  // the pool.
  PostStarts(Hooks& hooks, WorkerPool& pool, client::EventRecorder& events,
             std::function<void(api::UidView uid)> ended);
  // Cancels running handlers and waits for them.
  ~PostStarts();
  PostStarts(const PostStarts&) = delete;
  PostStarts& operator=(const PostStarts&) = delete;

  struct Request {
    PodPtr pod = {};
    std::string container = {};  // its name in the spec
    std::string container_id = {};
    std::string pod_address = {};
  };
  // REQUIRES: the container has such a handler.
  void begin(Request request) EXCLUDES(mutex_);
  bool is_running(const std::string& container_id) const EXCLUDES(mutex_);
  // Whether a handler of that pod runs: later containers wait for it.
  bool blocks_starts(api::UidView pod_uid) const EXCLUDES(mutex_);
  // Why it failed, if it did.
  std::optional<Status> failure(const std::string& container_id) const EXCLUDES(mutex_);
  // The container is being stopped: cancels its handler, which is no failure.
  void cancel(const std::string& container_id) EXCLUDES(mutex_);
  // The container was removed.
  void forget(const std::string& container_id) EXCLUDES(mutex_);

 private:
  struct State {
    api::Uid pod_uid = {};
    std::stop_source stop = {};
    bool is_over = false;
    std::optional<Status> failure = {};
  };

  void run(const Request& request, const std::stop_source& stop) EXCLUDES(mutex_);
  void finish(const Request& request, std::optional<Status> failure) EXCLUDES(mutex_);

  Hooks& hooks_;
  WorkerPool& pool_;
  client::EventRecorder& events_;
  const std::function<void(api::UidView uid)> ended_;
  mutable Mutex mutex_;
  CondVar idle_;
  size_t tasks_ GUARDED_BY(mutex_) = 0;
  std::map<std::string, State, std::less<>> states_ GUARDED_BY(mutex_);  // by container
};

}  // namespace proa::kubelet

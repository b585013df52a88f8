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

// Runs postStart handlers in the background: they may take as long as they like, and a pod's worker
// never waits for one. From any thread.
class PostStarts {
 public:
  // Everything outlives it. `ended`: a handler of that pod has ended. Each handler takes a thread
  // of the pool.
  PostStarts(Hooks& hooks, WorkerPool& pool, client::EventRecorder& events,
             std::function<void(const std::string& uid)> ended);
  // Calls off those under way, and waits for them.
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
  // Whether one of that pod runs: containers that come after it wait.
  bool holds_up(const std::string& pod_uid) const EXCLUDES(mutex_);
  // Why it failed, if it did.
  std::optional<Status> failure(const std::string& container_id) const EXCLUDES(mutex_);
  // The container ends: its handler ends too, and that is no failure.
  void call_off(const std::string& container_id) EXCLUDES(mutex_);
  // The container is gone.
  void forget(const std::string& container_id) EXCLUDES(mutex_);

 private:
  struct State {
    std::string pod_uid = {};
    std::stop_source stop = {};
    bool is_over = false;
    std::optional<Status> failure = {};
  };

  void run(const Request& request, const std::stop_source& stop) EXCLUDES(mutex_);
  void finish(const Request& request, std::optional<Status> failure) EXCLUDES(mutex_);

  Hooks& hooks_;
  WorkerPool& pool_;
  client::EventRecorder& events_;
  const std::function<void(const std::string& uid)> ended_;
  mutable Mutex mutex_;
  CondVar idle_;
  size_t tasks_ GUARDED_BY(mutex_) = 0;
  std::map<std::string, State, std::less<>> states_ GUARDED_BY(mutex_);  // by container
};

}  // namespace proa::kubelet

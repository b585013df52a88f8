#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>

#include "base/clock.h"
#include "base/threads/mutex.h"
#include "base/threads/pool.h"
#include "client/events/recorder.h"
#include "kubelet/model/pod.h"
#include "kubelet/pod/handlers/hooks.h"
#include "kubelet/runtime/cri/runtime.h"

namespace proa::kubelet {

// Stops containers in the background: preStop handler, stop signal, SIGKILL. A pod's worker never
// waits for a grace period. From any thread.
class Stopper {
 public:
  // Reconcile that pod after that delay: one of its containers was stopped, or could not be.
  using Ended = std::function<void(api::UidView uid, Duration wait)>;

  // Everything outlives it. Each container that is being stopped occupies a thread of the pool.
  Stopper(cri::Runtime& runtime, Hooks& hooks, Clock& clock, WorkerPool& pool,
          client::EventRecorder& events, Ended ended);
  // Waits for running stops.
  ~Stopper();
  Stopper(const Stopper&) = delete;
  Stopper& operator=(const Stopper&) = delete;

  struct Request {
    PodPtr pod = {};  // null: its spec is unknown
    api::Uid pod_uid = {};
    cri::Container container = {};
    std::string pod_address = {};
    std::string message = {};  // of the Event; empty: "Stopping container NAME"
    Duration grace = {};
    // Others have to exit first: only its preStop handler runs. The next request without this flag
    // stops it.
    bool waits_for_turn = false;
  };
  // For a container that is being stopped already, only a shorter grace period has an effect: its
  // preStop handler is cancelled then.
  void stop(Request request) EXCLUDES(mutex_);
  // It exited by itself: it need not be stopped any more.
  void forget(const std::string& container_id) EXCLUDES(mutex_);
  bool is_stopping(const std::string& container_id) const EXCLUDES(mutex_);
  // The program ends: cancels running stops.
  void cancel_all() { cancelled_.request_stop(); }

 private:
  struct Stop {
    Steady deadline = {};
    std::stop_source hook = {};  // cancels the preStop handler
    bool waits_for_turn = false;
    bool prepared = false;  // its preStop handler has ended
  };
  enum class Step : uint8_t { kNone, kAll, kShorten, kSend };

  // What a request requires beyond the stop that is running.
  Step note(const Request& request, std::stop_source& hook) EXCLUDES(mutex_);
  void take(Step step, const Request& request, const std::stop_source& hook) EXCLUDES(mutex_);
  void run(const Request& request, const std::stop_source& hook) EXCLUDES(mutex_);
  // Records the Event, and runs the preStop handler.
  void prepare(const Request& request, const std::stop_source& hook);
  // The handler has ended. Returns the deadline of the container as requested last; nullopt while
  // others have to exit first.
  std::optional<Steady> turn(const Request& request) EXCLUDES(mutex_);
  void finish(const Request& request, Steady end) EXCLUDES(mutex_);
  void run_hook(const Request& request, const ContainerSpec& container,
                const std::stop_source& hook);
  void shorten(const Request& request) EXCLUDES(mutex_);
  // Whether it has exited.
  bool send(const Request& request, Duration grace);
  void end() EXCLUDES(mutex_);

  cri::Runtime& runtime_;
  Hooks& hooks_;
  Clock& clock_;
  WorkerPool& pool_;
  client::EventRecorder& events_;
  const Ended ended_;
  std::stop_source cancelled_;
  mutable Mutex mutex_;
  CondVar idle_;
  size_t tasks_ GUARDED_BY(mutex_) = 0;
  std::map<std::string, Stop, std::less<>> stops_ GUARDED_BY(mutex_);  // by container
};

}  // namespace proa::kubelet

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

// Stops containers in the background: first their preStop handler, then the signal, then SIGKILL.
// A pod's worker never waits for a grace period. From any thread.
class Stopper {
 public:
  // The pod of that uid must be looked at, after that wait: one of its containers was stopped, or
  // could not be.
  using Ended = std::function<void(const std::string& uid, Duration wait)>;

  // Everything outlives it. Each container that is being stopped takes a thread of the pool.
  Stopper(cri::Runtime& runtime, Hooks& hooks, Clock& clock, WorkerPool& pool,
          client::EventRecorder& events, Ended ended);
  // Waits for those under way.
  ~Stopper();
  Stopper(const Stopper&) = delete;
  Stopper& operator=(const Stopper&) = delete;

  struct Request {
    PodPtr pod = {};  // null: nobody knows its spec any more
    std::string pod_uid = {};
    cri::Container container = {};
    std::string pod_address = {};
    std::string message = {};  // of the Event; empty: "Stopping container NAME"
    Duration grace = {};
    // Others have to end before it: its preStop handler runs, and nothing else yet. Who asks for it
    // again when its turn has come stops it.
    bool waits_for_turn = false;
  };
  // One that is being stopped already is told a shorter grace, and nothing else: its preStop
  // handler ends then.
  void stop(Request request) EXCLUDES(mutex_);
  // It has ended by itself: its turn need not come any more.
  void forget(const std::string& container_id) EXCLUDES(mutex_);
  bool is_stopping(const std::string& container_id) const EXCLUDES(mutex_);
  // No grace for what is under way: the program ends.
  void hurry() { hurry_.request_stop(); }

 private:
  struct Stop {
    Steady deadline = {};
    std::stop_source hook = {};  // calls the preStop handler off
    bool waits_for_turn = false;
    bool prepared = false;  // its preStop handler is over
  };
  enum class Step : uint8_t { kNone, kAll, kShorten, kSend };

  // What has to be done for a request beyond what is under way.
  Step note(const Request& request, std::stop_source& hook) EXCLUDES(mutex_);
  void take(Step step, const Request& request, const std::stop_source& hook) EXCLUDES(mutex_);
  void run(const Request& request, const std::stop_source& hook) EXCLUDES(mutex_);
  // Tells of it, and runs its preStop handler.
  void prepare(const Request& request, const std::stop_source& hook);
  // Notes that its handler is over. When it must have ended, as was asked for last; nullopt while
  // others have to end before it.
  std::optional<Steady> turn(const Request& request) EXCLUDES(mutex_);
  void finish(const Request& request, Steady end) EXCLUDES(mutex_);
  void run_hook(const Request& request, const ContainerSpec& container,
                const std::stop_source& hook);
  void shorten(const Request& request) EXCLUDES(mutex_);
  // Whether it has ended.
  bool send(const Request& request, Duration grace);
  void end() EXCLUDES(mutex_);

  cri::Runtime& runtime_;
  Hooks& hooks_;
  Clock& clock_;
  WorkerPool& pool_;
  client::EventRecorder& events_;
  const Ended ended_;
  std::stop_source hurry_;
  mutable Mutex mutex_;
  CondVar idle_;
  size_t tasks_ GUARDED_BY(mutex_) = 0;
  std::map<std::string, Stop, std::less<>> stops_ GUARDED_BY(mutex_);  // by container
};

}  // namespace proa::kubelet

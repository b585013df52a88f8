#pragma once

#include <deque>
#include <stop_token>
#include <string>

#include "base/clock.h"
#include "base/limits/log_limit.h"
#include "base/threads/mutex.h"
#include "base/threads/pool.h"
#include "client/bounded_client.h"
#include "client/events/correlator.h"

namespace proa::client {

// Records Events of a component. Recording never blocks and never fails: Events are written later,
// on the pool, and dropped if that fails. Thread-safe.
class EventRecorder {
 public:
  struct Source {
    std::string component;  // "replicaset-controller"
    std::string host;       // for kubelets: the node
  };
  // REQUIRES: all arguments outlive it. `events`: the core resource.
  EventRecorder(Client& client, Clock& clock, WorkerPool& pool, const api::Resource& events,
                Source source);
  // Waits for the Event being written; queued ones are dropped.
  ~EventRecorder();
  EventRecorder(const EventRecorder&) = delete;
  EventRecorder& operator=(const EventRecorder&) = delete;

  void normal(const ObjectReference& about, std::string_view reason, std::string message) {
    record(about, "Normal", reason, std::move(message));
  }
  void warning(const ObjectReference& about, std::string_view reason, std::string message) {
    record(about, "Warning", reason, std::move(message));
  }
  // Waits until all recorded Events are written.
  void flush() EXCLUDES(mutex_);

 private:
  void record(const ObjectReference& about, std::string_view type, std::string_view reason,
              std::string message) EXCLUDES(mutex_);
  void write_all() EXCLUDES(mutex_);
  Result<void> write(const Occurrence& occurrence);
  // That it was dropped.
  void tell(const Occurrence& occurrence, const Status& why);
  json::Document event_object(const Occurrence& occurrence, const EventPlan& plan) const;

  std::stop_source stop_;
  const BoundedClient client_;
  Clock& clock_;
  WorkerPool& pool_;
  const api::Resource& events_;
  const Source source_;
  LogLimit dropped_;       // lines about Events that were dropped
  Correlator correlator_;  // used by the one writing task
  Mutex mutex_;
  CondVar idle_;
  std::deque<Occurrence> waiting_ GUARDED_BY(mutex_);
  bool writing_ GUARDED_BY(mutex_) = false;
  bool closed_ GUARDED_BY(mutex_) = false;
};

}  // namespace proa::client

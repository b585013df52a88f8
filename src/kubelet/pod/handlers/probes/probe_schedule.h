#pragma once

#include <map>
#include <set>
#include <stop_token>
#include <string>
#include <utility>

#include "base/threads/poller.h"
#include "kubelet/pod/handlers/probes/probe_action.h"
#include "kubelet/pod/handlers/probes/probe_state.h"
#include "kubelet/pod/handlers/probes/prober.h"

namespace proa::kubelet {

// Schedules the probes of all containers and runs them in the pool; the polling thread is its own
// thread.
class ProbeSchedule final : public Prober, public Pollable {
 public:
  explicit ProbeSchedule(Context context);
  // Cancels running probes and waits for them. REQUIRES: no longer polled.
  ~ProbeSchedule() override;

  void follow(const PodPtr& pod, const cri::RuntimePod& running) override EXCLUDES(mutex_);
  void stop_liveness(api::UidView pod_uid) override EXCLUDES(mutex_);
  void forget(api::UidView pod_uid) override EXCLUDES(mutex_);

  // Starts the probes that are due.
  Steady poll() override EXCLUDES(mutex_);
  void on_work(std::function<void()> wake) override { wake_ = std::move(wake); }

 private:
  struct Key {
    api::Uid pod_uid = {};
    std::string container = {};
    ProbeKind kind = ProbeKind::kLiveness;
    auto operator<=>(const Key&) const = default;
  };
  // One probe of one container.
  struct Entry {
    Entry(PodPtr of, const ProbeSettings& settings) : pod(std::move(of)), state(settings) {}
    PodPtr pod;
    std::string address = {};
    ProbeState state;
    Steady due = Steady::max();
    bool is_probing = false;
  };
  // A probe that is due.
  struct Task {
    Key key = {};
    PodPtr pod = {};
    std::string container_id = {};
    std::string address = {};
    Steady due = {};
  };
  using Entries = std::map<Key, Entry>;

  ProbedContainer facts_of(const Pod& pod, const ContainerSpec& spec,
                           const cri::Container* container) const;
  std::string address_of(const Pod& pod, const cri::RuntimePod& running) const;
  void follow_probe(const PodPtr& pod, const ContainerSpec& spec, ProbeKind kind,
                    const ProbedContainer& now, const std::string& address) REQUIRES(mutex_);
  void erase(Entries::iterator entry) REQUIRES(mutex_);
  void set_due(const Key& key, Entry& entry, Steady due) REQUIRES(mutex_);
  // When an entry becomes due, or that it does not.
  void plan_first(const Key& key, Entry& entry, Duration extra) REQUIRES(mutex_);
  // The startup probe of that container passed.
  void open_gates(const Key& startup) REQUIRES(mutex_);
  // Wakes the poller if an entry is due earlier than it knows.
  void wake_if_earlier() EXCLUDES(mutex_);

  // Nullopt if none is due; `next` is the time of the next one.
  std::optional<Task> take_due(Steady& next) EXCLUDES(mutex_);
  void probe(const Task& task) EXCLUDES(mutex_);
  // Returns whether a result changed.
  bool finish(const Task& task, const std::optional<bool>& found) EXCLUDES(mutex_);
  void put_off(const Task& task) EXCLUDES(mutex_);

  const Context context_;
  ProbeActions actions_;
  const Time began_;
  std::stop_source stop_;
  std::function<void()> wake_;
  Mutex mutex_;
  CondVar idle_;
  Entries entries_ GUARDED_BY(mutex_);
  std::set<std::pair<Steady, Key>> queue_ GUARDED_BY(mutex_);
  std::set<api::Uid, std::less<>> stopping_ GUARDED_BY(mutex_);  // only pods with a readiness probe
  size_t probing_ GUARDED_BY(mutex_) = 0;
  bool is_earlier_ GUARDED_BY(mutex_) = false;  // an entry is due before the next poll
};

}  // namespace proa::kubelet

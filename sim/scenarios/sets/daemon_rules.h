#pragma once

#include <map>
#include <set>
#include <string>

#include "sim/scenarios/checks.h"
#include "sim/scenarios/sets/pod_watch.h"
#include "sim/scenarios/sets/spec_history.h"

namespace proa::sim {

struct DaemonSpec {
  bool updates = true;  // not OnDelete
  bool surges = false;
  std::string pool;     // of nodes; empty: all of them
  std::string version;  // tells templates apart
};
DaemonSpec daemon_spec(const api::Object& set);

// What must hold at any moment of the pods of DaemonSets: which of them may be made or removed,
// when nobody but the controller did it; by what it may have known.
class DaemonRules {
 public:
  // `steady`: all nodes want a pod all the time. Where they don't, caches may lag behind them for
  // ever so long, and nothing can be said of pods that go.
  void begin(Cluster& cluster, bool steady);
  // What users do: a set was created or changed; it, or a pod, will be removed.
  void wrote(const api::Object& set);
  void removes_set(const api::Object& set) { sets_.at(uid_of(set)).removed = true; }
  void removes_pod(const api::Object& pod) { removed_pods_.insert(uid_of(pod)); }

  // What was against the rules since it was asked last. `set`: the one that is there, if there is
  // one.
  Complaints look(const api::ObjectPtr& set);

 private:
  struct Set {
    bool removed = false;
    SpecHistory<DaemonSpec> specs = {};
  };
  using Pods = PodWatch::Pods;

  static std::string uid_of(const api::Object& object) {
    return std::string(object.metadata().uid);
  }
  void judge(const PodChange& change, const Pods& pods, Complaints& complaints);
  bool may_come(const api::Object& pod, const Pods& pods) const;
  bool may_go(const Set& set, const api::Object& pod, const Pods& pods) const;

  bool steady_ = false;
  PodWatch watch_;
  std::map<std::string, Set> sets_;     // all that ever were, by uid
  std::set<std::string> removed_pods_;  // by users; uids
  std::set<std::string> excused_;       // nodes from which others took a pod, and none came since
};

}  // namespace proa::sim

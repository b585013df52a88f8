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
  std::string version;  // identifies the template
};
DaemonSpec daemon_spec(const api::Object& set);

// Invariants of DaemonSet pods: which ones the controller may create or delete, given what its
// cache may contain.
class DaemonRules {
 public:
  // `steady`: all nodes always want a pod. Otherwise caches may lag behind node changes
  // indefinitely, and deletions cannot be checked.
  void begin(Cluster& cluster, bool steady);
  // User actions: a set was created or changed; it, or a pod, is going to be deleted.
  void wrote(const api::Object& set);
  void removes_set(const api::Object& set) { sets_.at(uid_of(set)).removed = true; }
  void removes_pod(const api::Object& pod) { removed_pods_.insert(uid_of(pod)); }

  // Violations since the last call. `set`: the existing one, or null.
  Violations look(const api::ObjectPtr& set);

 private:
  struct Set {
    bool removed = false;
    SpecHistory<DaemonSpec> specs = {};
  };
  using Pods = PodWatch::Pods;

  static std::string uid_of(const api::Object& object) {
    return std::string(object.metadata().uid);
  }
  void judge(const PodChange& change, const Pods& pods, Violations& violations);
  bool may_come(const api::Object& pod, const Pods& pods) const;
  bool may_go(const Set& set, const api::Object& pod, const Pods& pods) const;

  bool steady_ = false;
  PodWatch watch_;
  std::map<std::string, Set> sets_;     // all that ever existed, by uid
  std::set<std::string> removed_pods_;  // uids of pods deleted by users
  std::set<std::string> excused_;       // nodes that lost a pod to others and have no new one yet
};

}  // namespace proa::sim

#pragma once

#include <map>
#include <set>
#include <string>

#include "sim/scenarios/checks.h"
#include "sim/scenarios/sets/pod_watch.h"
#include "sim/scenarios/sets/spec_history.h"

namespace proa::sim {

struct StatefulSpec {
  int64_t start = 0;
  int64_t replicas = 0;
  int64_t partition = 0;
  bool updates = true;  // not OnDelete
  std::string image;

  bool wants(int64_t ordinal) const { return ordinal >= start && ordinal < start + replicas; }
};
StatefulSpec stateful_spec(const api::Object& set);

// Invariants of StatefulSet pods: which ones the controller may create or delete, given what its
// cache may contain. The cache may lag behind users and kubelets, but not behind the controller's
// own writes.
class StatefulRules {
 public:
  explicit StatefulRules(std::string name) : name_(std::move(name)) {}

  void begin(Cluster& cluster) { watch_.begin(cluster); }
  // User actions: a set was created or changed; it, or a pod, is going to be deleted.
  void wrote(const api::Object& set);
  void removes_set(const api::Object& set) { sets_.at(uid_of(set)).removed = true; }
  void removes_pod(const api::Object& pod) { removed_pods_.insert(uid_of(pod)); }

  // Violations since the last call. `set`: the existing one, or null.
  Violations look(const api::ObjectPtr& set);
  // Whether every spec that the controller may act on, of this and earlier sets of the name, wants
  // it.
  bool surely_wanted(int64_t ordinal) const;

 private:
  struct Set {
    bool ordered = true;  // podManagementPolicy
    bool removed = false;
    SpecHistory<StatefulSpec> specs = {};
  };
  using Pods = PodWatch::Pods;

  static std::string uid_of(const api::Object& object) {
    return std::string(object.metadata().uid);
  }
  std::string pod_name(int64_t ordinal) const { return name_ + "-" + std::to_string(ordinal); }
  void judge(const PodChange& change, const Pods& pods, Violations& violations);
  bool may_come(const api::Object& pod, int64_t ordinal, const Pods& pods) const;
  bool may_go(const api::Object& pod, int64_t ordinal, const Pods& pods) const;
  bool predecessors_served(int64_t first, int64_t ordinal, const Pods& pods) const;

  const std::string name_;
  PodWatch watch_;
  std::map<std::string, Set> sets_;     // all that ever existed, by uid
  std::set<std::string> removed_pods_;  // uids of pods deleted by users
  std::set<std::string> served_;        // uids of pods that were ready at some time
  std::set<int64_t> excused_;           // ordinals whose last pod was deleted by others
};

}  // namespace proa::sim

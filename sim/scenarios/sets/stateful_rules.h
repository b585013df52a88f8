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

// What must hold at any moment of the pods of StatefulSets: which of them may be made or removed,
// when nobody but the controller did it. It is judged by what it may have known: its caches lag
// behind what users and kubelets do, but never behind what it did itself.
class StatefulRules {
 public:
  explicit StatefulRules(std::string name) : name_(std::move(name)) {}

  void begin(Cluster& cluster) { watch_.begin(cluster); }
  // What users do: a set was created or changed; it, or a pod, will be removed.
  void wrote(const api::Object& set);
  void removes_set(const api::Object& set) { sets_.at(uid_of(set)).removed = true; }
  void removes_pod(const api::Object& pod) { removed_pods_.insert(uid_of(pod)); }

  // What was against the rules since it was asked last. `set`: the one that is there, if there is
  // one.
  Complaints look(const api::ObjectPtr& set);
  // Whether no set of that name, now or earlier, may be believed not to want it.
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
  void judge(const PodChange& change, const Pods& pods, Complaints& complaints);
  bool may_come(const api::Object& pod, int64_t ordinal, const Pods& pods) const;
  bool may_go(const api::Object& pod, int64_t ordinal, const Pods& pods) const;
  bool predecessors_served(int64_t first, int64_t ordinal, const Pods& pods) const;

  const std::string name_;
  PodWatch watch_;
  std::map<std::string, Set> sets_;     // all that ever were, by uid
  std::set<std::string> removed_pods_;  // by users; uids
  std::set<std::string> served_;        // uids of pods that were ready once
  std::set<int64_t> excused_;           // ordinals whose last pod was taken away by others
};

}  // namespace proa::sim

#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "api/object/view.h"
#include "base/result.h"
#include "base/threads/deadline.h"
#include "scheduler/framework/event.h"
#include "scheduler/framework/verdict.h"
#include "scheduler/model/cluster.h"
#include "scheduler/model/pod.h"

// The points at which plugins take part. They are upstream's; where upstream hands state from one
// call to the next, here an object is made that has it: what PreFilter works out is a NodeFilter,
// what PreScore works out a NodeScorer.
//
// Pods of one shape share these objects: after a placement they are told what changed instead of
// being made anew, and only nodes whose answer may differ are asked again.

namespace proa::scheduler {

inline constexpr int64_t kMaxScore = 100;

// Something worked out for the pods of one shape.
class Worked {
 public:
  virtual ~Worked() = default;
  // Whether its answer about a node depends on that node alone (its facts, the pods on it). If not,
  // it is told of pods that come and go, and asked about all nodes for every pod.
  virtual bool is_local() const { return true; }
  // A pod came to a node or left it; the cluster has it already. Exact inverses: preemption uses
  // them to ask what would be.
  virtual void pod_added(const Pod& pod, NodeIndex node) {
    static_cast<void>(pod), static_cast<void>(node);
  }
  virtual void pod_removed(const Pod& pod, NodeIndex node) {
    static_cast<void>(pod), static_cast<void>(node);
  }
  // Asked before each use. False when something else than nodes and their pods changed (a Service,
  // a Namespace): then it is made anew. Changes of the cluster's layout() are seen to without it.
  virtual bool still_holds(const Pod& pod) const {
    static_cast<void>(pod);
    return true;
  }
};

// Filter, for pods of one shape.
class NodeFilter : public Worked {
 public:
  // REQUIRES: cluster.node(index) is there. `node` is that one, or what it would be.
  virtual Verdict check(NodeIndex index, const Node& node) = 0;
  // For people: what would have to change so that this node, which it rejects, takes the pod; in a
  // few words, with numbers. Empty: it does not know.
  virtual std::string mend(NodeIndex index, const Node& node) {
    static_cast<void>(index), static_cast<void>(node);
    return {};
  }
};

// Score and NormalizeScore, for pods of one shape.
class NodeScorer : public Worked {
 public:
  // Before nodes are scored: these take the pod. Only for those that are not local.
  virtual void begin(std::span<const NodeIndex> feasible) { static_cast<void>(feasible); }
  // Raw, of one node; 0 to 100 already where normalizes() is false.
  virtual int64_t score(NodeIndex index, const Node& node) = 0;
  virtual bool normalizes() const { return false; }
  // Of all feasible nodes, in the order of begin(): in place, to 0 to 100.
  virtual void normalize(std::span<const NodeIndex> feasible, std::span<int64_t> scores) {
    static_cast<void>(feasible), static_cast<void>(scores);
  }
};

// What PreFilter says.
struct PreFiltered {
  Verdict verdict = {};                     // not ok: no node will do
  std::unique_ptr<NodeFilter> filter = {};  // null: no node need be asked (upstream's Skip)
  // The only nodes that come into question, by name, where that is known.
  std::optional<std::vector<std::string>> only_nodes = std::nullopt;
};

// What a waiting binding is told by Permit.
struct Permission {
  Verdict verdict = {};
  Duration wait{0};  // more than zero: the pod waits as long for somebody's word
};

// What PostFilter did for a pod that found no node.
struct PostFiltered {
  Verdict verdict = {.code = Code::kUnschedulable};
  // Where room is being made for it; empty: nowhere any more; nullopt: as it was.
  std::optional<std::string> nominated_node = std::nullopt;
  std::string message = {};  // for the pod's condition: why nothing could be done
};

class Diagnosis;  // framework/diagnosis.h

// A plugin. It implements some of the interfaces below; a profile finds out which. Adding one: a
// unit in plugins/, and a line in plugins/table.cc.
class Plugin {
 public:
  virtual ~Plugin() = default;
  virtual std::string_view name() const = 0;
  // Which events may make a pod schedulable that this plugin rejected. None: only time helps.
  virtual std::vector<EventInterest> events() const { return {}; }
  // Asked for events of that sort only: whether this one may help that pod.
  virtual bool may_help(const Pod& pod, const ClusterEvent& event) const {
    static_cast<void>(pod), static_cast<void>(event);
    return true;
  }
};

class PreEnqueuePlugin : public virtual Plugin {
 public:
  // Not ok: the pod does not enter the queue.
  virtual Verdict pre_enqueue(const Pod& pod) = 0;
};

// What the queue knows of a pod.
struct QueuedPod {
  PodPtr pod;
  Time queued{};  // when it came into the queue first, or last after an attempt
};

class QueueSortPlugin : public virtual Plugin {
 public:
  virtual bool goes_before(const QueuedPod& a, const QueuedPod& b) const = 0;
};

class FilterPlugin : public virtual Plugin {
 public:
  virtual PreFiltered pre_filter(const Pod& pod) = 0;
};

class PostFilterPlugin : public virtual Plugin {
 public:
  virtual PostFiltered post_filter(const PodPtr& pod, Diagnosis& diagnosis) = 0;
};

class ScorePlugin : public virtual Plugin {
 public:
  // Null: it has nothing to say about this pod (upstream's Skip).
  virtual std::unique_ptr<NodeScorer> pre_score(const Pod& pod) = 0;
};

class ReservePlugin : public virtual Plugin {
 public:
  virtual Verdict reserve(const Pod& pod, NodeIndex node) = 0;
  // Takes it back; also of a pod that it never reserved anything for.
  virtual void unreserve(const Pod& pod) = 0;
};

class PermitPlugin : public virtual Plugin {
 public:
  virtual Permission permit(const Pod& pod, std::string_view node) = 0;
};

// On a thread of the pool from here on, for several pods at once; may block.
class PreBindPlugin : public virtual Plugin {
 public:
  // Whether there is anything to do, asked on the scheduler's thread.
  virtual bool has_work(const Pod& pod, std::string_view node) const = 0;
  virtual Result<void> pre_bind(const Pod& pod, std::string_view node, const Until& until) = 0;
};

class BindPlugin : public virtual Plugin {
 public:
  // False: not its business, the next one is asked.
  virtual Result<bool> bind(const Pod& pod, std::string_view node, const Until& until) = 0;
};

class PostBindPlugin : public virtual Plugin {
 public:
  virtual void post_bind(const Pod& pod, std::string_view node) = 0;
};

}  // namespace proa::scheduler

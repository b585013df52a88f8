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

// Upstream's extension points. Where upstream passes state between calls, an object holds it here:
// PreFilter returns a NodeFilter, PreScore a NodeScorer.
//
// Pods of one shape share these objects: after a placement they are notified of the change instead
// of being recreated, and only nodes whose result may differ are evaluated again.

namespace proa::scheduler {

inline constexpr int64_t kMaxScore = 100;

// A result that is shared by the pods of one shape.
class ShapeResult {
 public:
  virtual ~ShapeResult() = default;
  // Whether the result for a node depends only on that node (its facts and pods). If not, the
  // object is notified of pods that come and go, and evaluates all nodes for every pod.
  virtual bool is_local() const { return true; }
  // A pod was added to or removed from a node; the cluster already reflects it. Exact inverses:
  // preemption uses them for what-if evaluation.
  virtual void pod_added(const Pod& pod, NodeIndex node) {
    static_cast<void>(pod), static_cast<void>(node);
  }
  virtual void pod_removed(const Pod& pod, NodeIndex node) {
    static_cast<void>(pod), static_cast<void>(node);
  }
  // Called before each use. False if something other than nodes and their pods changed (a Service,
  // a Namespace); the object is then recreated. Changes of the cluster's layout() are handled
  // without it.
  virtual bool is_current(const Pod& pod) const {
    static_cast<void>(pod);
    return true;
  }
};

// Filter for the pods of one shape.
class NodeFilter : public ShapeResult {
 public:
  // REQUIRES: cluster.node(index) exists. `node` is that node, or a what-if copy.
  virtual Verdict check(NodeIndex index, const Node& node) = 0;
  // For users: what would have to change for this node, which it rejects, to fit; a few words, with
  // numbers. Empty if unknown.
  virtual std::string suggestion(NodeIndex index, const Node& node) {
    static_cast<void>(index), static_cast<void>(node);
    return {};
  }
};

// Score and NormalizeScore for the pods of one shape.
class NodeScorer : public ShapeResult {
 public:
  // Called before scoring, with the feasible nodes. Only if not local.
  virtual void begin(std::span<const NodeIndex> feasible) { static_cast<void>(feasible); }
  // The raw score of a node; already 0 to 100 if normalizes() is false.
  virtual int64_t score(NodeIndex index, const Node& node) = 0;
  virtual bool normalizes() const { return false; }
  // Normalizes the scores of all feasible nodes, in the order of begin(), in place to 0 to 100.
  virtual void normalize(std::span<const NodeIndex> feasible, std::span<int64_t> scores) {
    static_cast<void>(feasible), static_cast<void>(scores);
  }
};

// The result of PreFilter.
struct PreFiltered {
  Verdict verdict = {};                     // not ok: no node fits
  std::unique_ptr<NodeFilter> filter = {};  // null: no node needs to be filtered (upstream's Skip)
  // If known: the names of the only nodes that can fit.
  std::optional<std::vector<std::string>> only_nodes = std::nullopt;
};

// The result of Permit.
struct Permission {
  Verdict verdict = {};
  Duration wait{0};  // more than zero: the pod waits this long for a decision
};

// The result of PostFilter.
struct PostFiltered {
  Verdict verdict = {.code = Code::kUnschedulable};
  // The nominated node; empty: clear the nomination; nullopt: unchanged.
  std::optional<api::NodeName> nominated_node = std::nullopt;
  std::string message = {};  // for the pod's condition: why preemption does not help
};

class Diagnosis;  // framework/diagnosis.h

// A plugin implements some of the interfaces below; a profile finds out which. To add one: a unit
// in plugins/ and a line in plugins/table.cc.
class Plugin {
 public:
  virtual ~Plugin() = default;
  virtual std::string_view name() const = 0;
  // The events that may make a pod schedulable which this plugin rejected. None: only time helps.
  virtual std::vector<EventInterest> events() const { return {}; }
  // Called for registered events: whether this one may make that pod schedulable (upstream's
  // QueueingHint).
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

// A pod in the queue.
struct QueuedPod {
  PodPtr pod;
  Time queued{};  // when it was added, or put back after an attempt
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
  // Null: does not apply to this pod (upstream's Skip).
  virtual std::unique_ptr<NodeScorer> pre_score(const Pod& pod) = 0;
};

class ReservePlugin : public virtual Plugin {
 public:
  virtual Verdict reserve(const Pod& pod, NodeIndex node) = 0;
  // Reverts reserve(); also called for pods without a reservation.
  virtual void unreserve(const Pod& pod) = 0;
};

class PermitPlugin : public virtual Plugin {
 public:
  virtual Permission permit(const Pod& pod, api::NodeNameView node) = 0;
};

// Runs on the pool, for several pods concurrently; may block.
class PreBindPlugin : public virtual Plugin {
 public:
  // Whether pre_bind has work; called on the scheduler's thread.
  virtual bool has_work(const Pod& pod, api::NodeNameView node) const = 0;
  virtual Result<void> pre_bind(const Pod& pod, api::NodeNameView node, const Until& until) = 0;
};

class BindPlugin : public virtual Plugin {
 public:
  // False: not handled, the next plugin is asked.
  virtual Result<bool> bind(const Pod& pod, api::NodeNameView node, const Until& until) = 0;
};

class PostBindPlugin : public virtual Plugin {
 public:
  virtual void post_bind(const Pod& pod, api::NodeNameView node) = 0;
};

}  // namespace proa::scheduler

#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "scheduler/framework/plugin.h"
#include "scheduler/framework/rejection_tally.h"

namespace proa::scheduler {

// Why a pod found no node: what each node was rejected for, and by whom; and the filters as they
// stand, to ask what would be if pods were taken away. Made for PostFilter, valid during the call.
class Diagnosis {
 public:
  using Rejection = scheduler::Rejection;

  virtual ~Diagnosis() = default;
  // A PreFilter said no for all of them.
  virtual const Rejection& pre_filter() const = 0;
  // Slots of the cluster; only those of nodes mean something.
  virtual const Rejection& of(NodeIndex node) const = 0;
  // The same of all nodes, summed up. Empty when a PreFilter said no.
  virtual const RejectionTally& tally() const = 0;
  // Whether the node takes the pod as it is in the cluster right now (after Cluster::try_add and
  // try_remove), with the pods that are nominated to it and count.
  virtual Verdict check(NodeIndex node) = 0;
  // Tells filters that look beyond a node of such tries.
  virtual void tell_added(const Pod& pod, NodeIndex node) = 0;
  virtual void tell_removed(const Pod& pod, NodeIndex node) = 0;
  // Whether any filter looks beyond a node.
  virtual bool looks_beyond_nodes() const = 0;
  // Who said that only some nodes come into question at all.
  virtual const std::vector<const Plugin*>& narrowed_by() const = 0;
};

}  // namespace proa::scheduler

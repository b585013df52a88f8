#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "scheduler/framework/plugin.h"
#include "scheduler/framework/rejection_tally.h"

namespace proa::scheduler {

// Why a pod fits on no node: the rejection of each node, and the filters themselves, which can
// evaluate the node without some pods. Passed to PostFilter, valid during the call.
class Diagnosis {
 public:
  using Rejection = scheduler::Rejection;

  virtual ~Diagnosis() = default;
  // The rejection of all nodes by a PreFilter plugin, if one rejected them.
  virtual const Rejection& pre_filter() const = 0;
  // By slot of the cluster; vacant slots are meaningless.
  virtual const Rejection& of(NodeIndex node) const = 0;
  // The rejections of all nodes, counted. Empty if PreFilter rejected.
  virtual const RejectionTally& tally() const = 0;
  // Whether the pod fits on the node in the cluster's current state (after Cluster::try_add and
  // try_remove), including nominated pods that count.
  virtual Verdict check(NodeIndex node) = 0;
  // Notifies non-local filters of such changes.
  virtual void tell_added(const Pod& pod, NodeIndex node) = 0;
  virtual void tell_removed(const Pod& pod, NodeIndex node) = 0;
  // Whether any filter is not local.
  virtual bool looks_beyond_nodes() const = 0;
  // The plugins that restricted the nodes in PreFilter.
  virtual const std::vector<const Plugin*>& narrowed_by() const = 0;
};

}  // namespace proa::scheduler

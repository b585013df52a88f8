#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "base/time.h"

namespace proa::controllers {

// A pod of a DaemonSet, as input of the plan.
struct DaemonPod {
  std::string name;
  Time created{};
  bool scheduled = false;  // bound to a node, not only targeted at it
  bool being_deleted = false;
  bool failed = false;
  bool succeeded = false;
  bool held = false;  // failed, and still in back-off
  bool ready = false;
  bool available = false;
  bool updated = false;  // of the newest revision
};

// A node with the set's pods that run there or are targeted at it: bound ones first, then by age,
// the oldest first.
struct DaemonNode {
  std::string name;
  bool exists = true;
  bool may_start = false;
  bool may_stay = false;
  std::vector<DaemonPod> pods;
};

void sort_daemon_pods(std::vector<DaemonPod>& pods);

struct DaemonRemoval {
  enum class Why : uint8_t { kPlanned, kFailed, kSucceeded };
  std::string pod;
  std::string node;
  Why why = Why::kPlanned;

  bool operator==(const DaemonRemoval&) const = default;
};

struct DaemonPlan {
  std::vector<std::string> create_on;  // nodes
  std::vector<DaemonRemoval> remove;

  bool empty() const { return create_on.empty() && remove.empty(); }
};

// One pod on each eligible node, none elsewhere. `surges`: an old and a new pod may share a node.
DaemonPlan plan_placement(std::span<const DaemonNode> nodes, bool surges);

struct DaemonUpdatePolicy {
  int64_t max_unavailable = 1;
  int64_t max_surge = 0;
  int64_t desired = 0;  // number of nodes that should have a pod
};

// A step of a rolling update: the old pods to delete, and with surge the new pods to create first.
// REQUIRES: plan_placement() is empty.
DaemonPlan plan_update(std::span<const DaemonNode> nodes, const DaemonUpdatePolicy& policy);

struct DaemonCounts {
  int64_t desired = 0;
  int64_t current = 0;
  int64_t misscheduled = 0;
  int64_t ready = 0;
  int64_t updated = 0;
  int64_t available = 0;

  bool operator==(const DaemonCounts&) const = default;
};

DaemonCounts count_daemons(std::span<const DaemonNode> nodes);

}  // namespace proa::controllers

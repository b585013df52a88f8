#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "base/time.h"

namespace proa::controllers {

// One pod of a DaemonSet as planning sees it.
struct DaemonPod {
  std::string name;
  Time created{};
  bool scheduled = false;  // has a node already, not only a wish
  bool being_deleted = false;
  bool failed = false;
  bool succeeded = false;
  bool held = false;  // failed, but others before it did as well: to be replaced only later
  bool ready = false;
  bool available = false;
  bool updated = false;  // made of the newest revision
};

// A node, and the pods of the set that are there or are meant for it: the oldest first, those that
// have not got there yet behind the others.
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

// One good pod on every node that should have one, and none elsewhere. `surges`: an old and a new
// one may be on a node together.
DaemonPlan plan_placement(std::span<const DaemonNode> nodes, bool surges);

struct DaemonUpdatePolicy {
  int64_t max_unavailable = 1;
  int64_t max_surge = 0;
  int64_t desired = 0;  // nodes that should have one
};

// Which old pods make room for new ones now, and where new ones come before old ones go.
// REQUIRES: plan_placement() has nothing to do.
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

#pragma once

#include <optional>

#include "controllers/pods/share.h"
#include "controllers/workload/daemon/node_match.h"

namespace proa::controllers {

// What is read of a DaemonSet, once per version of it.
struct DaemonFacts {
  NodeMatch nodes;
  int64_t min_ready_seconds = 0;
  int64_t history_limit = 10;
  bool updates = true;  // false: updateStrategy OnDelete
  Share max_unavailable;
  Share max_surge;
  std::optional<int64_t> template_generation;
  // From the status.
  int64_t observed_generation = 0;
  int64_t collisions = 0;

  // Whether a node may have an old and a new pod (maxSurge).
  bool surges() const { return max_surge.rounded_up(1) > 0; }
};

const DaemonFacts& daemon_facts(const api::Object& set);

}  // namespace proa::controllers

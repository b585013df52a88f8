#pragma once

#include <optional>

#include "controllers/workload/daemon/node_match.h"

namespace proa::controllers {

// A number of nodes, or a share of them: 3, "25%".
struct NodeShare {
  int64_t number = 0;
  bool percent = false;

  static NodeShare from(api::View value);
  // Upwards: a share of some is at least one.
  int64_t of(int64_t all) const;
};

// What a DaemonSet says of itself, read once for each of its states.
struct DaemonFacts {
  NodeMatch nodes;
  int64_t min_ready_seconds = 0;
  int64_t history_limit = 10;
  bool updates = true;  // updateStrategy: not OnDelete
  NodeShare max_unavailable;
  NodeShare max_surge;
  std::optional<int64_t> template_generation;
  // From its status.
  int64_t observed_generation = 0;
  int64_t collisions = 0;

  // Whether a node may have an old pod and a new one.
  bool surges() const { return max_surge.of(1) > 0; }
};

const DaemonFacts& daemon_facts(const api::Object& set);

}  // namespace proa::controllers

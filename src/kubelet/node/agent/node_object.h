#pragma once

#include <map>
#include <string>

#include "api/object/view.h"
#include "base/result.h"
#include "kubelet/model/options.h"

namespace proa::kubelet {

using NodeLabels = std::map<std::string, std::string, std::less<>>;

// The labels that a new Node gets: upstream's defaults, and over them what options say.
NodeLabels initial_labels(const KubeletOptions& options);
// The labels that an existing Node must have: of `initial_labels` those that upstream's kubelet
// sets right when it comes back. What else options say holds for new Nodes only.
NodeLabels adopted_labels(const KubeletOptions& options);
// Those that every look at a Node sets right: its system and its architecture.
NodeLabels required_labels();

// A new Node as JSON. kInvalid when a taint of the options can't be read.
Result<std::string> make_node(const KubeletOptions& options, api::View status);

struct NodeChange {
  api::View before;       // the Node as it is
  api::View status;       // what its status is to be
  NodeLabels labels;      // that it must have
  bool annotate = false;  // with what says that a controller attaches volumes
};
// Whether the change is one, times of heartbeats aside.
bool is_needed(const NodeChange& change);
// A strategic merge patch for the Node's status, which takes labels and annotations too.
std::string node_patch(const NodeChange& change);

}  // namespace proa::kubelet

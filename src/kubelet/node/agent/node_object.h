#pragma once

#include <map>
#include <string>

#include "api/object/view.h"
#include "base/result.h"
#include "kubelet/model/options.h"

namespace proa::kubelet {

using NodeLabels = std::map<std::string, std::string, std::less<>>;

// The labels of a new Node: upstream's defaults, overridden by the options.
NodeLabels initial_labels(const KubeletOptions& options);
// The labels that an existing Node must have: those of `initial_labels` that upstream's kubelet
// restores at its start. Other labels of the options are for new Nodes only.
NodeLabels adopted_labels(const KubeletOptions& options);
// Labels that each status update restores: operating system and architecture.
NodeLabels required_labels();

// The annotations that a Node must have when its kubelet starts: that a controller attaches
// volumes, and where volumes of local-path storage are.
NodeLabels initial_annotations(const KubeletOptions& options);

struct Taint {
  std::string key = {};
  std::string value = {};
  std::string effect = {};
};
// "key=value:Effect" or "key:Effect"; kInvalid for anything else.
Result<Taint> parse_taint(const std::string& text);

// A new Node as JSON, with these ranges for its pods (empty: the controllers give it some).
// kInvalid if a taint of the options cannot be parsed.
Result<std::string> make_node(const KubeletOptions& options, const std::vector<std::string>& ranges,
                              api::View status);

struct NodeChange {
  api::View before;   // the Node as it is
  api::View status;   // what its status is to be
  NodeLabels labels;  // that it must have
  NodeLabels annotations = {};
};
// Whether a change is more than a heartbeat.
bool is_needed(const NodeChange& change);
// A strategic merge patch for the Node's status, labels and annotations.
std::string node_patch(const NodeChange& change);

}  // namespace proa::kubelet

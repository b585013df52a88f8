#pragma once

#include <optional>
#include <string>

#include "controllers/framework/claim.h"

// Pods of DaemonSets.

namespace proa::controllers {

// Adds the tolerations of all daemon pods: for nodes that are not ready, under pressure or
// unschedulable.
void put_daemon_tolerations(api::Edit pod_spec);

// The revision of a pod.
struct DaemonVersion {
  std::string hash;
  std::optional<int64_t> generation;  // templateGeneration, which predates hashes

  bool is_of(const api::Object& pod) const;
};

// A pod that can only be scheduled to this node.
json::Document new_daemon_pod(const Owner& set, api::View pod_template, std::string_view node,
                              const DaemonVersion& version);
// The node that it is bound to or targeted at; empty if none.
const std::string& target_node(const api::Object& pod);

}  // namespace proa::controllers

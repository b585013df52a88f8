#pragma once

#include <optional>
#include <string>

#include "controllers/framework/claim.h"

// Pods of DaemonSets: what they look like.

namespace proa::controllers {

// What daemons bear, since they are part of the node: that it is not ready, or full, or closed to
// others.
void put_daemon_tolerations(api::Edit pod_spec);

// Which revision a pod is of.
struct DaemonVersion {
  std::string hash;
  std::optional<int64_t> generation;  // of the template; how it was told before there were hashes

  bool is_of(const api::Object& pod) const;
};

// The scheduler binds it, as all others; the only node that it may take is this one.
json::Document new_daemon_pod(const Owner& set, api::View pod_template, std::string_view node,
                              const DaemonVersion& version);
// The node that it runs on, or is meant for; empty when it says none.
const std::string& target_node(const api::Object& pod);

}  // namespace proa::controllers

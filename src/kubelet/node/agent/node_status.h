#pragma once

#include <optional>
#include <string>
#include <vector>

#include "api/object/view.h"
#include "kubelet/host/machine.h"
#include "kubelet/model/options.h"
#include "kubelet/node/agent/pressure.h"
#include "kubelet/runtime/cri/runtime.h"

namespace proa::kubelet {

// What is known of the runtime.
struct RuntimeSeen {
  bool ever_ready = false;                              // it was ready once since we run
  bool down = false;                                    // not seen ready for too long
  std::optional<cri::RuntimeReadiness> readiness = {};  // as it said last
  std::optional<cri::RuntimeVersion> version = {};
};

// Everything that a Node's status is made of.
struct NodeFacts {
  const KubeletOptions& options;
  const Machine& machine;
  const RuntimeSeen& runtime;
  std::vector<std::string> addresses = {};  // its InternalIPs; one or two
  std::optional<int64_t> disk_capacity = {};
  Pressures pressures = {};
  std::vector<cri::Image> images = {};  // any number, in any order
  std::string kubelet_version = {};
  Time now = {};
};

// What an Event about the Node says.
struct NodeNews {
  bool warning = false;
  std::string reason = {};
  std::string message = {};
};

// The status that follows on `before` (absent for a new Node): what others put there stays, times
// of transitions too. `news` get what upstream tells by Events.
json::Document make_node_status(api::View before, const NodeFacts& facts,
                                std::vector<NodeNews>& news);

// Whether two statuses differ in more than the times of heartbeats.
bool node_status_differs(api::View before, api::View after);

// Why it is not ready; empty when it is. As the message of its condition lists them.
std::vector<std::string> readiness_problems(const RuntimeSeen& runtime, api::View capacity);

}  // namespace proa::kubelet

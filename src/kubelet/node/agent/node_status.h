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

// What is known about the runtime.
struct RuntimeSeen {
  bool ever_ready = false;                              // it was ready once since we run
  bool down = false;                                    // not seen ready for too long
  std::optional<cri::RuntimeReadiness> readiness = {};  // as reported last
  std::optional<cri::RuntimeVersion> version = {};
};

// What is known about the pod network, if it is ours.
struct PodNetworkSeen {
  std::string failure = {};                // why pods have none; empty when they have
  bool expected = false;                   // the failure is one of every start: nothing is wrong
  std::vector<std::string> warnings = {};  // what is wrong though pods run
  bool ours = false;                       // it is by our CNI configuration that pods get theirs
};

// The inputs of a Node's status.
struct NodeFacts {
  const KubeletOptions& options;
  const Machine& machine;
  const RuntimeSeen& runtime;
  const PodNetworkSeen& network;
  std::vector<std::string> addresses = {};  // its InternalIPs; one or two
  std::optional<int64_t> disk_capacity = {};
  Pressures pressures = {};
  std::vector<cri::Image> images = {};  // in any number and order
  std::string kubelet_version = {};
  Time now = {};
};

// An Event about the Node.
struct NodeNews {
  bool warning = false;
  std::string reason = {};
  std::string message = {};
};

// The status after `before` (absent for a new Node): fields of others and transition times stay.
// `news` gets upstream's Events.
json::Document make_node_status(api::View before, const NodeFacts& facts,
                                std::vector<NodeNews>& news);

// Whether two statuses differ in more than heartbeat times.
bool node_status_differs(api::View before, api::View after);

// Why the node is not ready, as in the message of its condition; empty if it is ready.
std::vector<std::string> readiness_problems(const RuntimeSeen& runtime,
                                            const PodNetworkSeen& network, api::View capacity);

}  // namespace proa::kubelet

#pragma once

#include <string>
#include <vector>

#include "api/object/object.h"
#include "kinds/core/placement/tolerations.h"

namespace proa::controllers::nodes {

using kinds::pods::kNoExecute;
using kinds::pods::kNoSchedule;
using kinds::pods::Taint;

// The status of the Ready condition; absent until a kubelet posts one.
enum class NodeReady : uint8_t { kAbsent, kTrue, kFalse, kUnknown };

inline constexpr std::string_view kTaintNotReady = "node.kubernetes.io/not-ready";
inline constexpr std::string_view kTaintUnreachable = "node.kubernetes.io/unreachable";

// What controllers read of a Node, once per version of it.
struct NodeFacts {
  NodeReady ready = NodeReady::kAbsent;
  std::string heartbeat = {};  // lastHeartbeatTime of the Ready condition, as written
  Time created{};
  std::string zone = {};               // region and zone; empty if not labelled
  bool counts = true;                  // counts for the state of its zone
  std::vector<Taint> taints = {};      // all taints
  std::vector<Taint> no_execute = {};  // taints with the effect NoExecute
  // Keys of the taints that its conditions and spec.unschedulable require.
  std::vector<std::string> required_taints = {};
  // Deprecated labels of operating system and architecture that differ from the current ones.
  std::vector<std::pair<std::string, std::string>> lacks_labels = {};
  std::vector<std::string> pod_cidrs = {};  // spec.podCIDRs

  bool has_taint(std::string_view key, std::string_view effect) const;
};

const NodeFacts& node_facts(const api::Object& node);

}  // namespace proa::controllers::nodes

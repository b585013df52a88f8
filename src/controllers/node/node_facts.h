#pragma once

#include <string>
#include <vector>

#include "api/object/object.h"
#include "kinds/core/placement/tolerations.h"

namespace proa::controllers::nodes {

using kinds::pods::kNoExecute;
using kinds::pods::kNoSchedule;
using kinds::pods::Taint;

// What the condition Ready says; nothing before a kubelet posted a status.
enum class NodeReady : uint8_t { kAbsent, kTrue, kFalse, kUnknown };

inline constexpr std::string_view kTaintNotReady = "node.kubernetes.io/not-ready";
inline constexpr std::string_view kTaintUnreachable = "node.kubernetes.io/unreachable";

// What controllers ask of nodes, read once for each state of a node.
struct NodeFacts {
  NodeReady ready = NodeReady::kAbsent;
  std::string heartbeat = {};  // of the condition Ready, as the kubelet wrote it
  Time created{};
  std::string zone = {};               // region and zone; empty: none
  bool counts = true;                  // among the nodes by which its zone is judged
  std::vector<Taint> taints = {};      // all of them
  std::vector<Taint> no_execute = {};  // those that drive pods away
  // Keys of the taints that its conditions, and being unschedulable, call for.
  std::vector<std::string> calls_for = {};
  // Labels of its operating system and architecture under their old names, which are to say the
  // same as those under the new ones, and don't.
  std::vector<std::pair<std::string, std::string>> lacks_labels = {};
  std::vector<std::string> pod_networks = {};  // spec.podCIDRs

  bool has_taint(std::string_view key, std::string_view effect) const;
};

const NodeFacts& node_facts(const api::Object& node);

}  // namespace proa::controllers::nodes

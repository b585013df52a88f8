#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

// Why a pod is pending, as plain data.

namespace proa::scheduler {

// The rejection of a node, or of all nodes, by one plugin.
struct PluginObjection {
  std::string plugin = {};
  std::vector<std::string> reasons = {};  // the scheduler's reasons
  bool preemption_may_help = false;       // evicting pods of the node

  bool operator==(const PluginObjection&) const = default;
};

struct NodeSuggestions {
  std::string name = {};
  // What would help, for each objection of its group; empty if unknown.
  std::vector<std::string> suggestions = {};
};

// Nodes that are rejected by the same plugins for the same reasons.
struct NodeGroup {
  std::vector<PluginObjection> objections = {};  // all of them, not only the first
  std::vector<NodeSuggestions> nodes = {};       // by name
};

struct PreemptionOutlook {
  bool looked = false;    // preemption was evaluated: no node fits and a PostFilter plugin exists
  std::string node = {};  // the node; empty: preemption does not help
  std::vector<std::string> victims = {};  // "namespace/name", highest priority first
  int64_t violations = 0;                 // of PodDisruptionBudgets
  std::string why_not = {};               // the scheduler's message
};

// A PersistentVolumeClaim of the pod that is not bound yet.
struct UnboundClaim {
  std::string name = {};
  std::string storage_class = {};  // empty: none
  std::string provisioner = {};    // of the class; empty if the class does not exist
  bool node_selected = false;      // the scheduler chose a node and waits for the provisioner
  std::string warning = {};        // the last one of the provisioner; empty if there is none

  // Whether the pod waits for it even though a node fits.
  bool blocks() const { return node_selected || !warning.empty(); }
};

enum class PodOutlook : uint8_t {
  kUnschedulable,   // fits on no node
  kFits,            // fits; not scheduled yet, or no scheduler is running
  kWaitsForVolume,  // fits, but a volume of it is not provisioned
  kHeldBack,        // gated
  kBound,           // already bound
  kOtherScheduler,  // schedulerName is not in this configuration
  kBeingDeleted,
  kFinished,
};

struct Explanation {
  std::string name_space = {};
  std::string name = {};
  std::string scheduler_name = {};
  PodOutlook outlook = PodOutlook::kUnschedulable;
  std::string node = {};            // its node, or the one that would be chosen
  std::string nominated_node = {};  // its nominated node
  std::string last_word = {};       // message of the condition PodScheduled

  // Plugins that gate it; nodes are evaluated anyway.
  std::vector<PluginObjection> held_back_by = {};
  std::string message = {};  // the scheduler's message; empty if it fits
  size_t node_count = 0;
  std::vector<std::string> fits_on = {};         // by name
  std::vector<PluginObjection> everywhere = {};  // rejections by PreFilter, for all nodes
  std::vector<NodeGroup> groups = {};            // closest to fitting first
  PreemptionOutlook preemption = {};
  std::vector<UnboundClaim> unbound_claims = {};
  std::vector<std::string> would_fit_if = {};  // alternatives, easiest first
};

}  // namespace proa::scheduler

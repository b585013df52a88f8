#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

// Why a pod is not scheduled, for people and programs. Plain data.

namespace proa::scheduler {

// What one plugin has against a node, or against all of them.
struct PluginObjection {
  std::string plugin = {};
  std::vector<std::string> reasons = {};  // as the scheduler words them
  bool preemption_may_help = false;       // taking pods away from the node

  bool operator==(const PluginObjection&) const = default;
};

struct NodeMends {
  std::string name = {};
  // What would have to change there, for each objection of its group; empty: it is not known.
  std::vector<std::string> mends = {};
};

// Nodes to which the same plugins object for the same reasons.
struct NodeGroup {
  std::vector<PluginObjection> objections = {};  // all of them, not only the first
  std::vector<NodeMends> nodes = {};             // by name
};

struct PreemptionOutlook {
  bool looked = false;                    // there was no node, and a plugin that preempts
  std::string node = {};                  // where room can be made; empty: nowhere
  std::vector<std::string> victims = {};  // "namespace/name", the most important first
  int64_t violations = 0;                 // of disruption budgets
  std::string why_not = {};               // as the scheduler words it
};

enum class PodOutlook : uint8_t {
  kUnschedulable,   // no node takes it
  kFits,            // some do: it is only a matter of time, or no scheduler runs
  kHeldBack,        // it is not even tried
  kBound,           // it has a node already
  kOtherScheduler,  // it asks for one that this configuration does not have
  kBeingDeleted,
  kFinished,
};

struct Explanation {
  std::string name_space = {};
  std::string name = {};
  std::string scheduler_name = {};
  PodOutlook outlook = PodOutlook::kUnschedulable;
  std::string node = {};            // that it has, or would be given
  std::string nominated_node = {};  // where room is being made for it
  std::string last_word = {};       // what its condition PodScheduled says

  // Who keeps it from being tried; what nodes say of it is explained all the same.
  std::vector<PluginObjection> held_back_by = {};
  std::string message = {};  // as the scheduler would word it; empty when it fits
  size_t node_count = 0;
  std::vector<std::string> fits_on = {};         // by name
  std::vector<PluginObjection> everywhere = {};  // said of the pod, before any node was asked
  std::vector<NodeGroup> groups = {};            // the nearest to fitting first
  PreemptionOutlook preemption = {};
  std::vector<std::string> would_fit_if = {};  // alternatives, the easiest first
};

}  // namespace proa::scheduler

#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "testkit/scheduler/oracle/oracle_node_selector.h"
#include "testkit/scheduler/oracle/oracle_world.h"

// In-tree volume types that are now served by CSI drivers.

namespace proa::testkit::oracle {

struct InTreeKind {
  const char* field;   // in the spec of a PersistentVolume, and in a volume of a pod
  const char* plugin;  // the in-tree plugin name
  const char* driver;
  const char* zone_key = "";  // the driver's topology key of zones; empty if it does not translate
  bool served = true;         // migration is unconditional
};

// Null if it is not one of them. `source`: a volume of a pod, or the spec of a PersistentVolume.
const InTreeKind* in_tree_kind(View source);
const InTreeKind* in_tree_plugin(std::string_view plugin);

// The driver's volume handle. `problem` if it cannot be determined. `labels` are those of a
// PersistentVolume; absent for a volume in a pod.
struct Handle {
  std::string handle = {};
  std::string problem = {};
};
Handle handle_of(const InTreeKind& kind, View source, View labels);

// The node affinity of a PersistentVolume, with the driver's topology keys.
std::vector<NodeTerm> translated_terms(const InTreeKind& kind, View volume);

}  // namespace proa::testkit::oracle

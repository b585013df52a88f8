#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "testkit/scheduler/oracle/oracle_node_selector.h"
#include "testkit/scheduler/oracle/oracle_world.h"

// Volumes of kinds that were once part of Kubernetes and are now served by CSI drivers.

namespace proa::testkit::oracle {

struct InTreeKind {
  const char* field;   // in the spec of a PersistentVolume, and in a volume of a pod
  const char* plugin;  // its old name
  const char* driver;
  const char* zone_key = "";  // what the driver calls a zone; empty when it does not translate
  bool served = true;         // by the driver, without doubt
};

// Null when it is of no such kind. `source`: a volume of a pod, or the spec of a PersistentVolume.
const InTreeKind* in_tree_kind(View source);
const InTreeKind* in_tree_plugin(std::string_view plugin);

// What the driver calls the volume. `problem` when that cannot be said. `labels` are those of a
// PersistentVolume; absent for a volume in a pod.
struct Handle {
  std::string handle = {};
  std::string problem = {};
};
Handle handle_of(const InTreeKind& kind, View source, View labels);

// Where a PersistentVolume may be used from, in the words that the driver has for zones.
std::vector<NodeTerm> translated_terms(const InTreeKind& kind, View volume);

}  // namespace proa::testkit::oracle

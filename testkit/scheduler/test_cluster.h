#pragma once

#include <string>
#include <vector>

#include "api/object/object.h"

namespace proa::testkit {

// All that a scheduler looks at, as objects of the API (complete, with the server's defaults where
// a decision depends on them). Pods that run somewhere have spec.nodeName.
struct TestCluster {
  std::vector<api::ObjectPtr> nodes = {};
  std::vector<api::ObjectPtr> pods = {};
  std::vector<api::ObjectPtr> namespaces = {};
  std::vector<api::ObjectPtr> services = {};
  std::vector<api::ObjectPtr> replication_controllers = {};
  std::vector<api::ObjectPtr> replica_sets = {};
  std::vector<api::ObjectPtr> stateful_sets = {};
  std::vector<api::ObjectPtr> claims = {};   // persistentvolumeclaims
  std::vector<api::ObjectPtr> volumes = {};  // persistentvolumes
  std::vector<api::ObjectPtr> storage_classes = {};
  std::vector<api::ObjectPtr> csi_nodes = {};
  std::vector<api::ObjectPtr> csi_drivers = {};
  std::vector<api::ObjectPtr> csi_capacities = {};  // csistoragecapacities
  std::vector<api::ObjectPtr> volume_attachments = {};
  std::vector<api::ObjectPtr> disruption_budgets = {};
  std::vector<api::ObjectPtr> pending = {};  // pods to be scheduled, each asked for by itself
};

}  // namespace proa::testkit

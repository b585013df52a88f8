#include "scheduler/plugins/table.h"

#include <array>

#include "scheduler/plugins/affinity/inter_pod_affinity.h"
#include "scheduler/plugins/basic/default_binder.h"
#include "scheduler/plugins/basic/image_locality.h"
#include "scheduler/plugins/basic/node_affinity.h"
#include "scheduler/plugins/basic/node_name.h"
#include "scheduler/plugins/basic/node_ports.h"
#include "scheduler/plugins/basic/node_unschedulable.h"
#include "scheduler/plugins/basic/priority_sort.h"
#include "scheduler/plugins/basic/scheduling_gates.h"
#include "scheduler/plugins/basic/taint_toleration.h"
#include "scheduler/plugins/preemption/default_preemption.h"
#include "scheduler/plugins/resources/balanced_allocation.h"
#include "scheduler/plugins/resources/node_resources_fit.h"
#include "scheduler/plugins/spread/pod_topology_spread.h"
#include "scheduler/plugins/volumes/binding/volume_binding.h"
#include "scheduler/plugins/volumes/node_volume_limits.h"
#include "scheduler/plugins/volumes/volume_restrictions.h"
#include "scheduler/plugins/volumes/volume_zone.h"

namespace proa::scheduler {

// In the order of upstream's default profile, without DynamicResources and NodeDeclaredFeatures,
// which are not implemented. Adding a plugin: a unit, and a line here.
std::span<const PluginEntry> plugin_table() {
  static constexpr std::array kTable = {
      PluginEntry{"SchedulingGates", make_scheduling_gates},
      PluginEntry{"PrioritySort", make_priority_sort},
      PluginEntry{"NodeUnschedulable", make_node_unschedulable},
      PluginEntry{"NodeName", make_node_name},
      PluginEntry{"TaintToleration", make_taint_toleration, 3},
      PluginEntry{"NodeAffinity", make_node_affinity, 2},
      PluginEntry{"NodePorts", make_node_ports},
      PluginEntry{"NodeResourcesFit", make_node_resources_fit, 1},
      PluginEntry{"VolumeRestrictions", make_volume_restrictions},
      PluginEntry{"NodeVolumeLimits", make_node_volume_limits},
      PluginEntry{"VolumeBinding", make_volume_binding},
      PluginEntry{"VolumeZone", make_volume_zone},
      PluginEntry{"PodTopologySpread", make_pod_topology_spread, 2},
      PluginEntry{"InterPodAffinity", make_inter_pod_affinity, 2},
      PluginEntry{"DefaultPreemption", make_default_preemption},
      PluginEntry{"NodeResourcesBalancedAllocation", make_balanced_allocation, 1},
      PluginEntry{"ImageLocality", make_image_locality, 1},
      PluginEntry{"DefaultBinder", make_default_binder},
  };
  return kTable;
}

}  // namespace proa::scheduler

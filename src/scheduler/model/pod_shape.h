#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "api/object/object.h"
#include "api/selector/label_selector.h"
#include "kinds/core/placement/node_selector.h"
#include "kinds/core/placement/tolerations.h"
#include "scheduler/model/labels.h"
#include "scheduler/model/pod_object.h"
#include "scheduler/model/resources.h"

namespace proa::scheduler {

struct HostPort {
  std::string ip = {};  // "0.0.0.0" for all of them
  std::string protocol = {};
  int32_t port = 0;

  bool operator==(const HostPort&) const = default;
};

// A pod (anti-)affinity term.
struct AffinityTerm {
  std::string topology_key = {};
  api::LabelSelector selector = {};
  std::vector<std::string> namespaces = {};  // ascending; the pod's own namespace if none is given
  // Selects more namespaces by their labels; matches nothing if not set.
  api::LabelSelector namespace_selector = api::LabelSelector::nothing();
  int32_t weight = 0;  // of preferred terms

  // `namespace_labels`: labels of the namespace of `labels`.
  bool matches(std::string_view name_space, std::span<const api::LabelPair> labels,
               std::span<const api::LabelPair> namespace_labels) const;
};

struct SpreadConstraint {
  std::string topology_key = {};
  api::LabelSelector selector = {};  // including matchLabelKeys
  int32_t max_skew = 1;
  int32_t min_domains = 1;
  bool hard = true;             // DoNotSchedule; else ScheduleAnyway
  bool honors_affinity = true;  // nodeAffinityPolicy
  bool honors_taints = false;   // nodeTaintsPolicy
};

struct PreferredNodes {
  kinds::pods::NodeSelectorTerm term;
  int32_t weight = 0;
};

// A volume that refers to a disk directly, without a claim; two pods may not always share it.
struct Disk {
  enum class Kind : uint8_t { kGce, kAws, kIscsi, kRbd };
  Kind kind = Kind::kGce;
  std::string id = {};                   // of RBD: "pool/image"
  std::vector<std::string> places = {};  // RBD: monitors
  bool read_only = false;
};

// Everything about a pod that influences scheduling. Pods of one template have the same shape.
// Immutable and shared: a result for one pod holds for all others of its shape.
struct PodShape {
  std::string name_space = {};
  Labels labels = {};
  std::string scheduler_name = {};
  int32_t priority = 0;
  bool may_preempt = true;  // preemptionPolicy is not Never
  // Its controller's kind and name, for default topology spreading.
  std::string controller_kind = {};
  std::string controller_name = {};

  PodRequests requests = {};
  std::vector<HostPort> host_ports = {};
  std::vector<std::string> images = {};  // of init containers and containers, as written
  size_t containers = 0;                 // including init containers

  api::LabelSelector node_selector = {};
  std::optional<kinds::pods::NodeSelector> node_affinity = std::nullopt;
  std::vector<PreferredNodes> preferred_nodes = {};
  std::vector<kinds::pods::Toleration> tolerations = {};

  std::vector<AffinityTerm> affinity = {};
  std::vector<AffinityTerm> anti_affinity = {};
  std::vector<AffinityTerm> preferred_affinity = {};
  std::vector<AffinityTerm> preferred_anti_affinity = {};
  std::vector<SpreadConstraint> spread = {};

  std::vector<std::string> claims = {};  // names, including those of ephemeral volumes
  std::vector<Disk> disks = {};
  // Its volumes are evaluated for every pod (claims, inline CSI): results are not kept.
  bool has_volumes_of_its_own = false;

  // The key: equal for pods of one shape, and only for those.
  std::string key = {};

  bool has_affinity() const {
    return !affinity.empty() || !anti_affinity.empty() || !preferred_affinity.empty() ||
           !preferred_anti_affinity.empty();
  }
  // The required node selector and node affinity.
  bool selects(const api::Metadata& node) const {
    return node_selector.matches(node.labels) && (!node_affinity || node_affinity->matches(node));
  }
};

using ShapePtr = std::shared_ptr<const PodShape>;

// The key of a pod's shape; cheaper than reading the shape.
std::string shape_key(const api::Metadata& metadata, const objects::Pod& pod);
PodShape read_shape(const api::Metadata& metadata, const objects::Pod& pod, std::string key);

}  // namespace proa::scheduler

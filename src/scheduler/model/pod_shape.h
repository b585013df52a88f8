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
#include "scheduler/model/resources.h"

namespace proa::scheduler {

struct HostPort {
  std::string ip = {};  // "0.0.0.0" for all of them
  std::string protocol = {};
  int32_t port = 0;

  bool operator==(const HostPort&) const = default;
};

// Other pods that a pod wants near it, or far from it.
struct AffinityTerm {
  std::string topology_key = {};
  api::LabelSelector selector = {};
  std::vector<std::string> namespaces = {};  // ascending; with the pod's own where none are named
  // Namespaces by their labels, beside those above; matches nothing where none is said.
  api::LabelSelector namespace_selector = api::LabelSelector::nothing();
  int32_t weight = 0;  // of preferred ones

  // `namespace_labels`: of the namespace that `labels` stand in.
  bool matches(std::string_view name_space, std::span<const api::LabelPair> labels,
               std::span<const api::LabelPair> namespace_labels) const;
};

struct SpreadConstraint {
  std::string topology_key = {};
  api::LabelSelector selector = {};  // with what matchLabelKeys adds
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

// A volume that names a disk itself, without a claim: two pods may not always share it.
struct Disk {
  enum class Kind : uint8_t { kGce, kAws, kIscsi, kRbd };
  Kind kind = Kind::kGce;
  std::string id = {};                   // of RBD: "pool/image"
  std::vector<std::string> places = {};  // RBD: monitors
  bool read_only = false;
};

// All that decides where a pod may run and where it runs best: pods of one template are of one
// shape. Immutable, and shared by them: what was worked out for one holds for the others.
struct PodShape {
  std::string name_space = {};
  Labels labels = {};
  std::string scheduler_name = {};
  int32_t priority = 0;
  bool may_preempt = true;  // preemptionPolicy is not Never
  // Its controller's kind and name, for spreading what nobody said how to spread.
  std::string controller_kind = {};
  std::string controller_name = {};

  PodRequests requests = {};
  std::vector<HostPort> host_ports = {};
  std::vector<std::string> images = {};  // of init containers and containers, as they are written
  size_t containers = 0;                 // with init containers

  api::LabelSelector node_selector = {};
  std::optional<kinds::pods::NodeSelector> node_affinity = std::nullopt;
  std::vector<PreferredNodes> preferred_nodes = {};
  std::vector<kinds::pods::Toleration> tolerations = {};

  std::vector<AffinityTerm> affinity = {};
  std::vector<AffinityTerm> anti_affinity = {};
  std::vector<AffinityTerm> preferred_affinity = {};
  std::vector<AffinityTerm> preferred_anti_affinity = {};
  std::vector<SpreadConstraint> spread = {};

  std::vector<std::string> claims = {};  // names, those of ephemeral volumes too
  std::vector<Disk> disks = {};
  // Its volumes are looked at one by one (claims, inline CSI): nothing is kept for the next pod.
  bool has_volumes_of_its_own = false;

  // What is equal for pods of one shape, and for no others.
  std::string key = {};

  bool has_affinity() const {
    return !affinity.empty() || !anti_affinity.empty() || !preferred_affinity.empty() ||
           !preferred_anti_affinity.empty();
  }
  // The required part of where its node must be: selector and affinity.
  bool selects(const api::Metadata& node) const {
    return node_selector.matches(node.labels) && (!node_affinity || node_affinity->matches(node));
  }
};

using ShapePtr = std::shared_ptr<const PodShape>;

// What pods of that shape have in common, as text; cheaper than the shape itself.
std::string shape_key(const api::Metadata& metadata, api::View pod);
PodShape read_shape(const api::Metadata& metadata, api::View pod, std::string key);

}  // namespace proa::scheduler

#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "api/typed/decode.h"

// The fields of a Pod that decide about its node. Texts are views into the object, so a struct is
// valid as long as the object. Every version of every pod is decoded: parts that only matter for a
// new shape stay RawJson until then.

namespace proa::scheduler::objects {

struct ContainerPort {
  int64_t host_port = 0;
  std::string_view protocol = "TCP";
  std::string_view host_ip;

  static const api::FieldTable& table();
};

struct ResourceRequirements {
  api::RawJson requests;  // see read_amounts()

  static const api::FieldTable& table();
};

struct Container {
  std::string_view name;
  std::string_view image;
  std::vector<ContainerPort> ports;
  ResourceRequirements resources;
  std::string_view restart_policy;

  bool is_sidecar() const { return restart_policy == "Always"; }  // of an init container
  static const api::FieldTable& table();
};

// Sources that the node provides itself (emptyDir, projected and others) are left out.
struct Volume {
  std::string_view name;
  api::RawJson gce;
  api::RawJson aws;
  api::RawJson iscsi;
  api::RawJson claim;
  api::RawJson rbd;
  api::RawJson cinder;
  api::RawJson azure_file;
  api::RawJson vsphere;
  api::RawJson azure_disk;
  api::RawJson portworx;
  api::RawJson csi;
  api::RawJson ephemeral;
  api::RawJson image;

  static const api::FieldTable& table();
};

struct SchedulingGate {
  std::string_view name;

  static const api::FieldTable& table();
};

struct PodSpec {
  std::vector<Volume> volumes;
  std::vector<Container> init_containers;
  std::vector<Container> containers;
  api::RawJson node_selector;
  std::string_view node;
  api::RawJson affinity;  // Affinity
  std::string_view scheduler_name;
  api::RawJson tolerations;  // a list of kinds::pods::Toleration
  int64_t priority = 0;
  std::string_view preemption_policy;
  api::RawJson overhead;  // see read_amounts()
  api::RawJson spread;    // a list of TopologySpreadConstraint
  std::vector<SchedulingGate> gates;
  ResourceRequirements resources;

  static const api::FieldTable& table();
};

struct ContainerStatus {
  std::string_view name;
  api::RawJson allocated;  // see read_amounts()
  std::optional<ResourceRequirements> resources;

  static const api::FieldTable& table();
};

struct PodCondition {
  std::string_view type;
  std::string_view status;
  std::string_view reason;

  static const api::FieldTable& table();
};

struct PodStatus {
  std::string_view phase;
  std::vector<PodCondition> conditions;
  std::string_view nominated_node;
  Time started{};
  std::vector<ContainerStatus> init_containers;
  std::vector<ContainerStatus> containers;
  api::RawJson allocated;  // see read_amounts()
  std::optional<ResourceRequirements> resources;

  // Null if there is none of that type.
  const PodCondition* condition(std::string_view type) const;
  static const api::FieldTable& table();
};

struct PodMetadata {
  Time created{};

  static const api::FieldTable& table();
};

struct Pod {
  PodMetadata metadata;
  PodSpec spec;
  PodStatus status;

  static const api::FieldTable& table();
};

// --- Parts of a new shape ---

struct PodAffinityTerm {
  api::LabelSelector selector = api::LabelSelector::nothing();
  std::vector<std::string> namespaces;
  std::string topology_key;
  std::optional<api::LabelSelector> namespace_selector;

  static const api::FieldTable& table();
};

struct WeightedPodAffinityTerm {
  int64_t weight = 0;
  PodAffinityTerm term;

  static const api::FieldTable& table();
};

// Serves podAntiAffinity, too.
struct PodAffinity {
  std::vector<PodAffinityTerm> required;
  std::vector<WeightedPodAffinityTerm> preferred;

  static const api::FieldTable& table();
};

struct PreferredSchedulingTerm {
  int64_t weight = 0;
  api::RawJson preference;  // kinds::pods::NodeSelectorTerm

  static const api::FieldTable& table();
};

struct NodeAffinity {
  api::RawJson required;  // kinds::pods::NodeSelector
  std::vector<PreferredSchedulingTerm> preferred;

  static const api::FieldTable& table();
};

struct Affinity {
  NodeAffinity nodes;
  PodAffinity pods;
  PodAffinity anti_pods;

  static const api::FieldTable& table();
};

struct TopologySpreadConstraint {
  int64_t max_skew = 1;
  std::string topology_key;
  std::string_view when_unsatisfiable;
  api::LabelSelector selector = api::LabelSelector::nothing();
  int64_t min_domains = 1;
  std::string_view node_affinity_policy;
  std::string_view node_taints_policy;
  std::vector<std::string> match_label_keys;

  static const api::FieldTable& table();
};

struct GceDisk {
  std::string name;
  bool read_only = false;

  static const api::FieldTable& table();
};

struct AwsDisk {
  std::string id;
  bool read_only = false;

  static const api::FieldTable& table();
};

struct IscsiDisk {
  std::string iqn;
  bool read_only = false;

  static const api::FieldTable& table();
};

struct RbdDisk {
  std::vector<std::string> monitors;
  std::string image;
  std::string pool;
  bool read_only = false;

  static const api::FieldTable& table();
};

struct ClaimVolume {
  std::string claim_name;

  static const api::FieldTable& table();
};

struct ImageVolume {
  std::string reference;

  static const api::FieldTable& table();
};

}  // namespace proa::scheduler::objects

#include "scheduler/model/pod_object.h"

namespace proa::scheduler::objects {

const api::FieldTable& ContainerPort::table() {
  static constexpr api::FieldEntry kEntries[] = {
      api::entry<&ContainerPort::host_port>("hostPort"),
      api::entry<&ContainerPort::protocol>("protocol"),
      api::entry<&ContainerPort::host_ip>("hostIP"),
  };
  static constexpr api::FieldTable kTable{.types = "v1/ContainerPort", .entries = kEntries};
  return kTable;
}

const api::FieldTable& ResourceRequirements::table() {
  static constexpr api::FieldEntry kEntries[] = {
      api::entry<&ResourceRequirements::requests>("requests"),
  };
  static constexpr api::FieldTable kTable{.types = "v1/ResourceRequirements", .entries = kEntries};
  return kTable;
}

const api::FieldTable& Container::table() {
  static constexpr api::FieldEntry kEntries[] = {
      api::entry<&Container::name>("name"),
      api::entry<&Container::image>("image"),
      api::entry<&Container::ports>("ports"),
      api::entry<&Container::resources>("resources"),
      api::entry<&Container::restart_policy>("restartPolicy"),
  };
  static constexpr api::FieldTable kTable{.types = "v1/Container", .entries = kEntries};
  return kTable;
}

const api::FieldTable& Volume::table() {
  static constexpr api::FieldEntry kEntries[] = {
      api::entry<&Volume::name>("name"),
      api::entry<&Volume::gce>("gcePersistentDisk"),
      api::entry<&Volume::aws>("awsElasticBlockStore"),
      api::entry<&Volume::iscsi>("iscsi"),
      api::entry<&Volume::claim>("persistentVolumeClaim"),
      api::entry<&Volume::rbd>("rbd"),
      api::entry<&Volume::cinder>("cinder"),
      api::entry<&Volume::azure_file>("azureFile"),
      api::entry<&Volume::vsphere>("vsphereVolume"),
      api::entry<&Volume::azure_disk>("azureDisk"),
      api::entry<&Volume::portworx>("portworxVolume"),
      api::entry<&Volume::csi>("csi"),
      api::entry<&Volume::ephemeral>("ephemeral"),
      api::entry<&Volume::image>("image"),
  };
  static constexpr api::FieldTable kTable{.types = "v1/Volume", .entries = kEntries};
  return kTable;
}

const api::FieldTable& SchedulingGate::table() {
  static constexpr api::FieldEntry kEntries[] = {
      api::entry<&SchedulingGate::name>("name"),
  };
  static constexpr api::FieldTable kTable{.types = "v1/PodSchedulingGate", .entries = kEntries};
  return kTable;
}

const api::FieldTable& PodSpec::table() {
  static constexpr api::FieldEntry kEntries[] = {
      api::entry<&PodSpec::volumes>("volumes"),
      api::entry<&PodSpec::init_containers>("initContainers"),
      api::entry<&PodSpec::containers>("containers"),
      api::entry<&PodSpec::node_selector>("nodeSelector"),
      api::entry<&PodSpec::node>("nodeName"),
      api::entry<&PodSpec::affinity>("affinity"),
      api::entry<&PodSpec::scheduler_name>("schedulerName"),
      api::entry<&PodSpec::tolerations>("tolerations"),
      api::entry<&PodSpec::priority>("priority"),
      api::entry<&PodSpec::preemption_policy>("preemptionPolicy"),
      api::entry<&PodSpec::overhead>("overhead"),
      api::entry<&PodSpec::spread>("topologySpreadConstraints"),
      api::entry<&PodSpec::gates>("schedulingGates"),
      api::entry<&PodSpec::resources>("resources"),
  };
  static constexpr api::FieldTable kTable{.types = "v1/PodSpec", .entries = kEntries};
  return kTable;
}

const api::FieldTable& ContainerStatus::table() {
  static constexpr api::FieldEntry kEntries[] = {
      api::entry<&ContainerStatus::name>("name"),
      api::entry<&ContainerStatus::allocated>("allocatedResources"),
      api::entry<&ContainerStatus::resources>("resources"),
  };
  static constexpr api::FieldTable kTable{.types = "v1/ContainerStatus", .entries = kEntries};
  return kTable;
}

const api::FieldTable& PodCondition::table() {
  static constexpr api::FieldEntry kEntries[] = {
      api::entry<&PodCondition::type>("type"),
      api::entry<&PodCondition::status>("status"),
      api::entry<&PodCondition::reason>("reason"),
  };
  static constexpr api::FieldTable kTable{.types = "v1/PodCondition", .entries = kEntries};
  return kTable;
}

const api::FieldTable& PodStatus::table() {
  static constexpr api::FieldEntry kEntries[] = {
      api::entry<&PodStatus::phase>("phase"),
      api::entry<&PodStatus::conditions>("conditions"),
      api::entry<&PodStatus::nominated_node>("nominatedNodeName"),
      api::entry<&PodStatus::started>("startTime"),
      api::entry<&PodStatus::init_containers>("initContainerStatuses"),
      api::entry<&PodStatus::containers>("containerStatuses"),
      api::entry<&PodStatus::allocated>("allocatedResources"),
      api::entry<&PodStatus::resources>("resources"),
  };
  static constexpr api::FieldTable kTable{.types = "v1/PodStatus", .entries = kEntries};
  return kTable;
}

const api::FieldTable& PodMetadata::table() {
  static constexpr api::FieldEntry kEntries[] = {
      api::entry<&PodMetadata::created>("creationTimestamp"),
  };
  static constexpr api::FieldTable kTable{.types = "meta.k8s.io/v1/ObjectMeta",
                                          .entries = kEntries};
  return kTable;
}

const api::FieldTable& Pod::table() {
  static constexpr api::FieldEntry kEntries[] = {
      api::entry<&Pod::metadata>("metadata"),
      api::entry<&Pod::spec>("spec"),
      api::entry<&Pod::status>("status"),
  };
  static constexpr api::FieldTable kTable{.types = "v1/Pod", .entries = kEntries};
  return kTable;
}

const api::FieldTable& PodAffinityTerm::table() {
  static constexpr api::FieldEntry kEntries[] = {
      api::entry<&PodAffinityTerm::selector>("labelSelector"),
      api::entry<&PodAffinityTerm::namespaces>("namespaces"),
      api::entry<&PodAffinityTerm::topology_key>("topologyKey"),
      api::entry<&PodAffinityTerm::namespace_selector>("namespaceSelector"),
  };
  static constexpr api::FieldTable kTable{.types = "v1/PodAffinityTerm", .entries = kEntries};
  return kTable;
}

const api::FieldTable& WeightedPodAffinityTerm::table() {
  static constexpr api::FieldEntry kEntries[] = {
      api::entry<&WeightedPodAffinityTerm::weight>("weight"),
      api::entry<&WeightedPodAffinityTerm::term>("podAffinityTerm"),
  };
  static constexpr api::FieldTable kTable{.types = "v1/WeightedPodAffinityTerm",
                                          .entries = kEntries};
  return kTable;
}

const api::FieldTable& PodAffinity::table() {
  static constexpr api::FieldEntry kEntries[] = {
      api::entry<&PodAffinity::required>("requiredDuringSchedulingIgnoredDuringExecution"),
      api::entry<&PodAffinity::preferred>("preferredDuringSchedulingIgnoredDuringExecution"),
  };
  static constexpr api::FieldTable kTable{.types = "v1/PodAffinity v1/PodAntiAffinity",
                                          .entries = kEntries};
  return kTable;
}

const api::FieldTable& PreferredSchedulingTerm::table() {
  static constexpr api::FieldEntry kEntries[] = {
      api::entry<&PreferredSchedulingTerm::weight>("weight"),
      api::entry<&PreferredSchedulingTerm::preference>("preference"),
  };
  static constexpr api::FieldTable kTable{.types = "v1/PreferredSchedulingTerm",
                                          .entries = kEntries};
  return kTable;
}

const api::FieldTable& NodeAffinity::table() {
  static constexpr api::FieldEntry kEntries[] = {
      api::entry<&NodeAffinity::required>("requiredDuringSchedulingIgnoredDuringExecution"),
      api::entry<&NodeAffinity::preferred>("preferredDuringSchedulingIgnoredDuringExecution"),
  };
  static constexpr api::FieldTable kTable{.types = "v1/NodeAffinity", .entries = kEntries};
  return kTable;
}

const api::FieldTable& Affinity::table() {
  static constexpr api::FieldEntry kEntries[] = {
      api::entry<&Affinity::nodes>("nodeAffinity"),
      api::entry<&Affinity::pods>("podAffinity"),
      api::entry<&Affinity::anti_pods>("podAntiAffinity"),
  };
  static constexpr api::FieldTable kTable{.types = "v1/Affinity", .entries = kEntries};
  return kTable;
}

const api::FieldTable& TopologySpreadConstraint::table() {
  static constexpr api::FieldEntry kEntries[] = {
      api::entry<&TopologySpreadConstraint::max_skew>("maxSkew"),
      api::entry<&TopologySpreadConstraint::topology_key>("topologyKey"),
      api::entry<&TopologySpreadConstraint::when_unsatisfiable>("whenUnsatisfiable"),
      api::entry<&TopologySpreadConstraint::selector>("labelSelector"),
      api::entry<&TopologySpreadConstraint::min_domains>("minDomains"),
      api::entry<&TopologySpreadConstraint::node_affinity_policy>("nodeAffinityPolicy"),
      api::entry<&TopologySpreadConstraint::node_taints_policy>("nodeTaintsPolicy"),
      api::entry<&TopologySpreadConstraint::match_label_keys>("matchLabelKeys"),
  };
  static constexpr api::FieldTable kTable{.types = "v1/TopologySpreadConstraint",
                                          .entries = kEntries};
  return kTable;
}

const api::FieldTable& GceDisk::table() {
  static constexpr api::FieldEntry kEntries[] = {
      api::entry<&GceDisk::name>("pdName"),
      api::entry<&GceDisk::read_only>("readOnly"),
  };
  static constexpr api::FieldTable kTable{.types = "v1/GCEPersistentDiskVolumeSource",
                                          .entries = kEntries};
  return kTable;
}

const api::FieldTable& AwsDisk::table() {
  static constexpr api::FieldEntry kEntries[] = {
      api::entry<&AwsDisk::id>("volumeID"),
      api::entry<&AwsDisk::read_only>("readOnly"),
  };
  static constexpr api::FieldTable kTable{.types = "v1/AWSElasticBlockStoreVolumeSource",
                                          .entries = kEntries};
  return kTable;
}

const api::FieldTable& IscsiDisk::table() {
  static constexpr api::FieldEntry kEntries[] = {
      api::entry<&IscsiDisk::iqn>("iqn"),
      api::entry<&IscsiDisk::read_only>("readOnly"),
  };
  static constexpr api::FieldTable kTable{.types = "v1/ISCSIVolumeSource", .entries = kEntries};
  return kTable;
}

const api::FieldTable& RbdDisk::table() {
  static constexpr api::FieldEntry kEntries[] = {
      api::entry<&RbdDisk::monitors>("monitors"),
      api::entry<&RbdDisk::image>("image"),
      api::entry<&RbdDisk::pool>("pool"),
      api::entry<&RbdDisk::read_only>("readOnly"),
  };
  static constexpr api::FieldTable kTable{.types = "v1/RBDVolumeSource", .entries = kEntries};
  return kTable;
}

const api::FieldTable& ClaimVolume::table() {
  static constexpr api::FieldEntry kEntries[] = {
      api::entry<&ClaimVolume::claim_name>("claimName"),
  };
  static constexpr api::FieldTable kTable{.types = "v1/PersistentVolumeClaimVolumeSource",
                                          .entries = kEntries};
  return kTable;
}

const api::FieldTable& ImageVolume::table() {
  static constexpr api::FieldEntry kEntries[] = {
      api::entry<&ImageVolume::reference>("reference"),
  };
  static constexpr api::FieldTable kTable{.types = "v1/ImageVolumeSource", .entries = kEntries};
  return kTable;
}

const PodCondition* PodStatus::condition(std::string_view type) const {
  for (const PodCondition& one : conditions) {
    if (one.type == type) return &one;
  }
  return nullptr;
}

}  // namespace proa::scheduler::objects

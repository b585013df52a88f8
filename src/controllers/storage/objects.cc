#include "controllers/storage/objects.h"

namespace proa::controllers::storage {

using api::entry;

const api::FieldTable& CsiSource::table() {
  static constexpr api::FieldEntry kEntries[] = {
      entry<&CsiSource::driver>("driver"),
      entry<&CsiSource::handle>("volumeHandle"),
  };
  static constexpr api::FieldTable kTable{.types = "v1/CSIPersistentVolumeSource",
                                          .entries = kEntries};
  return kTable;
}

const api::FieldTable& AttachableVolumeSpec::table() {
  static constexpr api::FieldEntry kEntries[] = {
      entry<&AttachableVolumeSpec::csi>("csi"),
      entry<&AttachableVolumeSpec::access_modes>("accessModes"),
  };
  static constexpr api::FieldTable kTable{.types = "v1/PersistentVolumeSpec", .entries = kEntries};
  return kTable;
}

const api::FieldTable& AttachableVolume::table() {
  static constexpr api::FieldEntry kEntries[] = {
      entry<&AttachableVolume::spec>("spec"),
  };
  static constexpr api::FieldTable kTable{.types = "v1/PersistentVolume", .entries = kEntries};
  return kTable;
}

const api::FieldTable& AttachmentSource::table() {
  static constexpr api::FieldEntry kEntries[] = {
      entry<&AttachmentSource::volume>("persistentVolumeName"),
  };
  static constexpr api::FieldTable kTable{.types = "storage.k8s.io/v1/VolumeAttachmentSource",
                                          .entries = kEntries};
  return kTable;
}

const api::FieldTable& AttachmentSpec::table() {
  static constexpr api::FieldEntry kEntries[] = {
      entry<&AttachmentSpec::source>("source"),
      entry<&AttachmentSpec::node>("nodeName"),
  };
  static constexpr api::FieldTable kTable{.types = "storage.k8s.io/v1/VolumeAttachmentSpec",
                                          .entries = kEntries};
  return kTable;
}

const api::FieldTable& AttachError::table() {
  static constexpr api::FieldEntry kEntries[] = {
      entry<&AttachError::message>("message"),
  };
  static constexpr api::FieldTable kTable{.types = "storage.k8s.io/v1/VolumeError",
                                          .entries = kEntries};
  return kTable;
}

const api::FieldTable& AttachmentStatus::table() {
  static constexpr api::FieldEntry kEntries[] = {
      entry<&AttachmentStatus::attached>("attached"),
      entry<&AttachmentStatus::attach_error>("attachError"),
  };
  static constexpr api::FieldTable kTable{.types = "storage.k8s.io/v1/VolumeAttachmentStatus",
                                          .entries = kEntries};
  return kTable;
}

const api::FieldTable& Attachment::table() {
  static constexpr api::FieldEntry kEntries[] = {
      entry<&Attachment::spec>("spec"),
      entry<&Attachment::status>("status"),
  };
  static constexpr api::FieldTable kTable{.types = "storage.k8s.io/v1/VolumeAttachment",
                                          .entries = kEntries};
  return kTable;
}

const api::FieldTable& AttachNodeAnnotations::table() {
  static constexpr api::FieldEntry kEntries[] = {
      entry<&AttachNodeAnnotations::managed>(
          "volumes.kubernetes.io/controller-managed-attach-detach"),
  };
  static constexpr api::FieldTable kTable{.types = api::FieldTable::kMap, .entries = kEntries};
  return kTable;
}

const api::FieldTable& AttachNodeMetadata::table() {
  static constexpr api::FieldEntry kEntries[] = {
      entry<&AttachNodeMetadata::annotations>("annotations"),
  };
  static constexpr api::FieldTable kTable{.types = "meta.k8s.io/v1/ObjectMeta",
                                          .entries = kEntries};
  return kTable;
}

const api::FieldTable& NodeTaint::table() {
  static constexpr api::FieldEntry kEntries[] = {
      entry<&NodeTaint::key>("key"),
  };
  static constexpr api::FieldTable kTable{.types = "v1/Taint", .entries = kEntries};
  return kTable;
}

const api::FieldTable& AttachNodeSpec::table() {
  static constexpr api::FieldEntry kEntries[] = {
      entry<&AttachNodeSpec::taints>("taints"),
  };
  static constexpr api::FieldTable kTable{.types = "v1/NodeSpec", .entries = kEntries};
  return kTable;
}

const api::FieldTable& NodeConditionState::table() {
  static constexpr api::FieldEntry kEntries[] = {
      entry<&NodeConditionState::type>("type"),
      entry<&NodeConditionState::status>("status"),
  };
  static constexpr api::FieldTable kTable{.types = "v1/NodeCondition", .entries = kEntries};
  return kTable;
}

const api::FieldTable& AttachedVolume::table() {
  static constexpr api::FieldEntry kEntries[] = {
      entry<&AttachedVolume::name>("name"),
  };
  static constexpr api::FieldTable kTable{.types = "v1/AttachedVolume", .entries = kEntries};
  return kTable;
}

const api::FieldTable& AttachNodeStatus::table() {
  static constexpr api::FieldEntry kEntries[] = {
      entry<&AttachNodeStatus::conditions>("conditions"),
      entry<&AttachNodeStatus::volumes_in_use>("volumesInUse"),
      entry<&AttachNodeStatus::volumes_attached>("volumesAttached"),
  };
  static constexpr api::FieldTable kTable{.types = "v1/NodeStatus", .entries = kEntries};
  return kTable;
}

const api::FieldTable& AttachNode::table() {
  static constexpr api::FieldEntry kEntries[] = {
      entry<&AttachNode::metadata>("metadata"),
      entry<&AttachNode::spec>("spec"),
      entry<&AttachNode::status>("status"),
  };
  static constexpr api::FieldTable kTable{.types = "v1/Node", .entries = kEntries};
  return kTable;
}

const api::FieldTable& ClaimPodMetadata::table() {
  static constexpr api::FieldEntry kEntries[] = {
      entry<&ClaimPodMetadata::grace_period_seconds>("deletionGracePeriodSeconds"),
  };
  static constexpr api::FieldTable kTable{.types = "meta.k8s.io/v1/ObjectMeta",
                                          .entries = kEntries};
  return kTable;
}

const api::FieldTable& ClaimSource::table() {
  static constexpr api::FieldEntry kEntries[] = {
      entry<&ClaimSource::claim>("claimName"),
  };
  static constexpr api::FieldTable kTable{.types = "v1/PersistentVolumeClaimVolumeSource",
                                          .entries = kEntries};
  return kTable;
}

const api::FieldTable& ClaimPodVolume::table() {
  static constexpr api::FieldEntry kEntries[] = {
      entry<&ClaimPodVolume::name>("name"),
      entry<&ClaimPodVolume::claim>("persistentVolumeClaim"),
      entry<&ClaimPodVolume::ephemeral>("ephemeral"),
  };
  static constexpr api::FieldTable kTable{.types = "v1/Volume", .entries = kEntries};
  return kTable;
}

const api::FieldTable& ClaimPodSpec::table() {
  static constexpr api::FieldEntry kEntries[] = {
      entry<&ClaimPodSpec::volumes>("volumes"),
      entry<&ClaimPodSpec::node>("nodeName"),
  };
  static constexpr api::FieldTable kTable{.types = "v1/PodSpec", .entries = kEntries};
  return kTable;
}

const api::FieldTable& ContainerState::table() {
  static constexpr api::FieldEntry kEntries[] = {
      entry<&ContainerState::waiting>("waiting"),
      entry<&ContainerState::terminated>("terminated"),
  };
  static constexpr api::FieldTable kTable{.types = "v1/ContainerState", .entries = kEntries};
  return kTable;
}

const api::FieldTable& ContainerStatus::table() {
  static constexpr api::FieldEntry kEntries[] = {
      entry<&ContainerStatus::state>("state"),
  };
  static constexpr api::FieldTable kTable{.types = "v1/ContainerStatus", .entries = kEntries};
  return kTable;
}

const api::FieldTable& ClaimPodStatus::table() {
  static constexpr api::FieldEntry kEntries[] = {
      entry<&ClaimPodStatus::phase>("phase"),
      entry<&ClaimPodStatus::init_containers>("initContainerStatuses"),
      entry<&ClaimPodStatus::containers>("containerStatuses"),
      entry<&ClaimPodStatus::ephemeral_containers>("ephemeralContainerStatuses"),
  };
  static constexpr api::FieldTable kTable{.types = "v1/PodStatus", .entries = kEntries};
  return kTable;
}

const api::FieldTable& ClaimPod::table() {
  static constexpr api::FieldEntry kEntries[] = {
      entry<&ClaimPod::metadata>("metadata"),
      entry<&ClaimPod::spec>("spec"),
      entry<&ClaimPod::status>("status"),
  };
  static constexpr api::FieldTable kTable{.types = "v1/Pod", .entries = kEntries};
  return kTable;
}

}  // namespace proa::controllers::storage

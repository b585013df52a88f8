#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "api/typed/decode.h"

// The fields that storage controllers decide by; src/api/typed/decode.h reads them. Views point
// into the object.

namespace proa::controllers::storage {

struct CsiSource {
  std::string driver;
  std::string handle;

  static const api::FieldTable& table();
};

struct AttachableVolumeSpec {
  CsiSource csi;
  std::vector<std::string_view> access_modes;

  static const api::FieldTable& table();
};

// A PersistentVolume.
struct AttachableVolume {
  AttachableVolumeSpec spec;

  static const api::FieldTable& table();
};

struct AttachmentSource {
  std::string volume;

  static const api::FieldTable& table();
};

struct AttachmentSpec {
  AttachmentSource source;
  api::NodeName node;

  static const api::FieldTable& table();
};

struct AttachError {
  std::string message;

  static const api::FieldTable& table();
};

struct AttachmentStatus {
  bool attached = false;
  AttachError attach_error;

  static const api::FieldTable& table();
};

// A VolumeAttachment.
struct Attachment {
  AttachmentSpec spec;
  AttachmentStatus status;

  static const api::FieldTable& table();
};

struct AttachNodeAnnotations {
  api::Presence managed;

  static const api::FieldTable& table();
};

struct AttachNodeMetadata {
  AttachNodeAnnotations annotations;

  static const api::FieldTable& table();
};

struct NodeTaint {
  std::string_view key;

  static const api::FieldTable& table();
};

struct AttachNodeSpec {
  std::vector<NodeTaint> taints;

  static const api::FieldTable& table();
};

struct NodeConditionState {
  std::string_view type;
  std::string_view status;

  static const api::FieldTable& table();
};

struct AttachedVolume {
  std::string name;

  static const api::FieldTable& table();
};

struct AttachNodeStatus {
  std::vector<NodeConditionState> conditions;
  std::vector<std::string> volumes_in_use;
  std::vector<AttachedVolume> volumes_attached;

  static const api::FieldTable& table();
};

// A Node.
struct AttachNode {
  AttachNodeMetadata metadata;
  AttachNodeSpec spec;
  AttachNodeStatus status;

  static const api::FieldTable& table();
};

struct ClaimPodMetadata {
  std::optional<int64_t> grace_period_seconds;

  static const api::FieldTable& table();
};

struct ClaimSource {
  std::string claim;

  static const api::FieldTable& table();
};

struct ClaimPodVolume {
  std::string name;
  std::optional<ClaimSource> claim;
  api::Presence ephemeral;

  static const api::FieldTable& table();
};

struct ClaimPodSpec {
  std::vector<ClaimPodVolume> volumes;
  api::NodeName node;

  static const api::FieldTable& table();
};

struct ContainerState {
  api::Presence waiting;
  api::Presence terminated;

  static const api::FieldTable& table();
};

struct ContainerStatus {
  ContainerState state;

  static const api::FieldTable& table();
};

struct ClaimPodStatus {
  std::string_view phase;
  std::vector<ContainerStatus> init_containers;
  std::vector<ContainerStatus> containers;
  std::vector<ContainerStatus> ephemeral_containers;

  static const api::FieldTable& table();
};

// A pod with claims.
struct ClaimPod {
  ClaimPodMetadata metadata;
  ClaimPodSpec spec;
  ClaimPodStatus status;

  static const api::FieldTable& table();
};

}  // namespace proa::controllers::storage

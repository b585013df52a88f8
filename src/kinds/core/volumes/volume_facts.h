#pragma once

#include <optional>
#include <string>

#include "api/object/object.h"
#include "api/quantity.h"
#include "api/selector/label_selector.h"
#include "kinds/core/placement/node_selector.h"

// The fields of claims, volumes and storage classes that binding needs (volume binder, scheduler),
// decoded once per version of an object.

namespace proa::kinds {

// On claims: binding completed; if the volume is missing now, the claim is lost.
inline constexpr std::string_view kBindCompleted = "pv.kubernetes.io/bind-completed";
// On claims and volumes: a controller bound them, so a controller may unbind them.
inline constexpr std::string_view kBoundByController = "pv.kubernetes.io/bound-by-controller";
// On volumes: the provisioner that created them and has to delete them.
inline constexpr std::string_view kProvisionedBy = "pv.kubernetes.io/provisioned-by";
// On claims: the node that the scheduler chose for the first pod that uses the claim.
inline constexpr std::string_view kSelectedNode = "volume.kubernetes.io/selected-node";
// On claims: the provisioner that is to create the volume; the second is the deprecated name.
inline constexpr std::string_view kProvisioner = "volume.kubernetes.io/storage-provisioner";
inline constexpr std::string_view kBetaProvisioner =
    "volume.beta.kubernetes.io/storage-provisioner";

// A set of access modes, one bit for each.
struct AccessModes {
  uint8_t bits = 0;

  bool contain(AccessModes others) const { return (others.bits & ~bits) == 0; }
  int count() const { return __builtin_popcount(bits); }
};
inline constexpr AccessModes kReadWriteOncePod{.bits = 1U << 3};

struct ClaimFacts {
  std::string name_space = {};
  std::string name = {};
  std::string uid = {};
  std::string phase = {};
  std::string volume = {};                                  // spec.volumeName
  std::optional<std::string> storage_class = std::nullopt;  // nullopt: unset
  std::string attributes_class = {};
  bool is_block = false;
  AccessModes modes = {};
  api::Quantity request = {};
  std::optional<api::LabelSelector> selector = std::nullopt;  // of volumes
  bool bind_completed = false;
  bool bound_by_controller = false;
  std::optional<std::string> selected_node = std::nullopt;
  std::string provisioner = {};  // from the annotation kProvisioner

  std::string_view class_name() const {
    return storage_class ? std::string_view(*storage_class) : std::string_view();
  }
};

struct VolumeFacts {
  struct Claim {
    std::string name_space = {};
    std::string name = {};
    std::string uid = {};  // empty: reserved, not bound
  };
  std::string name = {};
  std::string phase = {};
  std::optional<Claim> claim = std::nullopt;  // spec.claimRef
  std::string storage_class = {};
  std::string attributes_class = {};
  bool is_block = false;
  AccessModes modes = {};
  api::Quantity capacity = {};
  std::string reclaim_policy = {};
  std::optional<std::string> provisioned_by = std::nullopt;
  bool bound_by_controller = false;
  bool being_deleted = false;
  bool is_csi = false;
  std::optional<std::string> host_path = std::nullopt;
  std::optional<pods::NodeSelector> node_affinity = std::nullopt;  // nodes that can access it

  bool is_released() const { return phase == "Released" || phase == "Failed"; }
};

struct ClassFacts {
  std::string name = {};
  std::string provisioner = {};
  std::string created = {};
  bool is_default = false;
  bool waits_for_consumer = false;  // volumeBindingMode WaitForFirstConsumer
};

const ClaimFacts& claim_facts(const api::Object& claim);
const VolumeFacts& volume_facts(const api::Object& volume);
const ClassFacts& class_facts(const api::Object& storage_class);

}  // namespace proa::kinds

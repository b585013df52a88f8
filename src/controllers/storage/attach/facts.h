#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "api/object/names.h"
#include "api/object/object.h"

// What is read of volumes, attachments and nodes, once per version of them.

namespace proa::controllers::storage {

// A volume of a CSI driver.
struct DeviceFacts {
  std::string driver = {};  // empty: not a CSI volume, never attached
  std::string handle = {};
  bool shared = false;  // may be attached to several nodes
};

struct AttachmentFacts {
  std::string name = {};
  std::string volume = {};
  api::NodeName node = {};
  bool attached = false;
  bool being_deleted = false;
  std::string error = {};  // last attach error
};

struct NodeFacts {
  bool managed = false;  // volumes are attached by this controller, not by the kubelet
  bool ready = false;
  bool out_of_service = false;             // has the out-of-service taint
  std::vector<std::string> in_use = {};    // status.volumesInUse
  std::vector<std::string> attached = {};  // status.volumesAttached

  bool operator==(const NodeFacts&) const = default;
};

const DeviceFacts& device_facts(const api::Object& volume);
const AttachmentFacts& attachment_facts(const api::Object& attachment);
const NodeFacts& node_facts(const api::Object& node);

// "kubernetes.io/csi/DRIVER^HANDLE": the name of a volume in node status.
std::string unique_volume_name(const DeviceFacts& device);
// The name of a volume's attachment to a node: deterministic, so that there is at most one.
std::string attachment_name(const DeviceFacts& device, const api::NodeName& node);
// Whether the unique names contain the volume of this attachment.
bool names_volume_of(const std::vector<std::string>& unique_names,
                     const AttachmentFacts& attachment);

}  // namespace proa::controllers::storage

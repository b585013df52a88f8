#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "api/object/object.h"

// What attaching asks of volumes, attachments and nodes, read once for each state of them.

namespace proa::controllers::storage {

// A volume of a CSI driver.
struct DeviceFacts {
  std::string driver = {};  // empty: of no driver, so nothing is attached
  std::string handle = {};
  bool shared = false;  // several nodes may have it at once
};

struct AttachmentFacts {
  std::string name = {};
  std::string volume = {};
  std::string node = {};
  bool attached = false;
  bool being_deleted = false;
  std::string error = {};  // why it could not be attached
};

struct NodeFacts {
  bool managed = false;  // volumes are attached to it here, not by its kubelet
  bool ready = false;
  bool out_of_service = false;             // an administrator says that it is off
  std::vector<std::string> in_use = {};    // unique names of volumes that may be mounted
  std::vector<std::string> attached = {};  // those that it was told it has

  bool operator==(const NodeFacts&) const = default;
};

const DeviceFacts& device_facts(const api::Object& volume);
const AttachmentFacts& attachment_facts(const api::Object& attachment);
const NodeFacts& node_facts(const api::Object& node);

// "kubernetes.io/csi/DRIVER^HANDLE": what nodes call a volume.
std::string unique_volume_name(const DeviceFacts& device);
// What the attachment of a volume to a node is called, so that there is one at most.
std::string attachment_name(const DeviceFacts& device, std::string_view node);
// Whether one of the unique names is that of the volume of this attachment.
bool names_volume_of(const std::vector<std::string>& unique_names,
                     const AttachmentFacts& attachment);

}  // namespace proa::controllers::storage

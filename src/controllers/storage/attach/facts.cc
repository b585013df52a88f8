#include "controllers/storage/attach/facts.h"

#include <algorithm>

#include "base/strings.h"
#include "controllers/storage/objects.h"
#include "crypto/digest.h"

namespace proa::controllers::storage {
namespace attach_facts {

constexpr std::string_view kOutOfService = "node.kubernetes.io/out-of-service";
constexpr std::string_view kUniquePrefix = "kubernetes.io/csi/";

// Without access modes the driver decides.
bool may_be_shared(const std::vector<std::string_view>& modes) {
  return modes.empty() || std::any_of(modes.begin(), modes.end(), [](std::string_view mode) {
           return mode == "ReadWriteMany" || mode == "ReadOnlyMany";
         });
}

DeviceFacts read_device(const api::Object& object) {
  Result<AttachableVolume> volume = api::decode<AttachableVolume>(object);
  if (!volume) return {};
  return {.driver = std::move(volume->spec.csi.driver),
          .handle = std::move(volume->spec.csi.handle),
          .shared = may_be_shared(volume->spec.access_modes)};
}

AttachmentFacts read_attachment(const api::Object& object) {
  AttachmentFacts facts;
  facts.name = object.metadata().name;
  facts.being_deleted = object.metadata().being_deleted;
  Result<Attachment> attachment = api::decode<Attachment>(object);
  if (!attachment) return facts;
  facts.volume = std::move(attachment->spec.source.volume);
  facts.node = std::move(attachment->spec.node);
  facts.attached = attachment->status.attached;
  facts.error = std::move(attachment->status.attach_error.message);
  return facts;
}

NodeFacts read_node(const api::Object& object) {
  NodeFacts facts;
  Result<AttachNode> node = api::decode<AttachNode>(object);
  if (!node) return facts;
  facts.managed = node->metadata.annotations.managed.is_set;
  for (const NodeConditionState& condition : node->status.conditions) {
    if (condition.type == "Ready") facts.ready = condition.status == "True";
  }
  for (const NodeTaint& taint : node->spec.taints) {
    if (taint.key == kOutOfService) facts.out_of_service = true;
  }
  facts.in_use = std::move(node->status.volumes_in_use);
  for (AttachedVolume& volume : node->status.volumes_attached) {
    facts.attached.push_back(std::move(volume.name));
  }
  return facts;
}

}  // namespace attach_facts

const DeviceFacts& device_facts(const api::Object& volume) {
  return volume.kept<DeviceFacts>([&] { return attach_facts::read_device(volume); });
}

const AttachmentFacts& attachment_facts(const api::Object& attachment) {
  return attachment.kept<AttachmentFacts>(
      [&] { return attach_facts::read_attachment(attachment); });
}

const NodeFacts& node_facts(const api::Object& node) {
  return node.kept<NodeFacts>([&] { return attach_facts::read_node(node); });
}

std::string unique_volume_name(const DeviceFacts& device) {
  return std::string(attach_facts::kUniquePrefix) + device.driver + "^" + device.handle;
}

std::string attachment_name(const DeviceFacts& device, const api::NodeName& node) {
  const std::string text = device.handle + device.driver + node.str();
  return "csi-" + crypto::sha256(text).hex();
}

bool names_volume_of(const std::vector<std::string>& unique_names,
                     const AttachmentFacts& attachment) {
  return std::any_of(unique_names.begin(), unique_names.end(), [&](std::string_view name) {
    if (!name.starts_with(attach_facts::kUniquePrefix)) return false;
    const auto parts = split_once(name.substr(attach_facts::kUniquePrefix.size()), '^');
    if (!parts) return false;
    const DeviceFacts device{.driver = std::string(parts->before),
                             .handle = std::string(parts->after)};
    return attachment_name(device, attachment.node) == attachment.name;
  });
}

}  // namespace proa::controllers::storage

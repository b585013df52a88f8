#include "controllers/storage/attach/facts.h"

#include <algorithm>

#include "api/object/view.h"
#include "base/strings.h"
#include "controllers/framework/conditions.h"
#include "crypto/digest.h"

namespace proa::controllers::storage {
namespace attach_facts {

using api::View;

constexpr std::string_view kManaged = "volumes.kubernetes.io/controller-managed-attach-detach";
constexpr std::string_view kOutOfService = "node.kubernetes.io/out-of-service";
constexpr std::string_view kUniqueFront = "kubernetes.io/csi/";

// Modes that say nothing leave it to the driver to refuse.
bool may_be_shared(View modes) {
  const auto items = modes.items();
  return items.empty() || std::any_of(items.begin(), items.end(), [](View mode) {
           return mode.text() == "ReadWriteMany" || mode.text() == "ReadOnlyMany";
         });
}

DeviceFacts read_device(const api::Object& volume) {
  DeviceFacts facts;
  const Result<json::Document> document = volume.document();
  if (!document) return facts;
  const View spec = View(document->root())["spec"];
  facts.driver = spec["csi"]["driver"].text();
  facts.handle = spec["csi"]["volumeHandle"].text();
  facts.shared = may_be_shared(spec["accessModes"]);
  return facts;
}

AttachmentFacts read_attachment(const api::Object& attachment) {
  AttachmentFacts facts;
  facts.name = attachment.metadata().name;
  facts.being_deleted = attachment.metadata().being_deleted;
  const Result<json::Document> document = attachment.document();
  if (!document) return facts;
  const View root = document->root();
  facts.volume = root["spec"]["source"]["persistentVolumeName"].text();
  facts.node = root["spec"]["nodeName"].text();
  facts.attached = root["status"]["attached"].flag();
  facts.error = root["status"]["attachError"]["message"].text();
  return facts;
}

NodeFacts read_node(const api::Object& node) {
  NodeFacts facts;
  const Result<json::Document> document = node.document();
  if (!document) return facts;
  const View root = document->root();
  const View status = root["status"];
  facts.managed = root["metadata"]["annotations"][kManaged].exists();
  facts.ready = condition_holds(status, "Ready");
  for (const View taint : root["spec"]["taints"].items()) {
    if (taint["key"].text() == kOutOfService) facts.out_of_service = true;
  }
  for (const View name : status["volumesInUse"].items()) facts.in_use.emplace_back(name.text());
  for (const View one : status["volumesAttached"].items()) {
    facts.attached.emplace_back(one["name"].text());
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
  return std::string(attach_facts::kUniqueFront) + device.driver + "^" + device.handle;
}

std::string attachment_name(const DeviceFacts& device, std::string_view node) {
  const std::string text = device.handle + device.driver + std::string(node);
  return "csi-" + crypto::sha256(text).hex();
}

bool names_volume_of(const std::vector<std::string>& unique_names,
                     const AttachmentFacts& attachment) {
  return std::any_of(unique_names.begin(), unique_names.end(), [&](std::string_view name) {
    if (!name.starts_with(attach_facts::kUniqueFront)) return false;
    const auto parts = split_once(name.substr(attach_facts::kUniqueFront.size()), '^');
    if (!parts) return false;
    const DeviceFacts device{.driver = std::string(parts->before),
                             .handle = std::string(parts->after)};
    return attachment_name(device, attachment.node) == attachment.name;
  });
}

}  // namespace proa::controllers::storage

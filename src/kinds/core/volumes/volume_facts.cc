#include "kinds/core/volumes/volume_facts.h"

#include "api/object/view.h"
#include "kinds/core/volumes/volume_common.h"

namespace proa::kinds {
namespace volume_facts_reader {

AccessModes modes_of(View list) {
  constexpr std::string_view kNames[] = {"ReadWriteOnce", "ReadOnlyMany", "ReadWriteMany",
                                         "ReadWriteOncePod"};
  AccessModes modes;
  for (const View item : list.items()) {
    for (size_t i = 0; i < std::size(kNames); ++i) {
      if (item.text() == kNames[i]) modes.bits = static_cast<uint8_t>(modes.bits | (1U << i));
    }
  }
  return modes;
}

api::Quantity quantity_of(View text) {
  Result<api::Quantity> quantity = api::Quantity::parse(text.text());
  return quantity ? std::move(*quantity) : api::Quantity();
}

std::optional<std::string> text_of(View text) {
  if (!text) return std::nullopt;
  return std::string(text.text());
}

// An invalid selector matches nothing.
std::optional<api::LabelSelector> selector_of(View selector) {
  if (!selector) return std::nullopt;
  Result<api::LabelSelector> read = api::LabelSelector::from(selector);
  return read ? std::move(*read) : api::LabelSelector::nothing();
}

ClaimFacts read_claim(const api::Object& claim) {
  ClaimFacts facts;
  const Result<json::Document> document = claim.document();
  if (!document) return facts;
  const View root = document->root();
  const View metadata = root["metadata"];
  const View annotations = metadata["annotations"];
  const View spec = root["spec"];
  facts.name_space = metadata["namespace"].text();
  facts.name = metadata["name"].text();
  facts.uid = metadata["uid"].text();
  facts.phase = root["status"]["phase"].text();
  facts.volume = spec["volumeName"].text();
  if (annotations[kStorageClassAnnotation] || spec["storageClassName"]) {
    facts.storage_class = storage_class_of(root);
  }
  facts.attributes_class = spec["volumeAttributesClassName"].text();
  facts.is_block = spec["volumeMode"].text() == "Block";
  facts.modes = modes_of(spec["accessModes"]);
  facts.request = quantity_of(spec["resources"]["requests"]["storage"]);
  facts.selector = selector_of(spec["selector"]);
  facts.bind_completed = annotations[kBindCompleted].exists();
  facts.bound_by_controller = annotations[kBoundByController].exists();
  facts.selected_node = text_of(annotations[kSelectedNode]);
  facts.provisioner = annotations[kProvisioner].text();
  return facts;
}

VolumeFacts read_volume(const api::Object& volume) {
  VolumeFacts facts;
  const Result<json::Document> document = volume.document();
  if (!document) return facts;
  const View root = document->root();
  const View annotations = root["metadata"]["annotations"];
  const View spec = root["spec"];
  facts.name = root["metadata"]["name"].text();
  facts.phase = root["status"]["phase"].text();
  if (const View claim = spec["claimRef"]) {
    facts.claim = VolumeFacts::Claim{.name_space = std::string(claim["namespace"].text()),
                                     .name = std::string(claim["name"].text()),
                                     .uid = std::string(claim["uid"].text())};
  }
  facts.storage_class = storage_class_of(root);
  facts.attributes_class = spec["volumeAttributesClassName"].text();
  facts.is_block = spec["volumeMode"].text() == "Block";
  facts.modes = modes_of(spec["accessModes"]);
  facts.capacity = quantity_of(spec["capacity"]["storage"]);
  facts.reclaim_policy = spec["persistentVolumeReclaimPolicy"].text();
  facts.provisioned_by = text_of(annotations[kProvisionedBy]);
  facts.bound_by_controller = annotations[kBoundByController].exists();
  facts.being_deleted = root["metadata"]["deletionTimestamp"].exists();
  facts.is_csi = spec["csi"].exists();
  facts.host_path = text_of(spec["hostPath"]["path"]);
  if (const View required = spec["nodeAffinity"]["required"]) facts.node_affinity.emplace(required);
  return facts;
}

ClassFacts read_class(const api::Object& storage_class) {
  ClassFacts facts;
  const Result<json::Document> document = storage_class.document();
  if (!document) return facts;
  const View root = document->root();
  const View annotations = root["metadata"]["annotations"];
  facts.name = root["metadata"]["name"].text();
  facts.provisioner = root["provisioner"].text();
  facts.created = root["metadata"]["creationTimestamp"].text();
  facts.is_default =
      annotations["storageclass.kubernetes.io/is-default-class"].text() == "true" ||
      annotations["storageclass.beta.kubernetes.io/is-default-class"].text() == "true";
  facts.waits_for_consumer = root["volumeBindingMode"].text() == "WaitForFirstConsumer";
  return facts;
}

}  // namespace volume_facts_reader

const ClaimFacts& claim_facts(const api::Object& claim) {
  return claim.kept<ClaimFacts>([&] { return volume_facts_reader::read_claim(claim); });
}

const VolumeFacts& volume_facts(const api::Object& volume) {
  return volume.kept<VolumeFacts>([&] { return volume_facts_reader::read_volume(volume); });
}

const ClassFacts& class_facts(const api::Object& storage_class) {
  return storage_class.kept<ClassFacts>(
      [&] { return volume_facts_reader::read_class(storage_class); });
}

}  // namespace proa::kinds

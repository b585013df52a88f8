#pragma once

#include "testkit/scheduler/draft.h"

namespace proa::testkit {

// A claim for 1Gi, ReadWriteOnce, without a class.
class ClaimBuilder : public NamespacedBuilder<ClaimBuilder> {
 public:
  explicit ClaimBuilder(std::string_view name);

  ClaimBuilder& storage_class(std::string_view name) { return text("spec.storageClassName", name); }
  ClaimBuilder& request(std::string_view size) {
    return text("spec.resources.requests.storage", size);
  }
  // Instead of ReadWriteOnce.
  ClaimBuilder& modes(const Names& modes);
  // Bound.
  ClaimBuilder& volume(std::string_view name);
  ClaimBuilder& selected_node(std::string_view name) {
    return annotation("volume.kubernetes.io/selected-node", name);
  }
};

// A hostPath volume of 1Gi, ReadWriteOnce, without a class.
class VolumeBuilder : public ObjectBuilder<VolumeBuilder> {
 public:
  explicit VolumeBuilder(std::string_view name);

  VolumeBuilder& storage_class(std::string_view name) {
    return text("spec.storageClassName", name);
  }
  VolumeBuilder& capacity(std::string_view size) { return text("spec.capacity.storage", size); }
  VolumeBuilder& modes(const Names& modes);
  // Bound to it; the claim has the builders' default uid.
  VolumeBuilder& claimed_by(std::string_view name_space, std::string_view claim);
  // Adds a term with one expression.
  VolumeBuilder& node_affinity(std::string_view key, const Names& values);
  // Instead of the hostPath.
  VolumeBuilder& csi(std::string_view driver, std::string_view handle);
  VolumeBuilder& source_json(std::string_view kind, std::string_view raw);
};

// Immediate binding by default.
class StorageClassBuilder : public ObjectBuilder<StorageClassBuilder> {
 public:
  explicit StorageClassBuilder(std::string_view name)
      : ObjectBuilder(Draft("storage.k8s.io/v1", "StorageClass", name)) {
    provisioner("kubernetes.io/no-provisioner");
  }

  StorageClassBuilder& provisioner(std::string_view name) { return text("provisioner", name); }
  StorageClassBuilder& wait_for_consumer() {
    return text("volumeBindingMode", "WaitForFirstConsumer");
  }
  // Adds a term with one expression.
  StorageClassBuilder& topology(std::string_view key, const Names& values);
};

class CsiNodeBuilder : public ObjectBuilder<CsiNodeBuilder> {
 public:
  explicit CsiNodeBuilder(std::string_view name)
      : ObjectBuilder(Draft("storage.k8s.io/v1", "CSINode", name)) {
    draft_.array_at("spec.drivers");
  }

  // At most `limit` volumes; negative: unlimited.
  CsiNodeBuilder& driver(std::string_view name, int64_t limit = -1,
                         const Names& topology_keys = {});
};

class CsiDriverBuilder : public ObjectBuilder<CsiDriverBuilder> {
 public:
  explicit CsiDriverBuilder(std::string_view name)
      : ObjectBuilder(Draft("storage.k8s.io/v1", "CSIDriver", name)) {
    draft_.object_at("spec");
  }

  CsiDriverBuilder& has_storage_capacity() { return json("spec.storageCapacity", "true"); }
};

class CsiCapacityBuilder : public NamespacedBuilder<CsiCapacityBuilder> {
 public:
  explicit CsiCapacityBuilder(std::string_view name)
      : NamespacedBuilder(Draft("storage.k8s.io/v1", "CSIStorageCapacity", name, "default")) {}

  CsiCapacityBuilder& storage_class(std::string_view name) {
    return text("storageClassName", name);
  }
  CsiCapacityBuilder& capacity(std::string_view size) { return text("capacity", size); }
  CsiCapacityBuilder& largest(std::string_view size) { return text("maximumVolumeSize", size); }
  // For nodes with these labels.
  CsiCapacityBuilder& topology(const Pairs& labels) {
    return pairs("nodeTopology.matchLabels", labels);
  }
};

class AttachmentBuilder : public ObjectBuilder<AttachmentBuilder> {
 public:
  explicit AttachmentBuilder(std::string_view name)
      : ObjectBuilder(Draft("storage.k8s.io/v1", "VolumeAttachment", name)) {}

  AttachmentBuilder& attacher(std::string_view driver) { return text("spec.attacher", driver); }
  AttachmentBuilder& node(std::string_view name) { return text("spec.nodeName", name); }
  AttachmentBuilder& volume(std::string_view name) {
    return text("spec.source.persistentVolumeName", name);
  }
  AttachmentBuilder& attached(bool attached) {
    return json("status.attached", attached ? "true" : "false");
  }
};

inline ClaimBuilder make_claim(std::string_view name) { return ClaimBuilder(name); }
inline VolumeBuilder make_volume(std::string_view name) { return VolumeBuilder(name); }
inline StorageClassBuilder make_storage_class(std::string_view name) {
  return StorageClassBuilder(name);
}
// Named after its node.
inline CsiNodeBuilder make_csi_node(std::string_view name) { return CsiNodeBuilder(name); }
inline CsiDriverBuilder make_csi_driver(std::string_view name) { return CsiDriverBuilder(name); }
inline CsiCapacityBuilder make_csi_capacity(std::string_view name) {
  return CsiCapacityBuilder(name);
}
inline AttachmentBuilder make_attachment(std::string_view name) { return AttachmentBuilder(name); }

}  // namespace proa::testkit

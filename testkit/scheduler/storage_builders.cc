#include "testkit/scheduler/storage_builders.h"

namespace proa::testkit {
namespace storage_builders {

void set_names(api::Edit owner, std::string_view field, const Names& names) {
  owner.remove(field);
  const api::Edit list = owner.array(field);
  for (const std::string& name : names) list.push(json::Value::string(owner.arena(), name));
}

}  // namespace storage_builders

ClaimBuilder::ClaimBuilder(std::string_view name)
    : NamespacedBuilder(Draft("v1", "PersistentVolumeClaim", name, "default")) {
  modes({"ReadWriteOnce"});
  request("1Gi");
}

ClaimBuilder& ClaimBuilder::modes(const Names& modes) {
  storage_builders::set_names(draft_.object_at("spec"), "accessModes", modes);
  return *this;
}

ClaimBuilder& ClaimBuilder::volume(std::string_view name) {
  annotation("pv.kubernetes.io/bind-completed", "yes");
  text("spec.volumeName", name);
  return text("status.phase", "Bound");
}

VolumeBuilder::VolumeBuilder(std::string_view name)
    : ObjectBuilder(Draft("v1", "PersistentVolume", name)) {
  modes({"ReadWriteOnce"});
  capacity("1Gi");
  text("spec.hostPath.path", "/data");
  text("status.phase", "Available");
}

VolumeBuilder& VolumeBuilder::modes(const Names& modes) {
  storage_builders::set_names(draft_.object_at("spec"), "accessModes", modes);
  return *this;
}

VolumeBuilder& VolumeBuilder::claimed_by(std::string_view name_space, std::string_view claim) {
  const api::Edit reference = draft_.object_at("spec.claimRef");
  reference.set("apiVersion", "v1");
  reference.set("kind", "PersistentVolumeClaim");
  reference.set("namespace", name_space);
  reference.set("name", claim);
  reference.set("uid", usual_uid(name_space, claim));
  return text("status.phase", "Bound");
}

VolumeBuilder& VolumeBuilder::node_affinity(std::string_view key, const Names& values) {
  const api::Edit term =
      draft_.array_at("spec.nodeAffinity.required.nodeSelectorTerms").push_object();
  const api::Edit expression = term.array("matchExpressions").push_object();
  expression.set("key", key);
  expression.set("operator", "In");
  storage_builders::set_names(expression, "values", values);
  return *this;
}

VolumeBuilder& VolumeBuilder::csi(std::string_view driver, std::string_view handle) {
  source_json("csi", "{}");
  text("spec.csi.driver", driver);
  return text("spec.csi.volumeHandle", handle);
}

VolumeBuilder& VolumeBuilder::source_json(std::string_view kind, std::string_view raw) {
  draft_.object_at("spec").remove("hostPath");
  return json(std::string("spec.").append(kind), raw);
}

StorageClassBuilder& StorageClassBuilder::topology(std::string_view key, const Names& values) {
  const api::Edit term = draft_.array_at("allowedTopologies").push_object();
  const api::Edit expression = term.array("matchLabelExpressions").push_object();
  expression.set("key", key);
  storage_builders::set_names(expression, "values", values);
  return *this;
}

CsiNodeBuilder& CsiNodeBuilder::driver(std::string_view name, int64_t limit,
                                       const Names& topology_keys) {
  const std::string node(draft_.view("metadata.name").text());
  const api::Edit driver = draft_.array_at("spec.drivers").push_object();
  driver.set("name", name);
  driver.set("nodeID", node);
  if (!topology_keys.empty()) storage_builders::set_names(driver, "topologyKeys", topology_keys);
  if (limit >= 0) driver.object("allocatable").set("count", limit);
  return *this;
}

}  // namespace proa::testkit

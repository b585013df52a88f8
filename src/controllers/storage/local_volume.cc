#include "controllers/storage/local_volume.h"

#include "api/object/edit.h"
#include "base/strings.h"
#include "json/print.h"
#include "kinds/core/volumes/local_path.h"
#include "kinds/core/volumes/volume_facts.h"

namespace proa::controllers::storage {
namespace local_volume {

using api::Edit;
using api::View;

constexpr std::string_view kHostName = "kubernetes.io/hostname";

std::string refusal(View claim, View storage_class) {
  const View spec = claim["spec"];
  for (const View mode : spec["accessModes"].items()) {
    if (mode.text() != "ReadWriteOnce" && mode.text() != "ReadWriteOncePod") {
      return "only the access modes ReadWriteOnce and ReadWriteOncePod are supported, not " +
             std::string(mode.text());
    }
  }
  if (spec["volumeMode"].text() == "Block") return "only the volumeMode Filesystem is supported";
  if (spec["selector"]) return "claim.spec.selector is not supported";
  if (spec["dataSource"] || spec["dataSourceRef"]) return "data sources are not supported";
  if (!storage_class["mountOptions"].empty()) {
    return "Mount options are not supported by the provisioner but StorageClass \"" +
           std::string(storage_class["metadata"]["name"].text()) + "\" has mount options";
  }
  return {};
}

Result<std::string> root_of(View storage_class, std::string_view root_of_node) {
  const View parameter = storage_class["parameters"]["path"];
  if (!parameter) return std::string(root_of_node);
  std::string path(parameter.text());
  while (path.ends_with('/')) path.pop_back();
  if (!path.starts_with('/')) {
    return Status(Reason::kInvalid, "the storage class parameter path must be an absolute path");
  }
  return path;
}

void put_claim(Edit spec, const api::Object& claim) {
  const Edit reference = spec.object("claimRef");
  reference.set("apiVersion", "v1");
  reference.set("kind", "PersistentVolumeClaim");
  reference.set("namespace", claim.metadata().name_space);
  reference.set("name", claim.metadata().name);
  reference.set("uid", claim.metadata().uid);
  reference.set("resourceVersion", claim.metadata().resource_version);
}

void put_directory(Edit volume, const std::string& path, bool managed) {
  const Edit spec = volume.object("spec");
  if (!managed) {
    spec.object("hostPath").set("path", path);
    spec.object("hostPath").set("type", "DirectoryOrCreate");
    return;
  }
  spec.object("local").set("path", path);
  const Edit finalizers = volume.object("metadata").array("finalizers");
  finalizers.push(json::Value::string(finalizers.arena(), kinds::kLocalPath));
}

void put_node_affinity(Edit spec, const api::Object& node) {
  const std::string_view* label = node.metadata().label(kHostName);
  const Edit term = spec.object("nodeAffinity")
                        .object("required")
                        .array("nodeSelectorTerms")
                        .push_object()
                        .array("matchExpressions")
                        .push_object();
  term.set("key", kHostName);
  term.set("operator", "In");
  const std::string_view name = label != nullptr ? *label : node.metadata().name;
  term.array("values").push(json::Value::string(term.arena(), name));
}

}  // namespace local_volume

std::string local_volume_name(const api::Object& claim) {
  return "pvc-" + std::string(claim.metadata().uid);
}

std::string why_not_local(api::View claim, api::View storage_class) {
  return local_volume::refusal(claim, storage_class);
}

Result<std::string> make_local_volume(const api::Object& claim, const api::Object& storage_class,
                                      const api::Object& node) {
  const json::Document wanted = TRY(claim.document());
  const json::Document rules = TRY(storage_class.document());
  const api::View claim_view(wanted.root());
  const api::View class_view(rules.root());
  const std::string why_not = why_not_local(claim_view, class_view);
  if (!why_not.empty()) return Status(Reason::kInvalid, why_not);
  const json::Document node_document = TRY(node.document());
  const api::View own =
      api::View(node_document.root())["metadata"]["annotations"][kinds::kLocalPathRoot];
  const std::string root = TRY(local_volume::root_of(class_view, own.text(kForeignRoot)));
  const std::string name = local_volume_name(claim);

  json::Document document;
  document.root() = json::Value::object();
  const api::Edit volume(document);
  volume.object("metadata").set("name", name);
  volume.object("metadata")
      .object("labels")
      .set(kinds::kLocalPathNode, kinds::local_path_label(node.metadata().name));
  const api::Edit annotations = volume.object("metadata").object("annotations");
  annotations.set(kinds::kProvisionedBy, kinds::kLocalPath);
  annotations.set(kinds::kLocalPathNode, node.metadata().name);
  const api::Edit spec = volume.object("spec");
  spec.object("capacity").copy("storage", claim_view["spec"]["resources"]["requests"]["storage"]);
  spec.copy("accessModes", claim_view["spec"]["accessModes"]);
  spec.copy("persistentVolumeReclaimPolicy", class_view["reclaimPolicy"]);
  spec.set("storageClassName", storage_class.metadata().name);
  local_volume::put_directory(volume, root + "/" + name, own.exists());
  local_volume::put_claim(spec, claim);
  local_volume::put_node_affinity(spec, node);
  return json::print(document.root());
}

std::string local_path_class(bool is_default) {
  json::Document document;
  document.root() = json::Value::object();
  const api::Edit made(document);
  const api::Edit metadata = made.object("metadata");
  metadata.set("name", kLocalPathClass);
  if (is_default) {
    metadata.object("annotations").set("storageclass.kubernetes.io/is-default-class", "true");
  }
  made.set("provisioner", kinds::kLocalPath);
  made.set("reclaimPolicy", "Delete");
  made.set("volumeBindingMode", "WaitForFirstConsumer");
  return json::print(document.root());
}

}  // namespace proa::controllers::storage

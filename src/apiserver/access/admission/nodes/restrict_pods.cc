#include <algorithm>
#include <span>

#include "apiserver/access/admission/nodes/restrictions.h"
#include "apiserver/access/authz/node/references.h"

namespace proa::apiserver {
namespace restrict_pods {

using api::View;

std::string_view node_of_pod(View pod) { return pod["spec"]["nodeName"].text(); }

// A mirror pod must have its node as the only owner, since the garbage collector acts on owners.
Result<void> check_owner(const NodeChange& change) {
  const View owners = change.object["metadata"]["ownerReferences"];
  constexpr std::string_view kOnlyItself =
      "can only create pods with an owner reference set to itself";
  if (owners.size() > 1) {
    return change.forbidden_to_node(
        "can only create pods with a single owner reference set to itself");
  }
  const View owner = owners.item(0);
  if (owner["apiVersion"].text() != "v1" || owner["kind"].text() != "Node" ||
      owner["name"].text() != change.node) {
    return change.forbidden_to_node(kOnlyItself);
  }
  if (!owner["controller"].flag()) {
    return change.forbidden_to_node(
        "can only create pods with a controller owner reference set to itself");
  }
  if (owner["blockOwnerDeletion"].flag()) {
    return change.forbidden_to_node("must not set blockOwnerDeletion on an owner reference");
  }
  const api::ObjectPtr node = TRY(change.objects.find("", "nodes", "", change.node));
  if (node == nullptr) return not_found("", "node", change.node);
  const std::string_view uid = node->metadata().uid;
  if (owner["uid"].text() == uid) return {};
  return change.forbidden("node " + std::string(change.node) + " UID mismatch: expected " +
                          std::string(owner["uid"].text()) + " got " + std::string(uid));
}

struct Source {
  std::string_view name;
  std::string_view refers_to;  // empty: no API object
};

constexpr Source kVolumeSources[] = {
    {"configMap", "configmaps (via configmap volumes)"},
    {"secret", "secrets (via secret volumes)"},
    {"csi", "csidrivers (via CSI volumes)"},
    {"glusterfs", "endpoints (via glusterFS volumes)"},
    {"persistentVolumeClaim", "persistentvolumeclaims"},
    {"ephemeral", "persistentvolumeclaims (via ephemeral volumes)"},
    {"azureFile", "secrets (via azureFile volumes)"},
    {"awsElasticBlockStore", ""},
    {"azureDisk", ""},
    {"cephfs", ""},
    {"cinder", ""},
    {"downwardAPI", ""},
    {"emptyDir", ""},
    {"fc", ""},
    {"flexVolume", ""},
    {"flocker", ""},
    {"gcePersistentDisk", ""},
    {"gitRepo", ""},
    {"hostPath", ""},
    {"image", ""},
    {"iscsi", ""},
    {"nfs", ""},
    {"photonPersistentDisk", ""},
    {"portworxVolume", ""},
    {"quobyte", ""},
    {"rbd", ""},
    {"scaleIO", ""},
    {"storageos", ""},
    {"vsphereVolume", ""},
};
constexpr Source kProjectedSources[] = {
    {"configMap", "configmaps (via projected volumes)"},
    {"secret", "secrets (via projected volumes)"},
    {"serviceAccountToken", "serviceaccounts (via projected volumes)"},
    {"clusterTrustBundle", "clustertrustbundles"},
    {"podCertificate", "podcertificates"},
    {"downwardAPI", ""},
};

// Returns the first that is present; sources that reference something come first. Null: unknown
// source.
const Source* find_source(View place, std::span<const Source> sources) {
  for (const Source& source : sources) {
    if (place[source.name]) return &source;
  }
  return nullptr;
}

Result<void> cannot_reference(const NodeChange& change, std::string_view what) {
  return change.forbidden_to_node("can not create pods that reference " + std::string(what));
}

// Unknown sources could reference anything and are rejected.
Result<void> unknown(const NodeChange& change, std::string_view what, View volume) {
  return change.forbidden("error checking mirror pod for API references: unknown " +
                          std::string(what) + " " + api::quoted(volume["name"].text()));
}

Result<void> check_volume(const NodeChange& change, View volume) {
  if (const Source* source = find_source(volume, kVolumeSources)) {
    if (source->refers_to.empty()) return {};
    return cannot_reference(change, source->refers_to);
  }
  // Two blanks, as upstream.
  if (!volume["projected"]) return unknown(change, "volume type for volume ", volume);
  for (const View part : volume["projected"]["sources"].items()) {
    const Source* source = find_source(part, kProjectedSources);
    if (source == nullptr) return unknown(change, "source for projected volume", volume);
    if (!source->refers_to.empty()) return cannot_reference(change, source->refers_to);
  }
  return {};
}

// A node has access to what its pods reference, so it must not choose the references.
Result<void> check_references(const NodeChange& change) {
  const View spec = change.object["spec"];
  // The second is a deprecated alias of the first.
  if (!spec["serviceAccountName"].text().empty() || !spec["serviceAccount"].text().empty()) {
    return cannot_reference(change, "serviceaccounts");
  }
  const std::vector<Reference> names = names_in_pod(change.object);
  const auto names_any = [&names](Relative kind) {
    return std::any_of(names.begin(), names.end(),
                       [kind](const Reference& reference) { return reference.kind == kind; });
  };
  if (names_any(Relative::kSecret)) return cannot_reference(change, "secrets");
  if (names_any(Relative::kConfigMap)) return cannot_reference(change, "configmaps");
  if (!spec["resourceClaims"].empty()) return cannot_reference(change, "resourceclaims");
  for (const View volume : spec["volumes"].items()) TRY(check_volume(change, volume));
  return {};
}

Result<void> check_create(const NodeChange& change) {
  if (!is_mirror_pod(change.object)) {
    return change.forbidden("pod does not have \"kubernetes.io/config.mirror\" annotation, node " +
                            api::quoted(change.node) + " can only create mirror pods");
  }
  if (node_of_pod(change.object) != change.node) {
    return change.forbidden_to_node("can only create pods with spec.nodeName set to itself");
  }
  TRY(check_owner(change));
  return check_references(change);
}

Result<void> check_pod(const NodeChange& change) {
  if (change.operation() == Operation::kCreate) return check_create(change);
  if (change.operation() != Operation::kDelete) {
    return change.forbidden("unexpected operation " +
                            api::quoted(operation_name(change.operation())) + ", node " +
                            api::quoted(change.node) + " can only create and delete mirror pods");
  }
  if (node_of_pod(change.old()) == change.node) return {};
  return change.forbidden_to_node("can only delete pods with spec.nodeName set to itself");
}

Result<void> check_status(const NodeChange& change) {
  if (change.operation() != Operation::kUpdate) return change.unexpected_operation();
  const View old = change.old();
  if (node_of_pod(old) != change.node) {
    return change.forbidden_to_node(
        "can only update pod status for pods with spec.nodeName set to itself");
  }
  if (!is_same(old["metadata"]["labels"], change.object["metadata"]["labels"])) {
    return change.forbidden_to_node("cannot update labels through pod status");
  }
  const View was = old["status"];
  const View is = change.object["status"];
  // These grant a node access to claims.
  if (!is_same(was["resourceClaimStatuses"], is["resourceClaimStatuses"])) {
    return change.forbidden_to_node("cannot update resource claim statues");
  }
  if (was["extendedResourceClaimStatus"] != is["extendedResourceClaimStatus"]) {
    return change.forbidden_to_node("cannot update extended resource claim status");
  }
  return {};
}

Result<void> check_eviction(const NodeChange& change) {
  if (change.operation() != Operation::kCreate) {
    return change.forbidden("unexpected operation " +
                            std::string(operation_name(change.operation())));
  }
  const std::string_view name = change.name();
  if (name.empty()) return change.forbidden("could not determine pod from request data");
  const api::ObjectPtr pod =
      TRY(change.objects.find("", "pods", change.admission.request.name_space, name));
  if (pod == nullptr) return not_found("", "pod", name);
  const json::Document document = TRY(pod->document());
  if (node_of_pod(document.root()) == change.node) return {};
  return change.forbidden("node " + std::string(change.node) +
                          " can only evict pods with spec.nodeName set to itself");
}

}  // namespace restrict_pods

Result<void> restrict_pod(const NodeChange& change) {
  const api::Subresource* subresource = change.admission.request.subresource;
  if (subresource == nullptr) return restrict_pods::check_pod(change);
  if (subresource->name == "status") return restrict_pods::check_status(change);
  if (subresource->name == "eviction") return restrict_pods::check_eviction(change);
  return change.forbidden("unexpected pod subresource " + api::quoted(subresource->name) +
                          ", only 'status' and 'eviction' are allowed");
}

}  // namespace proa::apiserver

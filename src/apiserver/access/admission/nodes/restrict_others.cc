#include <algorithm>
#include <iterator>
#include <set>

#include "apiserver/access/admission/nodes/restrictions.h"
#include "base/strings.h"
#include "client/certificates/request_object.h"
#include "crypto/certificate_request.h"
#include "kinds/core/services/announcements.h"
#include "kinds/core/volumes/local_path.h"

namespace proa::apiserver {
namespace restrict_others {

using api::View;

// The fields that a node reports while it resizes a volume, and those the server sets.
constexpr std::string_view kReported[] = {
    "kind",
    "apiVersion",
    "metadata.resourceVersion",
    "metadata.managedFields",
    "status.capacity",
    "status.conditions",
    "status.allocatedResources",
    "status.allocatedResourceStatuses",
};

void compare(View now, View old, const std::string& path, std::set<std::string>& changed) {
  for (const View side : {now, old}) {
    for (const json::Member& member : side.members()) {
      const std::string place = path + std::string(member.key);
      if (std::find(std::begin(kReported), std::end(kReported), place) != std::end(kReported)) {
        continue;
      }
      if (is_same(now[member.key], old[member.key])) continue;
      if (path.empty() && member.value.is(json::Kind::kObject)) {
        compare(now[member.key], old[member.key], place + ".", changed);
      } else {
        changed.insert(place);
      }
    }
  }
}

// Allows only the node's own name.
Result<void> check_own(const NodeChange& change, std::string_view what) {
  if (change.name() == change.node) return {};
  return change.forbidden("can only access " + std::string(what) +
                          " with the same name as the requesting node");
}

// Whether the finalizer of local-path volumes is gone, and nothing else changed.
bool only_local_path_is_released(View now, View old) {
  std::set<std::string> changed;
  compare(now, old, "", changed);
  changed.erase("metadata.finalizers");
  std::vector<std::string_view> left;
  for (const View one : old["metadata"]["finalizers"].items()) {
    if (one.text() != kinds::kLocalPath) left.push_back(one.text());
  }
  std::vector<std::string_view> kept;
  for (const View one : now["metadata"]["finalizers"].items()) kept.push_back(one.text());
  return changed.empty() && kept == left && is_same(now["status"], old["status"]);
}

}  // namespace restrict_others

Result<void> restrict_claim(const NodeChange& change) {
  const api::Subresource* subresource = change.admission.request.subresource;
  if (subresource == nullptr || subresource->name != "status") {
    return change.forbidden("may only update PVC status");
  }
  if (change.operation() != Operation::kUpdate) return change.unexpected_operation();
  std::set<std::string> changed;
  restrict_others::compare(change.object, change.old(), "", changed);
  if (changed.empty()) return {};
  const std::vector<std::string> sorted(changed.begin(), changed.end());
  return change.forbidden_to_node(
      "is not allowed to update fields other than status.quantity and status.conditions: " +
      join(std::span<const std::string>(sorted), ", "));
}

// The authorizer allows updates of volumes that are directories of the node. Other writes were
// allowed by somebody else, who knows why.
Result<void> restrict_volume(const NodeChange& change) {
  const bool updates =
      change.operation() == Operation::kUpdate && change.admission.request.subresource == nullptr;
  const std::string_view place = change.old()["metadata"]["labels"][kinds::kLocalPathNode].text();
  if (!updates || place != kinds::local_path_label(change.node)) return {};
  if (restrict_others::only_local_path_is_released(change.object, change.old())) return {};
  return change.forbidden_to_node("may only remove the finalizer " +
                                  std::string(kinds::kLocalPath) + " of a PersistentVolume");
}

Result<void> restrict_lease(const NodeChange& change) {
  const std::string_view name_space = change.admission.request.name_space;
  if (name_space == kinds::kAnnouncerNamespace &&
      change.name() == kinds::announcer_lease(change.node)) {
    return {};
  }
  if (name_space != "kube-node-lease") {
    return change.forbidden("can only access leases in the \"kube-node-lease\" system namespace");
  }
  return restrict_others::check_own(change, "node lease");
}

Result<void> restrict_csi_node(const NodeChange& change) {
  return restrict_others::check_own(change, "CSINode");
}

// Updates are left to the authorizer: it knows the slice's node, which never changes.
Result<void> restrict_slice(const NodeChange& change) {
  const bool creates = change.operation() == Operation::kCreate;
  if (!creates && change.operation() != Operation::kDelete) return {};
  const api::View slice = creates ? change.object : change.old();
  if (slice["spec"]["nodeName"].text() == change.node) return {};
  return change.forbidden("can only " + std::string(creates ? "create" : "delete") +
                          " ResourceSlice with the same NodeName as the requesting node");
}

Result<void> restrict_certificate_request(const NodeChange& change) {
  if (change.operation() != Operation::kCreate) return {};
  const std::string_view signer = change.object["spec"]["signerName"].text();
  if (signer != "kubernetes.io/kubelet-serving" &&
      signer != "kubernetes.io/kube-apiserver-client-kubelet") {
    return {};
  }
  const Result<crypto::CertificateRequest> request = client::request_of(change.object);
  if (!request) {
    return change.forbidden("unable to parse csr: " + request.status().message());
  }
  const std::string wanted = "system:node:" + std::string(change.node);
  if (request->identity().common_name == wanted) return {};
  return change.forbidden("can only create a node CSR with CN=" + wanted);
}

}  // namespace proa::apiserver

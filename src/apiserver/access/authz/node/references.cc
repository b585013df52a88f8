#include "apiserver/access/authz/node/references.h"

#include <map>

namespace proa::apiserver {
namespace references {

using api::View;

class Collector {
 public:
  explicit Collector(std::vector<Reference>& found) : found_(found) {}

  void add(Relative kind, View name) { add(kind, std::string(name.text())); }
  void add(Relative kind, std::string name) {
    if (!name.empty()) found_.push_back({kind, std::move(name)});
  }

 private:
  std::vector<Reference>& found_;
};

void collect_container(View container, Collector& collector) {
  for (const View from : container["envFrom"].items()) {
    collector.add(Relative::kSecret, from["secretRef"]["name"]);
    collector.add(Relative::kConfigMap, from["configMapRef"]["name"]);
  }
  for (const View variable : container["env"].items()) {
    const View from = variable["valueFrom"];
    collector.add(Relative::kSecret, from["secretKeyRef"]["name"]);
    collector.add(Relative::kConfigMap, from["configMapKeyRef"]["name"]);
  }
}

// Volume sources that reference a secret.
constexpr std::string_view kSecretReferences[] = {"cephfs", "cinder",  "flexVolume", "rbd",
                                                  "iscsi",  "scaleIO", "storageos"};

void collect_volume(View volume, std::string_view pod_name, Collector& collector) {
  for (const std::string_view source : kSecretReferences) {
    collector.add(Relative::kSecret, volume[source]["secretRef"]["name"]);
  }
  collector.add(Relative::kSecret, volume["azureFile"]["secretName"]);
  collector.add(Relative::kSecret, volume["csi"]["nodePublishSecretRef"]["name"]);
  collector.add(Relative::kSecret, volume["secret"]["secretName"]);
  collector.add(Relative::kConfigMap, volume["configMap"]["name"]);
  for (const View source : volume["projected"]["sources"].items()) {
    collector.add(Relative::kSecret, source["secret"]["name"]);
    collector.add(Relative::kConfigMap, source["configMap"]["name"]);
  }
  if (const View claim = volume["persistentVolumeClaim"]) {
    collector.add(Relative::kClaim, claim["claimName"]);
  } else if (volume["ephemeral"]) {
    collector.add(Relative::kClaim, ephemeral_claim_name(pod_name, volume["name"].text()));
  }
}

// Claims are named in the spec, or generated from a template; then the status has their names.
void collect_resource_claims(View pod, Collector& collector) {
  std::map<std::string_view, View> made;
  for (const View status : pod["status"]["resourceClaimStatuses"].items())
    made.try_emplace(status["name"].text(), status["resourceClaimName"]);
  for (const View claim : pod["spec"]["resourceClaims"].items()) {
    if (const View name = claim["resourceClaimName"]) {
      collector.add(Relative::kResourceClaim, name);
      continue;
    }
    if (!claim["resourceClaimTemplateName"]) continue;
    const auto found = made.find(claim["name"].text());
    if (found != made.end()) collector.add(Relative::kResourceClaim, found->second);
  }
  collector.add(Relative::kResourceClaim,
                pod["status"]["extendedResourceClaimStatus"]["resourceClaimName"]);
}

}  // namespace references

bool is_mirror_pod(api::View pod) {
  return pod["metadata"]["annotations"]["kubernetes.io/config.mirror"].exists();
}

std::string ephemeral_claim_name(std::string_view pod, std::string_view volume) {
  return std::string(pod).append("-").append(volume);
}

std::vector<Reference> names_in_pod(api::View pod) {
  std::vector<Reference> found;
  references::Collector collector(found);
  const api::View spec = pod["spec"];
  collector.add(Relative::kServiceAccount, spec["serviceAccountName"]);
  for (const api::View secret : spec["imagePullSecrets"].items()) {
    collector.add(Relative::kSecret, secret["name"]);
  }
  for (const char* list : {"initContainers", "containers", "ephemeralContainers"}) {
    for (const api::View container : spec[list].items()) {
      references::collect_container(container, collector);
    }
  }
  for (const api::View volume : spec["volumes"].items()) {
    references::collect_volume(volume, pod["metadata"]["name"].text(), collector);
  }
  references::collect_resource_claims(pod, collector);
  return found;
}

std::vector<Reference> references_of_pod(api::View pod) {
  if (is_mirror_pod(pod)) return {};
  return names_in_pod(pod);
}

std::vector<SecretReference> secrets_of_volume(api::View volume) {
  std::vector<SecretReference> found;
  const api::View spec = volume["spec"];
  const std::string_view claimed_in = spec["claimRef"]["namespace"].text();
  const auto add = [&found](std::string_view name_space, api::View name) {
    if (!name.text().empty()) found.push_back({name_space, name.text()});
  };
  const auto or_claimed_in = [claimed_in](api::View name_space) {
    return name_space.text().empty() ? claimed_in : name_space.text();
  };
  const api::View azure = spec["azureFile"];
  add(or_claimed_in(azure["secretNamespace"]), azure["secretName"]);
  // Older sources have no namespace: the claim's applies.
  for (const char* source : {"cephfs", "flexVolume", "rbd", "scaleIO", "iscsi"}) {
    const api::View secret = spec[source]["secretRef"];
    add(or_claimed_in(secret["namespace"]), secret["name"]);
  }
  for (const char* source : {"cinder", "storageos"}) {
    const api::View secret = spec[source]["secretRef"];
    add(secret["namespace"].text(), secret["name"]);
  }
  for (const char* use : {"nodePublishSecretRef", "nodeStageSecretRef", "nodeExpandSecretRef"}) {
    const api::View secret = spec["csi"][use];
    add(secret["namespace"].text(), secret["name"]);
  }
  return found;
}

}  // namespace proa::apiserver

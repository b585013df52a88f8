#include "kubelet/workers/static_pods/api_references.h"

#include <algorithm>
#include <array>

namespace proa::kubelet {
namespace api_references {

using api::View;

template <typename Test>
bool any(View list, Test test) {
  const auto items = list.items();
  return std::any_of(items.begin(), items.end(), [&](const View item) { return test(item); });
}

// By env.valueFrom.KEY or envFrom.ALL of some container.
bool in_environment(View spec, std::string_view key, std::string_view all) {
  const auto refers = [&](View container) {
    return any(container["env"], [&](View one) { return one["valueFrom"][key].exists(); }) ||
           any(container["envFrom"], [&](View one) { return one[all].exists(); });
  };
  return any(spec["initContainers"], refers) || any(spec["containers"], refers) ||
         any(spec["ephemeralContainers"], refers);
}

bool in_volumes(View spec, std::string_view kind) {
  return any(spec["volumes"], [&](View volume) {
    return volume[kind].exists() ||
           any(volume["projected"]["sources"], [&](View source) { return source[kind].exists(); });
  });
}

// Volumes that need a secret for what lies elsewhere.
bool has_secret_of_volume(View spec) {
  return any(spec["volumes"], [](View volume) {
    for (const json::Member& source : volume.members()) {
      const View value(source.value);
      if (value["secretRef"] || value["nodePublishSecretRef"] || value["secretName"]) return true;
    }
    return false;
  });
}

struct VolumeWords {
  std::string_view kind;
  std::string_view words;
};
constexpr std::array<VolumeWords, 4> kVolumes = {{
    {"csi", "csidrivers (via CSI volumes)"},
    {"glusterfs", "endpoints (via glusterFS volumes)"},
    {"persistentVolumeClaim", "persistentvolumeclaims"},
    {"ephemeral", "persistentvolumeclaims (via ephemeral volumes)"},
}};
constexpr std::array<VolumeWords, 3> kProjected = {{
    {"serviceAccountToken", "serviceaccounts (via projected volumes)"},
    {"clusterTrustBundle", "clustertrustbundles"},
    {"podCertificate", "podcertificates"},
}};

std::string_view in_volume(View volume) {
  for (const VolumeWords& one : kVolumes) {
    if (volume[one.kind]) return one.words;
  }
  for (const View source : volume["projected"]["sources"].items()) {
    for (const VolumeWords& one : kProjected) {
      if (source[one.kind]) return one.words;
    }
  }
  return {};
}

}  // namespace api_references

std::string_view find_api_reference(api::View spec) {
  using namespace api_references;
  if (!spec["serviceAccountName"].text().empty()) return "serviceaccounts";
  if (!spec["imagePullSecrets"].empty() || in_environment(spec, "secretKeyRef", "secretRef") ||
      in_volumes(spec, "secret") || has_secret_of_volume(spec)) {
    return "secrets";
  }
  if (in_environment(spec, "configMapKeyRef", "configMapRef") || in_volumes(spec, "configMap")) {
    return "configmaps";
  }
  if (!spec["resourceClaims"].empty()) return "resourceclaims";
  for (const api::View volume : spec["volumes"].items()) {
    const std::string_view words = in_volume(volume);
    if (!words.empty()) return words;
  }
  return {};
}

}  // namespace proa::kubelet

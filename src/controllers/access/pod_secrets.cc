#include "controllers/access/pod_secrets.h"

namespace proa::controllers {
namespace pod_secrets {

using api::View;
using Names = std::set<std::string, std::less<>>;

// Volumes that take a secret by reference.
constexpr std::string_view kByReference[] = {"cephfs", "cinder",  "flexVolume", "rbd",
                                             "iscsi",  "scaleIO", "storageos"};

void add(View name, Names& names) {
  if (!name.text().empty()) names.emplace(name.text());
}

void add_of_container(View container, Names& names) {
  for (const View from : container["envFrom"].items()) add(from["secretRef"]["name"], names);
  for (const View variable : container["env"].items()) {
    add(variable["valueFrom"]["secretKeyRef"]["name"], names);
  }
}

void add_of_volume(View volume, Names& names) {
  for (const std::string_view source : kByReference) {
    add(volume[source]["secretRef"]["name"], names);
  }
  add(volume["azureFile"]["secretName"], names);
  add(volume["csi"]["nodePublishSecretRef"]["name"], names);
  add(volume["secret"]["secretName"], names);
  for (const View source : volume["projected"]["sources"].items()) {
    add(source["secret"]["name"], names);
  }
}

}  // namespace pod_secrets

void add_secrets_of_pod(api::View pod, std::set<std::string, std::less<>>& names) {
  const api::View spec = pod["spec"];
  for (const api::View secret : spec["imagePullSecrets"].items()) {
    pod_secrets::add(secret["name"], names);
  }
  for (const char* list : {"initContainers", "containers", "ephemeralContainers"}) {
    for (const api::View container : spec[list].items()) {
      pod_secrets::add_of_container(container, names);
    }
  }
  for (const api::View volume : spec["volumes"].items()) pod_secrets::add_of_volume(volume, names);
}

}  // namespace proa::controllers

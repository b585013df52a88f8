#include "apiserver/access/admission/pods/pod_parts.h"

namespace proa::apiserver {
namespace pod_parts {

using api::View;

// Volume sources with a driver secret in "secretRef".
constexpr std::string_view kWithSecretRef[] = {"cephfs",  "cinder", "flexVolume", "rbd",
                                               "scaleIO", "iscsi",  "storageos"};

void add(std::vector<std::string_view>& names, View name) {
  if (!name.text().empty()) names.push_back(name.text());
}

void add_of_container(std::vector<std::string_view>& names, View container) {
  for (const View source : container["envFrom"].items()) add(names, source["secretRef"]["name"]);
  for (const View variable : container["env"].items())
    add(names, variable["valueFrom"]["secretKeyRef"]["name"]);
}

void add_of_volume(std::vector<std::string_view>& names, View volume) {
  add(names, volume["secret"]["secretName"]);
  add(names, volume["azureFile"]["secretName"]);
  add(names, volume["csi"]["nodePublishSecretRef"]["name"]);
  for (const View source : volume["projected"]["sources"].items())
    add(names, source["secret"]["name"]);
  for (const std::string_view kind : kWithSecretRef) add(names, volume[kind]["secretRef"]["name"]);
}

}  // namespace pod_parts

std::vector<std::string_view> secret_names(api::View pod_spec) {
  std::vector<std::string_view> names;
  for (const api::View reference : pod_spec["imagePullSecrets"].items())
    pod_parts::add(names, reference["name"]);
  for (const std::string_view list : kContainerLists) {
    for (const api::View container : pod_spec[list].items())
      pod_parts::add_of_container(names, container);
  }
  for (const api::View volume : pod_spec["volumes"].items())
    pod_parts::add_of_volume(names, volume);
  return names;
}

}  // namespace proa::apiserver

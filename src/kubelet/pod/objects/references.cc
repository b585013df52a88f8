#include "kubelet/pod/objects/references.h"

namespace proa::kubelet {
namespace references {

constexpr std::string_view kConfigMaps = "configmaps";
constexpr std::string_view kSecrets = "secrets";

class Collector {
 public:
  void add(std::string_view resource, api::View name) {
    // The API lets some references through that name nothing.
    if (name.text().empty()) return;
    found_.insert({.resource = resource, .name = std::string(name.text())});
  }
  void add_container(api::View container) {
    for (const api::View from : container["envFrom"].items()) {
      add(kConfigMaps, from["configMapRef"]["name"]);
      add(kSecrets, from["secretRef"]["name"]);
    }
    for (const api::View variable : container["env"].items()) {
      add(kConfigMaps, variable["valueFrom"]["configMapKeyRef"]["name"]);
      add(kSecrets, variable["valueFrom"]["secretKeyRef"]["name"]);
    }
  }
  void add_volume(api::View volume) {
    add(kConfigMaps, volume["configMap"]["name"]);
    add(kSecrets, volume["secret"]["secretName"]);
    for (const api::View source : volume["projected"]["sources"].items()) {
      add(kConfigMaps, source["configMap"]["name"]);
      add(kSecrets, source["secret"]["name"]);
    }
    add(kSecrets, volume["azureFile"]["secretName"]);
    add(kSecrets, volume["csi"]["nodePublishSecretRef"]["name"]);
    for (const char* kind :
         {"cephfs", "cinder", "flexVolume", "rbd", "scaleIO", "iscsi", "storageos"}) {
      add(kSecrets, volume[kind]["secretRef"]["name"]);
    }
  }
  std::set<Reference> take() { return std::move(found_); }

 private:
  std::set<Reference> found_;
};

}  // namespace references

std::set<Reference> references_of(const Pod& pod) {
  references::Collector collector;
  for (const api::View secret : pod.spec()["imagePullSecrets"].items()) {
    collector.add(references::kSecrets, secret["name"]);
  }
  for (const ContainerSpec& container : containers_of(pod)) collector.add_container(container.view);
  for (const api::View volume : pod.spec()["volumes"].items()) collector.add_volume(volume);
  return collector.take();
}

}  // namespace proa::kubelet

#pragma once

#include "client/informer/informer.h"
#include "kubelet/assembly/pod_parts.h"
#include "kubelet/workers/static_pods/manifest_folder.h"

namespace proa::kubelet {

// Where pods come from: the API server and the manifest folder. Keeps the registry up to date and
// enqueues the pods that changed. Also follows the services, for environment variables and DNS.
class PodSources {
 public:
  PodSources(Core& core, PodParts& parts);

  // Reads the manifest folder, and follows it from now on. Nothing to do without one.
  Result<void> follow_manifest_folder();
  void stop() { manifests_.reset(); }
  bool pods_synced() const { return pods_.synced(); }
  bool services_synced() const { return services_.synced(); }
  // Those of a namespace, and "kubernetes" in "default".
  std::vector<api::ObjectPtr> services_for(std::string_view name_space) const;

 private:
  void pod_changed(const client::Change& change);
  void put(const PodPtr& pod);
  void remove(const PodPtr& pod);
  void manifests_changed(const std::vector<PodPtr>& pods);

  Core& core_;
  PodParts& parts_;
  client::Informer pods_;
  client::Informer services_;
  std::unique_ptr<ManifestFolder> manifests_;
};

}  // namespace proa::kubelet

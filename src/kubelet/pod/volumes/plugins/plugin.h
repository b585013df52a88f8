#pragma once

#include <functional>
#include <optional>
#include <string>

#include "kubelet/model/mounted_volume.h"
#include "kubelet/model/object_source.h"
#include "kubelet/model/paths.h"
#include "kubelet/model/pod_facts.h"
#include "kubelet/pod/volumes/content/token_cache.h"
#include "kubelet/pod/volumes/content/trust_anchors.h"

namespace proa::kubelet {

// What volume plugins use. Everything outlives it.
struct VolumeTools {
  Clock& clock;
  ObjectSource& objects;
  TokenCache& tokens;
  const TrustBundles& trust_bundles;
  const Paths& paths;
  const std::string& local_path_root;
  Mutex& local_volumes;  // held while one is bound and its group set: pods share them
};

// A volume that a pod needs.
struct VolumeRequest {
  const Pod& pod;
  const PodFacts& facts;
  std::string name = {};    // of the volume in the pod
  std::string folder = {};  // the name of its folder: its own, or that of the persistent volume
  api::View source = {};    // an EmptyDirVolumeSource and so on
  // Of a persistent volume.
  api::View persistent = {};  // its spec
  bool read_only = false;
  bool as_device = false;  // volumeMode Block
  // Of local-path storage: this node creates the directory.
  bool creates_folder = false;
};

// One type of volume.
struct VolumePlugin {
  std::string_view source = {};  // its field in a Volume or PersistentVolumeSpec
  Result<MountedVolume> (*mount)(const VolumeTools& tools, const VolumeRequest& request) = nullptr;
  // Whether it is mounted again at each sync, because its content may change.
  bool has_content = false;
  // Such a volume as an earlier mount left it; nullopt if there is none.
  std::optional<MountedVolume> (*existing)(const VolumeTools& tools,
                                           const VolumeRequest& request) = nullptr;
  bool in_pods = true;  // allowed in pods
  bool in_persistent_volumes = false;
};
// Null if this node does not support it.
const VolumePlugin* find_volume_plugin(std::string_view source, bool persistent);

}  // namespace proa::kubelet

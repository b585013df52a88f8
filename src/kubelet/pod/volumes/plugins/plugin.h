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

// What the sources of volumes work with. Everything outlives it.
struct VolumeTools {
  Clock& clock;
  ObjectSource& objects;
  TokenCache& tokens;
  const TrustBundles& trust_bundles;
  const Paths& paths;
  Mutex& local_volumes;  // held while one is bound and given to its group: pods share them
};

// A volume that a pod shall have.
struct VolumeRequest {
  const Pod& pod;
  const PodFacts& facts;
  std::string name = {};    // of the volume in the pod
  std::string folder = {};  // what its folder is called: the name, or that of a persistent volume
  api::View source = {};    // an EmptyDirVolumeSource and so on
  // Of a persistent volume.
  api::View persistent = {};  // its spec
  bool read_only = false;
  bool as_device = false;  // volumeMode Block
};

// One source of volumes.
struct VolumePlugin {
  std::string_view source = {};  // its member in a Volume or PersistentVolumeSpec
  Result<MountedVolume> (*mount)(const VolumeTools& tools, const VolumeRequest& request) = nullptr;
  // Whether it is mounted again at each look, for its content may change.
  bool has_content = false;
  // Such a volume as an earlier mount left it; nothing when none did.
  std::optional<MountedVolume> (*existing)(const VolumeTools& tools,
                                           const VolumeRequest& request) = nullptr;
  bool in_pods = true;  // a pod may name it
  bool in_persistent_volumes = false;
};
// Null when this node has none.
const VolumePlugin* find_volume_plugin(std::string_view source, bool persistent);

}  // namespace proa::kubelet

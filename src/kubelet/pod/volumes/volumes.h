#pragma once

#include <functional>
#include <memory>

#include "base/clock.h"
#include "base/files.h"
#include "base/threads/deadline.h"
#include "kubelet/model/mounted_volume.h"
#include "kubelet/model/object_source.h"
#include "kubelet/model/paths.h"
#include "kubelet/model/pod_facts.h"
#include "kubelet/pod/environment/variable.h"
#include "kubelet/pod/volumes/content/token_cache.h"
#include "kubelet/pod/volumes/content/trust_anchors.h"

namespace proa::kubelet {

// Mounts and unmounts the volumes of pods. Its state is the disk and the kernel's mount table: a
// restarted kubelet continues. What it keeps in memory is only a cache. From several threads, but
// for one pod at a time.
class Volumes {
 public:
  struct Context {
    Clock& clock;
    Files& files;
    ObjectSource& objects;
    TokenSource tokens;
    Paths paths;
    // The parent directory of local-path volumes; empty: not managed here.
    std::string local_path_root = {};
    // For projections by signer; without it they fail.
    TrustBundles trust_bundles = {};
    // The current Node, null while unknown: persistent volumes may be restricted to certain nodes.
    std::function<api::ObjectPtr()> node = {};
    // Whether the pod's runtime handler supports recursive read-only mounts; without it: no.
    std::function<bool(const Pod& pod)> can_mount_recursively = {};
    // A mounted volume could not be updated, and keeps its content: upstream records an Event
    // FailedMount. Never called under a lock.
    std::function<void(const Pod& pod, const std::string& message)> update_failed = {};
  };
  virtual ~Volumes() = default;

  // Mounts all volumes that containers of the pod use, with the current content of their sources.
  // Returns the first failure, in upstream's words, as in the Event FailedMount. Cheap if nothing
  // changed: every sync calls it, and so updates config maps, secrets and tokens. A volume that is
  // mounted already never makes it fail.
  virtual Result<MountedVolumes> mount(const Pod& pod, const PodFacts& facts,
                                       const Until& until) = 0;
  // When the content has to be updated next: tokens expire. Time::max() if never.
  virtual Time next_refresh(api::UidView pod_uid) = 0;
  // The mounts of a container: volumeMounts with subPath (resolved beneath the volume, and bound so
  // that nobody can redirect it later), subPathExpr, mount propagation.
  virtual Result<std::vector<ContainerMount>> container_mounts(const Pod& pod, api::View container,
                                                               const MountedVolumes& volumes,
                                                               const Environment& environment) = 0;
  // Its volumeDevices.
  virtual Result<std::vector<ContainerDevice>> container_devices(api::View container,
                                                                 const MountedVolumes& volumes) = 0;
  // An emptyDir that exceeds its sizeLimit: upstream's message of the eviction, else empty.
  virtual Result<std::string> exceeded_limit(const Pod& pod) = 0;
  // Unmounts everything below the pod's folder, then removes the folder. Never follows links, never
  // removes what is still mounted.
  virtual Result<void> unmount(api::UidView pod_uid) = 0;
  // The pods that have a folder.
  virtual Result<std::vector<api::Uid>> pods() = 0;
};

std::unique_ptr<Volumes> make_volumes(Volumes::Context context);

}  // namespace proa::kubelet

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

// Brings the volumes of pods to this node and takes them away again. What is there is read from the
// disk and the kernel's mount table: a kubelet that comes back goes on. What it remembers only
// saves looking twice. From several threads, but for one pod at a time.
class Volumes {
 public:
  struct Context {
    Clock& clock;
    Files& files;
    ObjectSource& objects;
    TokenSource tokens;
    Paths paths;
    // For projections by signer; without it they fail.
    TrustBundles trust_bundles = {};
    // The Node as it is, null while unknown: persistent volumes may be for certain nodes only.
    std::function<api::ObjectPtr()> node = {};
    // Whether what runs the pod can mount read-only recursively; without it: no.
    std::function<bool(const Pod& pod)> knows_recursive_read_only = {};
    // A volume that a pod has already could not be brought up to date, and stays as it was: what
    // upstream tells by an Event FailedMount. Never under a lock.
    std::function<void(const Pod& pod, const std::string& message)> stays_as_it_was = {};
  };
  virtual ~Volumes() = default;

  // All volumes that containers of the pod use, mounted and with the content that their sources
  // have now. The first failure, in upstream's words, as the Events FailedMount has them. Cheap
  // when nothing changed: it is called at every sync, and so brings changes of config maps, secrets
  // and tokens. A volume that is there already never makes it fail.
  virtual Result<MountedVolumes> mount(const Pod& pod, const PodFacts& facts,
                                       const Until& until) = 0;
  // When the content must be looked at again, whatever else happens: tokens end. Time::max() when
  // there is no such time.
  virtual Time next_refresh(const std::string& pod_uid) = 0;
  // The mounts of a container: volumeMounts with subPath (resolved beneath the volume, and bound so
  // that nobody can change it afterwards), subPathExpr, modes of propagation.
  virtual Result<std::vector<ContainerMount>> container_mounts(const Pod& pod, api::View container,
                                                               const MountedVolumes& volumes,
                                                               const Environment& environment) = 0;
  // Its volumeDevices.
  virtual Result<std::vector<ContainerDevice>> container_devices(api::View container,
                                                                 const MountedVolumes& volumes) = 0;
  // An emptyDir that holds more than its sizeLimit; upstream's message of the eviction, else empty.
  virtual Result<std::string> exceeded_limit(const Pod& pod) = 0;
  // Takes all away: unmounts what is mounted below the pod's folder, then removes the folder.
  // Never follows links, never removes what is still mounted.
  virtual Result<void> unmount(const std::string& pod_uid) = 0;
  // The uids of pods that have a folder.
  virtual Result<std::vector<std::string>> pods() = 0;
};

std::unique_ptr<Volumes> make_volumes(Volumes::Context context);

}  // namespace proa::kubelet

#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "api/object/names.h"
#include "base/files.h"
#include "kubelet/host/cgroups/tree.h"
#include "kubelet/model/options.h"
#include "kubelet/model/pod.h"

namespace proa::kubelet {

// The cgroups above those that the runtime creates for containers: kubepods, one per QoS class, one
// per pod, with the sums of their requests and limits. Versions 1 and 2. From any thread; for one
// pod from one thread at a time.
class Cgroups {
 public:
  virtual ~Cgroups() = default;
  virtual bool is_v2() const = 0;
  // Creates kubepods and the QoS cgroups. The allocatable resources limit all pods together.
  // kConflict if pods use more memory than that now: everything but that limit is in place then,
  // and the call should be repeated later.
  virtual Result<void> set_up(int64_t memory_bytes, int64_t milli_cpus) = 0;
  // Creates the cgroup of a pod. Returns the parent for its sandbox. Does not change a cgroup that
  // has processes: resize() does.
  virtual Result<std::string> ensure(const Pod& pod) = 0;
  // Of a running pod: raises limits that are too low, or lowers those that are too high. kConflict
  // if the pod uses more memory than its new limit.
  virtual Result<void> resize(const Pod& pod, Change change) = 0;
  // The limits of a pod now.
  virtual Result<CgroupValues> values(const Pod& pod) = 0;
  // Of a pod, or of a container in it.
  virtual Result<MemoryUse> memory(const Pod& pod, const std::string& container_id) = 0;
  // Thaws its containers. A runtime that was killed while it stopped containers leaves them frozen:
  // until they are thawed they ignore signals, and a stop waits forever.
  virtual Result<void> thaw(api::UidView pod_uid) = 0;
  // Kills the processes in it, then removes it. One that does not exist is no failure.
  virtual Result<void> remove(api::UidView pod_uid) = 0;
  // The pods that have a cgroup.
  virtual Result<std::vector<api::Uid>> pods() = 0;
  // Sets the CPU shares of the QoS cgroups; called when pods come and go. `active`: the pods that
  // count. It is called under a lock, so that the last writer has seen all of them.
  virtual Result<void> balance(const std::function<std::vector<PodPtr>()>& active) = 0;
  // For `proa uninstall`: removes kubepods with all below it.
  virtual Result<void> remove_all() = 0;
  // The same on a host where others may have pods too: removes those pods, and the rest only if
  // nothing runs there any more.
  virtual Result<void> remove_own(const std::vector<api::Uid>& pod_uids) = 0;
};

// Those of this machine. kBadRequest for options.systemd_cgroups: only the cgroupfs driver is
// supported. `files` outlives it.
Result<std::unique_ptr<Cgroups>> open_cgroups(Files& files, const KubeletOptions& options);

// For a given tree.
struct CgroupLayout {
  std::string root = "/";                         // below it: kubepods
  std::vector<std::string> huge_page_sizes = {};  // of the machine
  int64_t max_pids = 0;                           // of all pods together; zero: no bound
};
std::unique_ptr<Cgroups> make_cgroups(std::unique_ptr<CgroupTree> tree, CgroupLayout layout);

}  // namespace proa::kubelet

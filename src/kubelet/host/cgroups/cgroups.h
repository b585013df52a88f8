#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/files.h"
#include "kubelet/host/cgroups/tree.h"
#include "kubelet/model/options.h"
#include "kubelet/model/pod.h"

namespace proa::kubelet {

// The cgroups above those that the runtime makes for containers: kubepods, one for each quality of
// service, one for each pod, with the sums of what is asked for. Version 1 and 2. From any thread;
// for one pod from one at a time.
class Cgroups {
 public:
  virtual ~Cgroups() = default;
  virtual bool is_v2() const = 0;
  // Makes kubepods and what stands below it. What is allocatable bounds all pods together.
  // kConflict when they use more memory than that now: then everything but that bound is made, and
  // it should be tried again later.
  virtual Result<void> set_up(int64_t memory_bytes, int64_t milli_cpus) = 0;
  // Makes that of a pod. What a sandbox gets as its parent. Once something is in it, it is left as
  // it is: resize() changes it then.
  virtual Result<std::string> ensure(const Pod& pod) = 0;
  // Of a pod that runs: raises what is less than it shall be, or lowers what is more. kConflict
  // when the pod uses more memory than it shall be held to.
  virtual Result<void> resize(const Pod& pod, Change change) = 0;
  // What a pod is held to now.
  virtual Result<CgroupValues> values(const Pod& pod) = 0;
  // Of a pod, or of a container in it.
  virtual Result<MemoryUse> memory(const Pod& pod, const std::string& container_id) = 0;
  // Lets its containers go on where they were frozen, as a runtime leaves them that is killed while
  // it ends them: until then they don't end, and whoever asks for that waits forever.
  virtual Result<void> thaw(const std::string& pod_uid) = 0;
  // Kills what is still in it, then takes it away. Those that are gone are no failure.
  virtual Result<void> remove(const std::string& pod_uid) = 0;
  // The uids of pods that have one.
  virtual Result<std::vector<std::string>> pods() = 0;
  // When pods come and go: the shares of the qualities of service. `active`: the pods that count,
  // asked under a lock, so that who writes last has seen all of them.
  virtual Result<void> balance(const std::function<std::vector<PodPtr>()>& active) = 0;
  // For `proa uninstall`: everything below kubepods, and kubepods.
  virtual Result<void> remove_all() = 0;
  // The same where somebody else may have pods too: those pods, and the rest only when nothing runs
  // there any more.
  virtual Result<void> remove_own(const std::vector<std::string>& pod_uids) = 0;
};

// The machine's own. kBadRequest for options.systemd_cgroups: cgroups are made by us alone.
// `files` outlives it.
Result<std::unique_ptr<Cgroups>> open_cgroups(Files& files, const KubeletOptions& options);

// On a given tree.
struct CgroupLayout {
  std::string root = "/";                         // below it: kubepods
  std::vector<std::string> huge_page_sizes = {};  // of the machine
  int64_t max_pids = 0;                           // of all pods together; zero: no bound
};
std::unique_ptr<Cgroups> make_cgroups(std::unique_ptr<CgroupTree> tree, CgroupLayout layout);

}  // namespace proa::kubelet

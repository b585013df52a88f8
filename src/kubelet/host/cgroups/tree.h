#pragma once

#include <memory>
#include <string>
#include <vector>

#include "kubelet/host/cgroups/hierarchy.h"
#include "kubelet/host/cgroups/pod_resources.h"

namespace proa::kubelet {

// Which values are written: all, or only those that grow, or only those that shrink. Version 1
// refuses a parent less processor time than its children have, so that a pod that runs grows before
// its containers do, and shrinks after them.
enum class Change : uint8_t { kExactly, kRaise, kLower };

struct MemoryUse {
  int64_t limit = 0;  // the largest number there is: none
  int64_t used = 0;
};

// The cgroups of a machine, whatever their version. Paths are from the root: "kubepods/burstable".
// From any thread.
class CgroupTree {
 public:
  virtual ~CgroupTree() = default;
  virtual bool is_v2() const = 0;
  // With those above it. It is no failure when they are there.
  virtual Result<void> make(const std::string& path) = 0;
  // REQUIRES: it is there. A bound of memory that is below what is used already is kConflict, and
  // leaves the one that there was: the kernel would kill. Numbers of processes and huge pages are
  // written exactly, or not at all.
  virtual Result<void> set(const std::string& path, const CgroupValues& values, Change change) = 0;
  virtual Result<MemoryUse> memory(const std::string& path) = 0;
  // Shares, quota and memory, as the kernel has them; zero: no bound.
  virtual Result<CgroupValues> values(const std::string& path) = 0;
  // Whether there is something below it that has a part of what it has.
  virtual Result<bool> is_shared(const std::string& path) = 0;
  // The names of those right below; none where there is no such cgroup.
  virtual Result<std::vector<std::string>> children(const std::string& path) = 0;
  // Whether a process is in it or below it. One that is not there has none.
  virtual Result<bool> has_processes(const std::string& path) = 0;
  // Lets go on what was frozen there or below it. One that is not there is no failure.
  virtual Result<void> thaw(const std::string& path) = 0;
  // Kills what is in it, takes it away and all below it.
  virtual Result<void> remove(const std::string& path) = 0;
};

// Version 1: a hierarchy for each controller, or for some together.
struct V1Hierarchy {
  std::vector<std::string> controllers = {};
  std::unique_ptr<Hierarchy> folders = {};
};
// kServiceUnavailable without the controllers cpu and memory.
Result<std::unique_ptr<CgroupTree>> make_tree_v1(std::vector<V1Hierarchy> hierarchies);

// Version 2: one hierarchy. The same without these controllers.
Result<std::unique_ptr<CgroupTree>> make_tree_v2(std::unique_ptr<Hierarchy> folders);

// What both versions do alike.
struct MemoryFiles {
  std::string_view limit = {};
  std::string_view usage = {};
};
Result<MemoryUse> read_memory(Hierarchy& hierarchy, const std::string& path,
                              const MemoryFiles& files);
// The first word of a file; zero: no bound.
Result<int64_t> read_bound(Hierarchy& hierarchy, const std::string& path, std::string_view file);
// Whether a change of that kind writes this number into the file, whose first word is what there is
// now.
bool is_due(Hierarchy& hierarchy, const std::string& path, std::string_view file, int64_t wanted,
            Change change);
Result<void> set_memory(Hierarchy& hierarchy, const std::string& path, const MemoryFiles& files,
                        int64_t bytes);
// `ending`: what follows the size in the name of the file.
Result<void> set_huge_pages(Hierarchy& hierarchy, const std::string& path,
                            const std::map<std::string, int64_t>& limits, std::string_view ending);
// The paths from the top one to this one: "a", "a/b".
std::vector<std::string> steps_to(const std::string& path);

}  // namespace proa::kubelet

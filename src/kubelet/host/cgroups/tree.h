#pragma once

#include <memory>
#include <string>
#include <vector>

#include "kubelet/host/cgroups/hierarchy.h"
#include "kubelet/host/cgroups/pod_resources.h"

namespace proa::kubelet {

// Which values are written: all, only those that grow, or only those that shrink. Version 1 refuses
// a parent less CPU time than its children have: a running pod grows before its containers, and
// shrinks after them.
enum class Change : uint8_t { kExactly, kRaise, kLower };

struct MemoryUse {
  int64_t limit = 0;  // the largest number: no limit
  int64_t used = 0;
};

// The cgroups of a machine, of either version. Paths start at the root: "kubepods/burstable". From
// any thread.
class CgroupTree {
 public:
  virtual ~CgroupTree() = default;
  virtual bool is_v2() const = 0;
  // Creates it and its parents. Existing ones are no failure.
  virtual Result<void> make(const std::string& path) = 0;
  // REQUIRES: it exists. kConflict for a memory limit below the current usage; the old limit stays,
  // because the kernel would kill processes. Limits of processes and huge pages are written exactly
  // or not at all.
  virtual Result<void> set(const std::string& path, const CgroupValues& values, Change change) = 0;
  virtual Result<MemoryUse> memory(const std::string& path) = 0;
  // CPU shares, quota and memory as the kernel has them; zero: no limit.
  virtual Result<CgroupValues> values(const std::string& path) = 0;
  // Whether it has children.
  virtual Result<bool> is_shared(const std::string& path) = 0;
  // The names of its children; none if it does not exist.
  virtual Result<std::vector<std::string>> children(const std::string& path) = 0;
  // Whether a process is in it or below it. False if it does not exist.
  virtual Result<bool> has_processes(const std::string& path) = 0;
  // Thaws it and all below it. One that does not exist is no failure.
  virtual Result<void> thaw(const std::string& path) = 0;
  // Kills its processes and removes it with all below it.
  virtual Result<void> remove(const std::string& path) = 0;
};

// Version 1: a hierarchy per controller or group of controllers.
struct V1Hierarchy {
  std::vector<std::string> controllers = {};
  std::unique_ptr<Hierarchy> folders = {};
};
// kServiceUnavailable without the controllers cpu and memory.
Result<std::unique_ptr<CgroupTree>> make_tree_v1(std::vector<V1Hierarchy> hierarchies);

// Version 2: one hierarchy. Fails in the same way.
Result<std::unique_ptr<CgroupTree>> make_tree_v2(std::unique_ptr<Hierarchy> folders);

// Shared by both versions.
struct MemoryFiles {
  std::string_view limit = {};
  std::string_view usage = {};
};
Result<MemoryUse> read_memory(Hierarchy& hierarchy, const std::string& path,
                              const MemoryFiles& files);
// The first word of a file; zero: no limit.
Result<int64_t> read_bound(Hierarchy& hierarchy, const std::string& path, std::string_view file);
// Whether a change of that kind writes this number; `file` has the current one as its first word.
bool is_due(Hierarchy& hierarchy, const std::string& path, std::string_view file, int64_t wanted,
            Change change);
Result<void> set_memory(Hierarchy& hierarchy, const std::string& path, const MemoryFiles& files,
                        int64_t bytes);
// `ending`: the part of the file name after the size.
Result<void> set_huge_pages(Hierarchy& hierarchy, const std::string& path,
                            const std::map<std::string, int64_t>& limits, std::string_view ending);
// The paths from the topmost parent to this one: "a", "a/b".
std::vector<std::string> steps_to(const std::string& path);

}  // namespace proa::kubelet

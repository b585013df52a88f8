#pragma once

#include <sys/types.h>

#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/files.h"
#include "base/result.h"

namespace proa::lab {

// A cgroup hierarchy of this kernel.
struct CgroupHierarchy {
  std::string controllers = {};  // "cpu,cpuacct", "name=systemd"; empty: version 2
  FileDescriptor root = {};      // a mount that is attached nowhere: the host does not see it

  bool is_v2() const { return controllers.empty(); }
};

// The controllers of each hierarchy, from the text of /proc/self/cgroup.
std::vector<std::string> parse_hierarchies(std::string_view text);

// All cgroup hierarchies, at the root of our cgroup namespace. Where version 1 is in use, version 2
// is one of them without controllers.
class Cgroups {
 public:
  static Result<Cgroups> open();

  const std::vector<CgroupHierarchy>& hierarchies() const { return hierarchies_; }
  // Whether there is version 2 only.
  bool is_v2() const { return hierarchies_.size() == 1 && hierarchies_[0].is_v2(); }

  // Creates it and its parents, with all controllers. Existing ones are no failure.
  Result<void> make(const std::string& path) const;
  // Creates one below an existing one. Version 2 allows no process in a cgroup whose children have
  // controllers: this child gets none.
  Result<void> make_leaf(const std::string& parent, const std::string& name) const;
  // Moves this process there.
  Result<void> join(const std::string& path) const;
  // The processes in it and below it.
  std::vector<pid_t> processes(const std::string& path) const;
  bool exists(const std::string& path) const;
  // The memory that it uses, in bytes, without what the kernel can take back at once; zero if that
  // is unknown.
  uint64_t memory(const std::string& path) const;
  // Kills all processes in it and below it, and removes the folders. A missing one is no failure.
  Result<void> remove(const std::string& path) const;

 private:
  std::vector<CgroupHierarchy> hierarchies_;
};

// Mounts what this process sees of all hierarchies below /sys/fs/cgroup, as distributions do.
// REQUIRES: a mount namespace of our own, with sysfs at /sys.
Result<void> mount_cgroups();

}  // namespace proa::lab

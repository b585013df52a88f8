#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/files.h"

namespace proa::kubelet {

// One mounted cgroup hierarchy: folders with the kernel's files in them. Paths are relative to its
// root, which is "": "kubepods/burstable". From any thread.
class Hierarchy {
 public:
  virtual ~Hierarchy() = default;
  // Creates one folder; its parents must exist. Returns whether it is new.
  virtual Result<bool> make(const std::string& path) = 0;
  // Removes one folder without children. kConflict while it has processes.
  virtual Result<void> remove(const std::string& path) = 0;
  // The names of its child folders.
  virtual Result<std::vector<std::string>> children(const std::string& path) = 0;
  virtual Result<std::string> read(const std::string& path, std::string_view file) = 0;
  virtual Result<void> write(const std::string& path, std::string_view file,
                             std::string_view text) = 0;
};

// The hierarchy mounted there. `files` outlives it.
std::unique_ptr<Hierarchy> mounted_hierarchy(Files& files, std::string mountpoint);

// Writes only values that differ: the kernel does work on each write.
Result<void> write_if_other(Hierarchy& hierarchy, const std::string& path, std::string_view file,
                            std::string_view text);

// A folder and all below it, parents before children.
Result<std::vector<std::string>> folders_below(Hierarchy& hierarchy, const std::string& path);

}  // namespace proa::kubelet

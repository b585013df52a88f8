#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/files.h"

namespace proa::kubelet {

// One hierarchy of cgroups as it is mounted: folders, and the kernel's files in them. Paths are
// relative to its root, which is "": "kubepods/burstable". From any thread.
class Hierarchy {
 public:
  virtual ~Hierarchy() = default;
  // One folder; those above it must be there. Whether it was not there before.
  virtual Result<bool> make(const std::string& path) = 0;
  // One folder without folders in it. kConflict while processes are in it.
  virtual Result<void> remove(const std::string& path) = 0;
  // The names of the folders in it.
  virtual Result<std::vector<std::string>> children(const std::string& path) = 0;
  virtual Result<std::string> read(const std::string& path, std::string_view file) = 0;
  virtual Result<void> write(const std::string& path, std::string_view file,
                             std::string_view text) = 0;
};

// The one that is mounted there. `files` outlives it.
std::unique_ptr<Hierarchy> mounted_hierarchy(Files& files, std::string mountpoint);

// Writes only what is not there already: the kernel works at each write.
Result<void> write_if_other(Hierarchy& hierarchy, const std::string& path, std::string_view file,
                            std::string_view text);

// A folder and all below it: those above before those below.
Result<std::vector<std::string>> folders_below(Hierarchy& hierarchy, const std::string& path);

}  // namespace proa::kubelet

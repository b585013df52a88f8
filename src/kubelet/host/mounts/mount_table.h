#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace proa::kubelet {

// One line of /proc/self/mountinfo, reduced to what is used here.
struct KernelMount {
  std::string device = {};  // "8:1"
  std::string root = {};    // what of that file system is mounted
  std::string point = {};   // where
};

// In the order of the text; malformed lines are left out.
std::vector<KernelMount> read_mount_table(std::string_view mountinfo);

// Those below a folder, without the folder itself; the deepest first, each as often as it is
// mounted.
std::vector<std::string> mount_points_below(const std::vector<KernelMount>& table,
                                            std::string_view folder);

// Whether the same part of the same filesystem is mounted elsewhere below `folder`.
bool is_mounted_elsewhere(const std::vector<KernelMount>& table, std::string_view point,
                          std::string_view folder);

}  // namespace proa::kubelet

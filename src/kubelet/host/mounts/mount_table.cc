#include "kubelet/host/mounts/mount_table.h"

#include <algorithm>

#include "base/strings.h"

namespace proa::kubelet {
namespace mount_table {

bool is_octal(char c) { return c >= '0' && c <= '7'; }

// The kernel writes spaces, tabs, line ends and backslashes as "\040".
std::string unescape(std::string_view text) {
  std::string plain;
  plain.reserve(text.size());
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\\' && i + 3 < text.size() && is_octal(text[i + 1]) && is_octal(text[i + 2]) &&
        is_octal(text[i + 3])) {
      plain.push_back(static_cast<char>((text[i + 1] - '0') * 64 + (text[i + 2] - '0') * 8 +
                                        (text[i + 3] - '0')));
      i += 3;
    } else {
      plain.push_back(text[i]);
    }
  }
  return plain;
}

bool is_below(std::string_view path, std::string_view folder) {
  return path.size() > folder.size() + 1 && path.starts_with(folder) && path[folder.size()] == '/';
}

}  // namespace mount_table

std::vector<KernelMount> read_mount_table(std::string_view mountinfo) {
  std::vector<KernelMount> table;
  for (const std::string_view line : split(mountinfo, '\n')) {
    // id, parent, device, root, point, options ...
    const std::vector<std::string_view> fields = split(line, ' ');
    if (fields.size() < 6) continue;
    table.push_back({.device = std::string(fields[2]),
                     .root = mount_table::unescape(fields[3]),
                     .point = mount_table::unescape(fields[4])});
  }
  return table;
}

std::vector<std::string> mount_points_below(const std::vector<KernelMount>& table,
                                            std::string_view folder) {
  std::vector<std::string> points;
  for (const KernelMount& mount : table) {
    if (mount_table::is_below(mount.point, folder)) points.push_back(mount.point);
  }
  const auto depth = [](const std::string& path) {
    return std::count(path.begin(), path.end(), '/');
  };
  std::stable_sort(points.begin(), points.end(),
                   [&depth](const auto& a, const auto& b) { return depth(a) > depth(b); });
  return points;
}

bool is_mounted_elsewhere(const std::vector<KernelMount>& table, std::string_view point,
                          std::string_view folder) {
  // Of several at one point the last one is what is seen there.
  const auto own = std::find_if(table.rbegin(), table.rend(),
                                [point](const KernelMount& mount) { return mount.point == point; });
  if (own == table.rend()) return false;
  return std::any_of(table.begin(), table.end(), [&](const KernelMount& mount) {
    return mount.point != point && mount.device == own->device && mount.root == own->root &&
           mount_table::is_below(mount.point, folder);
  });
}

}  // namespace proa::kubelet

#include "kubelet/cgroups/tree.h"

#include <fmt/format.h>

#include <limits>

#include "base/strings.h"

namespace proa::kubelet {
namespace tree {

// "max" is more than any number.
int64_t read_number(Hierarchy& hierarchy, const std::string& path, std::string_view file,
                    int64_t fallback) {
  const auto text = hierarchy.read(path, file);
  if (!text) return fallback;
  return parse_int(trim(*text)).value_or(std::numeric_limits<int64_t>::max());
}

}  // namespace tree

Result<void> set_memory(Hierarchy& hierarchy, const std::string& path, const MemoryFiles& files,
                        int64_t bytes) {
  if (bytes <= 0) return {};
  const int64_t now = tree::read_number(hierarchy, path, files.limit, 0);
  if (now == bytes) return {};
  const int64_t used = tree::read_number(hierarchy, path, files.usage, 0);
  if (now > bytes && used >= bytes) {
    return Status(Reason::kConflict,
                  fmt::format("attempting to set pod memory limit ({}) below current usage ({})",
                              bytes, used));
  }
  return hierarchy.write(path, files.limit, std::to_string(bytes));
}

Result<void> set_huge_pages(Hierarchy& hierarchy, const std::string& path,
                            const std::map<std::string, int64_t>& limits, std::string_view ending) {
  for (const auto& [size, bytes] : limits) {
    const std::string text = std::to_string(bytes);
    TRY(write_if_other(hierarchy, path, fmt::format("hugetlb.{}.{}", size, ending), text));
    // Pages that are only reserved: older kernels don't count them.
    const auto reserved =
        write_if_other(hierarchy, path, fmt::format("hugetlb.{}.rsvd.{}", size, ending), text);
    if (!reserved && !reserved.is(Reason::kNotFound)) return reserved;
  }
  return {};
}

std::vector<std::string> steps_to(const std::string& path) {
  std::vector<std::string> steps;
  for (size_t slash = path.find('/'); slash != std::string::npos; slash = path.find('/', slash + 1))
    steps.push_back(path.substr(0, slash));
  steps.push_back(path);
  return steps;
}

}  // namespace proa::kubelet

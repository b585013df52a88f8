#include "kubelet/host/cgroups/tree.h"

#include <fmt/format.h>

#include <limits>

#include "base/strings.h"

namespace proa::kubelet {
namespace tree {

// "max" is more than any number, and so is -1, which version 1 writes for a quota.
Result<int64_t> read_number(Hierarchy& hierarchy, const std::string& path, std::string_view file) {
  const std::string text = TRY(hierarchy.read(path, file));
  const std::string_view line = trim(text);
  const std::optional<int64_t> number = parse_int(line.substr(0, line.find(' ')));
  return number && *number >= 0 ? *number : std::numeric_limits<int64_t>::max();
}

}  // namespace tree

Result<MemoryUse> read_memory(Hierarchy& hierarchy, const std::string& path,
                              const MemoryFiles& files) {
  MemoryUse use;
  use.limit = TRY(tree::read_number(hierarchy, path, files.limit));
  use.used = TRY(tree::read_number(hierarchy, path, files.usage));
  return use;
}

Result<int64_t> read_bound(Hierarchy& hierarchy, const std::string& path, std::string_view file) {
  // Version 1 writes for none whatever pages make up the largest number.
  constexpr int64_t kNone = int64_t{1} << 62;
  const int64_t number = TRY(tree::read_number(hierarchy, path, file));
  return number < kNone ? number : 0;
}

bool is_due(Hierarchy& hierarchy, const std::string& path, std::string_view file, int64_t wanted,
            Change change) {
  if (change == Change::kExactly) return true;
  const Result<int64_t> now = tree::read_number(hierarchy, path, file);
  // If it cannot be read, the write reports why.
  if (!now) return true;
  return change == Change::kRaise ? *now < wanted : *now > wanted;
}

Result<void> set_memory(Hierarchy& hierarchy, const std::string& path, const MemoryFiles& files,
                        int64_t bytes) {
  if (bytes <= 0) return {};
  const Result<MemoryUse> now = read_memory(hierarchy, path, files);
  if (now && now->limit == bytes) return {};
  if (now && now->limit > bytes && now->used >= bytes) {
    return Status(Reason::kConflict,
                  fmt::format("attempting to set pod memory limit ({}) below current usage ({})",
                              bytes, now->used));
  }
  return hierarchy.write(path, files.limit, std::to_string(bytes));
}

Result<void> set_huge_pages(Hierarchy& hierarchy, const std::string& path,
                            const std::map<std::string, int64_t>& limits, std::string_view ending) {
  for (const auto& [size, bytes] : limits) {
    const std::string text = std::to_string(bytes);
    TRY(write_if_other(hierarchy, path, fmt::format("hugetlb.{}.{}", size, ending), text));
    // Pages that are only reserved: older kernels don't count them.
    auto reserved =
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

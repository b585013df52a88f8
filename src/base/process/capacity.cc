#include "base/process/capacity.h"

#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <limits>
#include <optional>

#include "base/strings.h"

namespace proa {
namespace capacity {

constexpr size_t kNoLimit = std::numeric_limits<size_t>::max();

// A file with one number; no limit for "max" and for files that do not exist.
size_t read_limit(const std::string& path) {
  std::ifstream file(path);
  std::string text;
  file >> text;
  const std::optional<int64_t> number = parse_int(text);
  return number && *number > 0 ? static_cast<size_t>(*number) : kNoLimit;
}

// The least limit of a cgroup and its parents.
size_t least_limit(const std::string& mount, std::string cgroup, const std::string& name) {
  size_t least = read_limit(mount + "/" + name);
  while (cgroup.size() > 1) {
    least = std::min(least, read_limit(mount + cgroup + "/" + name));
    cgroup.erase(cgroup.rfind('/'));
  }
  return least;
}

}  // namespace capacity

size_t cgroup_memory_limit(const std::string& root) {
  size_t least = capacity::kNoLimit;
  std::ifstream file(root + "/proc/self/cgroup");
  // "0::/user.slice/session" in version 2, "4:memory:/user.slice" in version 1.
  for (std::string line; std::getline(file, line);) {
    const size_t controllers = line.find(':') + 1;
    const size_t path = line.find(':', controllers) + 1;
    if (controllers == 0 || path == 0 || line.substr(path, 1) != "/") continue;
    const std::string names = line.substr(controllers, path - controllers - 1);
    if (names.empty()) {
      least = std::min(
          least, capacity::least_limit(root + "/sys/fs/cgroup", line.substr(path), "memory.max"));
    } else if (names == "memory") {
      least = std::min(least, capacity::least_limit(root + "/sys/fs/cgroup/memory",
                                                    line.substr(path), "memory.limit_in_bytes"));
    }
  }
  return least;
}

Capacity process_capacity() {
  Capacity found;
  rlimit limit{};
  if (getrlimit(RLIMIT_NOFILE, &limit) == 0) found.descriptors = limit.rlim_cur;
  const auto pages = static_cast<size_t>(sysconf(_SC_PHYS_PAGES));
  found.memory =
      std::min(pages * static_cast<size_t>(sysconf(_SC_PAGESIZE)), cgroup_memory_limit());
  return found;
}

void raise_descriptor_limit() {
  rlimit limit{};
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0) return;
  limit.rlim_cur = limit.rlim_max;
  // On failure the old limit holds, which process_capacity() reports.
  static_cast<void>(setrlimit(RLIMIT_NOFILE, &limit));
}

}  // namespace proa

#include "kubelet/host/machine_facts.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "base/strings.h"
#include "kubelet/host/cgroups/huge_pages.h"

namespace proa::kubelet {
namespace machine_facts {

constexpr size_t kTextLimit = 64 * 1024;

// "MemTotal:       16384 kB"
Result<int64_t> read_memory(Files& files) {
  const std::string text = TRY(files.read_file("/proc/meminfo", kTextLimit));
  for (const std::string_view line : split(text, '\n')) {
    const auto halves = split_once(line, ':');
    if (!halves || halves->before != "MemTotal") continue;
    const std::string_view amount = trim(halves->after);
    const auto kilobytes = parse_int(amount.substr(0, amount.find(' ')));
    if (kilobytes && *kilobytes > 0 && *kilobytes <= std::numeric_limits<int64_t>::max() / 1024)
      return *kilobytes * 1024;
  }
  return Status(Reason::kInternalError, "/proc/meminfo has no valid MemTotal");
}

// Whether cgroups have the file that limits swap. The root of version 2 never has it, so the cgroup
// of this process is checked.
Result<bool> read_swap(Files& files, bool cgroup_v2) {
  if (!cgroup_v2) return files.exists("/sys/fs/cgroup/memory/memory.memsw.limit_in_bytes");
  const std::string text = TRY(files.read_file("/proc/self/cgroup", kTextLimit));
  for (const std::string_view line : split(text, '\n')) {
    if (line.starts_with("0::"))
      return files.exists(fmt::format("/sys/fs/cgroup{}/memory.swap.max", line.substr(3)));
  }
  return false;
}

// The temperature of a CPU reveals the work of its other users.
std::vector<std::string> read_hidden_paths(Files& files) {
  constexpr std::string_view kProcessors = "/sys/devices/system/cpu";
  std::vector<std::string> paths;
  const auto names = files.list(std::string(kProcessors));
  if (!names) return paths;
  for (const std::string& name : *names) {
    if (!name.starts_with("cpu") || !parse_uint(name.substr(3))) continue;
    std::string path = fmt::format("{}/{}/thermal_throttle", kProcessors, name);
    const auto is_there = files.exists(path);
    if (is_there && *is_there) paths.push_back(std::move(path));
  }
  return paths;
}

}  // namespace machine_facts

Result<MachineFacts> read_machine_facts(Files& files, bool cgroup_v2) {
  MachineFacts facts;
  facts.memory_bytes = TRY(machine_facts::read_memory(files));
  facts.cgroup_v2 = cgroup_v2;
  facts.has_swap = TRY(machine_facts::read_swap(files, cgroup_v2));
  facts.has_selinux = TRY(files.exists("/sys/fs/selinux/enforce"));
  facts.huge_page_sizes = read_huge_page_sizes(files);
  facts.hidden_paths = machine_facts::read_hidden_paths(files);
  return facts;
}

}  // namespace proa::kubelet

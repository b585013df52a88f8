#include "kubelet/containerd/shims.h"

#include <signal.h>

#include <algorithm>
#include <set>
#include <vector>

#include "base/strings.h"
#include "kubelet/containerd/spawn.h"

namespace proa::kubelet {
namespace shims {

constexpr Duration kPatience = std::chrono::seconds(5);
constexpr size_t kMostBytes = 4096;

// Zero when it is gone.
int64_t parent_of(Files& files, const std::string& pid) {
  const auto text = files.read_file("/proc/" + pid + "/stat", kMostBytes);
  if (!text.ok()) return 0;
  // The name stands in parentheses and may hold some itself; then come the state and the parent.
  const auto fields = split(std::string_view(*text).substr(text->rfind(')') + 1), ' ');
  return fields.size() > 2 ? parse_int(fields[2]).value_or(0) : 0;
}

// "containerd-shim-runc-v2 -namespace k8s.io -id ID -address SOCKET"
bool serves(const std::vector<std::string>& words, const std::string& socket) {
  const auto has = [&words](std::string_view name, std::string_view value) {
    const auto found = std::find(words.begin(), words.end(), name);
    return found != words.end() && std::next(found) != words.end() &&
           (value.empty() || *std::next(found) == value);
  };
  return has("-address", socket) && has("-namespace", "") && has("-id", "");
}

}  // namespace shims

Result<size_t> end_empty_shims(Files& files, const std::string& socket) {
  std::vector<ProcessHandle> found;
  std::set<int64_t> parents;
  for (const std::string& name : TRY(files.list("/proc"))) {
    const auto pid = parse_int(name);
    if (!pid) continue;
    parents.insert(shims::parent_of(files, name));
    auto process = ProcessHandle::open(static_cast<pid_t>(*pid));
    if (process.ok() && shims::serves(process->words(), socket)) {
      found.push_back(std::move(*process));
    }
  }
  std::erase_if(found, [&](const ProcessHandle& shim) { return parents.contains(shim.pid()); });
  for (const ProcessHandle& shim : found) shim.signal(SIGKILL);
  for (const ProcessHandle& shim : found) shim.wait_for_end(shims::kPatience);
  return found.size();
}

}  // namespace proa::kubelet

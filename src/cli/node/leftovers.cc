#include "cli/node/leftovers.h"

#include <sys/mount.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <climits>
#include <cstring>

#include "base/strings.h"
#include "cli/node/network/empty_tables.h"
#include "dns/node/loopback_addresses.h"
#include "kubelet/host/cgroups/cgroups.h"
#include "kubelet/host/mounts/mount_table.h"
#include "kubelet/host/mounts/tree_removal.h"
#include "kubelet/runtime/containerd/shims.h"
#include "kubelet/workers/start/pod_files.h"
#include "network/apply/kernel.h"
#include "network/forward/forward_rules.h"
#include "network/guard/pod_guard.h"
#include "network/masquerade/masquerade_rules.h"
#include "policy/apply/kernel_rules.h"

namespace proa::cli {
namespace leftovers {

constexpr std::array<std::string_view, 13> kNames = {
    "store",           "tls",        "admin.kubeconfig",
    "control.sock",    "proa.lock",  "containerd",
    "containerd.toml", "registries", "cni",
    "kubelet",         "log",        "foreign-runtime",
    "storage"};
constexpr std::array<std::string_view, 6> kPrefixes = {"checkpoint-",
                                                       "restore-",
                                                       "store.before-restore-",
                                                       "tls.before-restore-",
                                                       "storage.before-restore-",
                                                       "admin.kubeconfig.before-restore-"};
// Where the logs of pods are unless --pod-logs-dir says otherwise.
constexpr const char* kPodLogs = "/var/log/pods";
using network::kCniResults;
// Folders that containerd and CNI create for all users; removed if empty, innermost first.
constexpr const char* kSharedFolders[] = {"/run/containerd/s", "/run/containerd", kCniResults,
                                          "/var/lib/cni", "/run/netns"};
constexpr size_t kMaxMounts = 64 * 1024 * 1024;

// Collects failures of a sequence of steps.
class Failures {
 public:
  void note(const Result<void>& result) {
    if (!result.ok()) texts_.push_back(result.status().message());
  }
  Result<void> result() const {
    if (texts_.empty()) return {};
    return Status(Reason::kInternalError, "some state could not be removed: " + join(texts_, "; "));
  }

 private:
  std::vector<std::string> texts_;
};

Result<void> unmount_below(Files& files, const std::string& folder) {
  const std::string text = TRY(files.read_file("/proc/self/mountinfo", kMaxMounts));
  for (const std::string& point :
       kubelet::mount_points_below(kubelet::read_mount_table(text), folder)) {
    if (umount2(point.c_str(), MNT_DETACH | UMOUNT_NOFOLLOW) == 0) continue;
    if (errno != EINVAL && errno != ENOENT) return errno_status("unmounting " + point, errno);
  }
  return {};
}

Result<void> remove_cgroups(Files& files, const NodePaths& place) {
  kubelet::KubeletOptions options;
  options.cgroup_root = place.cgroup_root;
  const auto cgroups = TRY(kubelet::open_cgroups(files, options));
  if (place.cgroup_root == "/") {
    const auto uids = list_own_pods(place, files);
    return cgroups->remove_own(uids.ok() ? *uids : std::vector<api::Uid>());
  }
  TRY(cgroups->remove_all());
  // The parent of kubepods, in every hierarchy.
  const std::string base = "/sys/fs/cgroup";
  rmdir((base + place.cgroup_root).c_str());
  const auto hierarchies = files.list(base);
  if (!hierarchies) return hierarchies.status();
  for (const std::string& one : *hierarchies) {
    rmdir((base + "/" + one + place.cgroup_root).c_str());
  }
  return {};
}

Result<void> end_shims(Files& files, const NodePaths& place) {
  const kubelet::ShimPlace shims{.socket = place.socket, .tasks = place.tasks};
  TRY(kubelet::end_idle_shims(files, shims));
  return kubelet::remove_dead_sockets(files, shims);
}

network::NetworkOptions network_of(const NodePaths& place) {
  network::NetworkOptions options;
  options.bridge = place.bridge;
  options.tunnel = place.tunnel;
  return options;
}

// The bridge, the tunnel, routes to other nodes.
Result<void> remove_links(const NodePaths& place, Clock& clock) {
  network::Kernel kernel = TRY(network::Kernel::open(network_of(place), clock));
  return kernel.remove_with_bridge();
}

Result<void> remove_rules(const NodePaths& place, Clock& clock) {
  network::MasqueradeRules rules = TRY(network::MasqueradeRules::open(network_of(place), clock));
  TRY(rules.remove());
  network::ForwardRules forward = TRY(network::ForwardRules::open(network_of(place), clock));
  TRY(forward.remove());
  TRY(network::remove_guard(network_of(place), clock));
  TRY(policy::remove_policy_rules(place.policy_table, clock));
  return {};
}

Result<void> remove_network_results(Files& files, const std::string& network) {
  const auto names = files.list(kCniResults);
  if (names.is(Reason::kNotFound)) return {};
  if (!names) return names.status();
  for (const std::string& name : *names) {
    if (!name.starts_with(network + "-")) continue;
    TRY(files.remove(std::string(kCniResults) + "/" + name));
  }
  return {};
}

void remove_if_empty(const kubelet::Paths& paths) {
  rmdir(paths.logs().c_str());
  rmdir(paths.log_links().c_str());
}

// The folder is shared with other nodes on this machine: removes only what we have a record of.
Result<void> remove_pod_logs(Files& files, const NodePaths& place) {
  const auto records = files.list(place.log_records);
  if (!records) return {};
  for (const std::string& name : *records) {
    char text[PATH_MAX];
    const std::string record = place.log_records + "/" + name;
    const ssize_t size = readlink(record.c_str(), text, sizeof text);
    if (size <= 0) continue;
    const std::string folder(text, static_cast<size_t>(size));
    const size_t slash = folder.rfind('/');
    if (slash == std::string::npos || folder.substr(slash + 1) != name) continue;
    TRY(kubelet::remove_tree(folder));
    const kubelet::Paths paths({}, folder.substr(0, slash));
    TRY(kubelet::remove_log_links(paths.log_links(), folder));
    remove_if_empty(paths);
  }
  remove_if_empty(kubelet::Paths({}, kPodLogs));  // made by a node that never had a pod
  return {};
}

}  // namespace leftovers

Result<std::vector<api::Uid>> list_own_pods(const NodePaths& place, Files& files) {
  const std::vector<std::string> names = TRY(files.list(place.kubelet_root + "/pods"));
  return std::vector<api::Uid>(names.begin(), names.end());
}

bool is_own_file(std::string_view name) {
  using namespace leftovers;  // NOLINT: this unit's own
  return std::find(kNames.begin(), kNames.end(), name) != kNames.end() ||
         std::any_of(kPrefixes.begin(), kPrefixes.end(),
                     [&](std::string_view prefix) { return name.starts_with(prefix); });
}

Result<void> remove_traces(const NodePaths& place, Files& files, Clock& clock) {
  leftovers::Failures failures;
  // Processes first: they keep the rest busy.
  failures.note(leftovers::remove_cgroups(files, place));
  failures.note(leftovers::end_shims(files, place));
  failures.note(leftovers::unmount_below(files, place.data_dir));
  failures.note(leftovers::unmount_below(files, place.run_folder));
  failures.note(leftovers::remove_links(place, clock));
  failures.note(leftovers::remove_network_results(files, place.bridge));
  failures.note(leftovers::remove_rules(place, clock));
  failures.note(dns::remove_loopback_addresses(files, clock, place.dns_addresses));
  failures.note(remove_empty_tables(files, clock, place.tables));
  return failures.result();
}

Result<std::vector<std::string>> remove_leftovers(const NodePaths& place, Files& files,
                                                  Clock& clock) {
  leftovers::Failures failures;
  failures.note(remove_traces(place, files, clock));
  failures.note(leftovers::remove_pod_logs(files, place));
  failures.note(kubelet::remove_tree(place.run_folder));
  for (const char* folder : leftovers::kSharedFolders) rmdir(folder);  // fails unless empty
  std::vector<std::string> foreign;
  for (const std::string& name : TRY(files.list(place.data_dir))) {
    if (is_own_file(name)) {
      failures.note(kubelet::remove_tree(place.data_dir + "/" + name));
    } else {
      foreign.push_back(place.data_dir + "/" + name);
    }
  }
  TRY(failures.result());
  if (foreign.empty()) TRY(files.remove(place.data_dir));
  return foreign;
}

}  // namespace proa::cli

#include "cli/node/node_paths.h"

#include <cerrno>
#include <climits>
#include <cstdlib>

#include "cli/host/instance_lock.h"
#include "crypto/digest.h"

namespace proa::cli {
namespace node_places {

// The default data directory, which gets the well-known names.
constexpr std::string_view kUsual = "/var/lib/proa";

// Eight characters, so that it fits into a link name (15 bytes).
std::string short_name(const std::string& data_dir) {
  return crypto::sha256(data_dir).hex().substr(0, 8);
}

}  // namespace node_places

NodePaths node_paths(const std::string& data_dir) {
  const bool usual = data_dir == node_places::kUsual;
  const std::string mark = usual ? "" : "-" + node_places::short_name(data_dir);
  NodePaths place;
  place.data_dir = data_dir;
  place.lock = lock_path(data_dir);
  place.kubelet_root = data_dir + "/kubelet";
  place.storage = data_dir + "/storage";
  place.log_folder = data_dir + "/log";
  place.log_records = place.log_folder + "/pods";
  place.foreign_runtime = data_dir + "/foreign-runtime";
  place.containerd_root = data_dir + "/containerd";
  place.containerd_config = data_dir + "/containerd.toml";
  place.containerd_log = place.log_folder + "/containerd.log";
  place.registries = data_dir + "/registries";
  place.cni_folder = data_dir + "/cni";
  place.run_folder = "/run/proa" + mark;
  place.containerd_state = place.run_folder + "/containerd";
  place.socket = place.run_folder + "/containerd.sock";
  place.pid_file = place.run_folder + "/containerd.pid";
  place.proxy_mode = place.run_folder + "/proxy-mode";
  place.dns_addresses = place.run_folder + "/dns-addresses";
  place.tables = place.run_folder + "/tables-before";
  place.cni_state = place.run_folder + "/networks";
  // The layout that containerd uses below its state directory.
  place.network_namespaces = place.containerd_state + "/io.containerd.grpc.v1.cri/netns";
  place.tasks = place.containerd_state + "/io.containerd.runtime.v2.task";
  place.bridge = usual ? "proa0" : "proa" + mark;
  place.tunnel = place.bridge + "v";
  place.policy_table = usual ? "proa-policy" : "proa-policy-" + place.bridge;
  place.cgroup_root = usual ? "/" : "/proa" + mark;
  return place;
}

Result<NodePaths> find_node_paths(const std::string& data_dir) {
  char path[PATH_MAX];
  if (realpath(data_dir.c_str(), path) == nullptr) {
    if (errno == ENOENT) {
      return Status(Reason::kNotFound, data_dir + " does not exist; check --data-dir");
    }
    return errno_status("looking for " + data_dir, errno);
  }
  return node_paths(path);
}

}  // namespace proa::cli

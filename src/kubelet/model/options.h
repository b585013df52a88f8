#pragma once

#include <map>
#include <string>
#include <vector>

#include "api/object/names.h"
#include "base/time.h"

namespace proa::kubelet {

// The configuration of a node. Defaults are upstream's.
struct KubeletOptions {
  api::NodeName node_name = {};
  std::vector<std::string> addresses = {};  // of this node; the first is its InternalIP
  // Ranges of its pods with which a new Node is registered; empty: the controllers give it some.
  std::vector<std::string> pod_cidrs = {};
  // What its pods have from an earlier run: without `pod_cidrs`, a new Node asks for these first.
  std::vector<std::string> former_pod_cidrs = {};
  std::map<std::string, std::string> labels = {};
  std::map<std::string, std::string> annotations = {};
  std::vector<std::string> taints = {};  // "key=value:Effect", at registration only

  std::string root = "/var/lib/kubelet";  // volumes, plugins, hosts files
  std::string logs = "/var/log/pods";
  std::string system_logs = "/var/log";  // of the machine; served to administrators
  // A folder of our own with a link for each of our folders in `logs`, which may be shared; empty:
  // `logs` is ours alone.
  std::string log_records = {};
  // The parent directory of local-path volumes, announced on the Node; empty: not managed here.
  std::string local_volumes = {};
  std::string manifests = {};  // the folder of static pods; empty: none
  std::string runtime_socket = "/run/containerd/containerd.sock";
  std::string pause_image = "docker.io/proa/pause:1";

  std::string cluster_domain = "cluster.local";
  std::vector<std::string> cluster_dns = {};
  // Without `cluster_dns`: pods get the addresses that the Service kube-system/kube-dns has when
  // they start.
  bool dns_service = false;
  std::string resolv_conf = "/etc/resolv.conf";

  std::string cgroup_root = "/";  // below it: kubepods
  bool systemd_cgroups = false;   // created through systemd instead of directly
  int64_t max_pods = 110;
  std::map<std::string, std::string> system_reserved = {};  // "cpu": "100m"
  std::map<std::string, std::string> kube_reserved = {};

  std::string listen = "0.0.0.0";
  int port = 10250;
  int64_t max_log_bytes = 10 * 1024 * 1024;  // of one file of a container's log
  int max_log_files = 5;
  Duration lease_duration = std::chrono::seconds(40);
  Duration full_sync = std::chrono::minutes(1);  // of the resync of all pods, independent of events
};

}  // namespace proa::kubelet

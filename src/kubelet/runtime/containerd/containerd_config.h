#pragma once

#include <string>
#include <vector>

namespace proa::kubelet {

// An OCI runtime with runc's command line, and its handler name for RuntimeClasses.
struct OciRuntime {
  std::string name = {};  // "runc"
  std::string path = {};
};

// The configuration of our own containerd.
struct ContainerdSetup {
  std::string root = {};   // what lasts: images, snapshots
  std::string state = {};  // state that a reboot ends
  std::string socket = {};
  std::string sandbox_image = {};
  std::string cni_programs = {};  // the folder of the CNI plugins
  std::string cni_config = {};    // the folder of our conflist
  std::string registries = {};    // the folder of hosts.toml files, as docs/hosts.md of containerd
  std::vector<OciRuntime> runtimes = {};  // the first is the default
  bool systemd_cgroups = false;
  // Whether we may lower the OOM score of processes; not possible inside most containers.
  bool may_lower_oom_score = true;
};

// Its config.toml, in the oldest usable version: every containerd since 1.3 accepts it, and
// migrates it at each start.
std::string containerd_config(const ContainerdSetup& setup);

}  // namespace proa::kubelet

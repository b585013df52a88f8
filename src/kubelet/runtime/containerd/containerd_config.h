#pragma once

#include <string>
#include <vector>

namespace proa::kubelet {

// A program that starts containers in the way of runc, and the name by which RuntimeClasses know
// it.
struct OciRuntime {
  std::string name = {};  // "runc"
  std::string path = {};
};

// What a containerd of our own is told.
struct ContainerdSetup {
  std::string root = {};   // what lasts: images, snapshots
  std::string state = {};  // what a reboot ends
  std::string socket = {};
  std::string sandbox_image = {};
  std::string cni_programs = {};  // the folder of the CNI plugins
  std::string cni_config = {};    // the folder of our conflist
  std::string registries = {};    // the folder of hosts.toml files, as docs/hosts.md of containerd
  std::vector<OciRuntime> runtimes = {};  // the first is the default
  bool systemd_cgroups = false;
  // Whether we may protect processes from running out of memory; not inside of most containers.
  bool may_lower_oom_score = true;
};

// The text of its config.toml, in the oldest form that is of use to us: every containerd since 1.3
// takes it, and brings it to its own form at every start.
std::string containerd_config(const ContainerdSetup& setup);

}  // namespace proa::kubelet

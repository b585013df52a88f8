#pragma once

#include <string>

#include "base/result.h"
#include "lab/plan/paths.h"

namespace proa::lab {

// The folder in every machine that has its `proa`, and the socket where services report.
inline constexpr const char* kMachineFolder = "/run/lab";

struct RootSetup {
  MachinePaths paths = {};
  std::string host_name = {};
  std::string hosts = {};       // the text of /etc/hosts
  std::string machine_id = {};  // 32 digits
  std::string boot_id = {};     // a UUID
};

// Turns the mounts of this namespace into those of a machine. Programs are the host's; its own are
// /run, /tmp, /var/lib, /var/log, /dev/shm, /proc, /sys with its links and cgroups, and changes
// to /etc. REQUIRES: we are the first process of new mount, PID, network, UTS and cgroup
// namespaces, and the folders exist. The host sees nothing of it.
Result<void> build_root(const RootSetup& setup);

}  // namespace proa::lab

#pragma once

#include <string>

namespace proa::lab {

// The files of a lab. All its state is in one folder; what it has in the kernel besides (cgroups)
// is named after it.
struct LabPaths {
  std::string folder = {};
  std::string wish = {};
  std::string token = {};       // with which nodes join
  std::string kubeconfig = {};  // of the administrator, for programs on the host
  std::string door = {};        // the port of the host that leads to the API
  std::string faults = {};
  std::string machines = {};  // a folder each
  std::string cgroup = {};    // in every hierarchy

  std::string machine(const std::string& name) const { return machines + "/" + name; }
};

inline constexpr const char* kAllLabs = "/var/lib/proa-lab";

// `all`: the folder of all labs. REQUIRES: it is absolute; `name` is checked.
LabPaths lab_paths(const std::string& all, const std::string& name);

inline constexpr const char* kDefaultLab = "lab";

// The flags that choose this lab, for command lines that are shown to users: " --name x --lab-dir
// /y", or nothing for the default.
std::string lab_choice(const std::string& all, const std::string& name);

// The files of a machine, in its folder on the host.
struct MachinePaths {
  std::string process = {};  // its first process: id and start time
  std::string report = {};   // of its start: "ready", or what failed
  std::string log = {};      // of its first process and its service
  std::string service = {};  // what its service does: see Service
  // Mounted in the machine.
  std::string lib = {};  // /var/lib
  std::string tmp = {};  // /tmp
  std::string var_log = {};
  std::string etc = {};       // what differs from the host's /etc
  std::string etc_work = {};  // overlayfs needs it
};

MachinePaths machine_paths(const std::string& folder);

}  // namespace proa::lab

#include "lab/plan/paths.h"

#include <fmt/format.h>

namespace proa::lab {
namespace paths {

// FNV-1a.
uint32_t hash(std::string_view text) {
  uint32_t state = 2166136261u;
  for (const char c : text) state = (state ^ static_cast<unsigned char>(c)) * 16777619u;
  return state;
}

}  // namespace paths

LabPaths lab_paths(const std::string& all, const std::string& name) {
  LabPaths made;
  made.folder = all + "/" + name;
  made.wish = made.folder + "/lab.json";
  made.token = made.folder + "/join-token";
  made.kubeconfig = made.folder + "/kubeconfig";
  made.door = made.folder + "/door";
  made.faults = made.folder + "/faults";
  made.machines = made.folder + "/machines";
  made.cgroup = "proa-lab-" + name;
  // Labs of the same name in different folders have different cgroups.
  if (all != kAllLabs) made.cgroup += fmt::format("-{:08x}", paths::hash(all));
  return made;
}

MachinePaths machine_paths(const std::string& folder) {
  return {.process = folder + "/process",
          .report = folder + "/report",
          .log = folder + "/log/proa.log",
          .lib = folder + "/lib",
          .tmp = folder + "/tmp",
          .var_log = folder + "/log",
          .etc = folder + "/etc",
          .etc_work = folder + "/etc-work"};
}

}  // namespace proa::lab

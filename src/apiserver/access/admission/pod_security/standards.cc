#include "apiserver/access/admission/pod_security/standards.h"

#include <algorithm>
#include <span>

#include "apiserver/access/admission/pod_security/host_checks.h"
#include "apiserver/access/admission/pod_security/privilege_checks.h"
#include "apiserver/access/admission/pod_security/profile_checks.h"

namespace proa::apiserver::pod_security {
namespace standards {

struct Edition {
  int64_t since;  // 1.x
  Check run;
};

struct Entry {
  std::string_view name;
  std::vector<Edition> editions;  // oldest first
  // The baseline check that this one supersedes at the same version.
  std::string_view replaces = {};
};

// To add a check: a function, and a line, sorted by name.
const std::vector<Entry>& baseline() {
  static const std::vector<Entry> kEntries{
      {"appArmorProfile", {{0, check_app_armor}}},
      {"capabilities_baseline", {{0, check_added_capabilities}}},
      {"hostNamespaces", {{0, check_host_namespaces}}},
      {"hostPathVolumes", {{0, check_host_path_volumes}}},
      {"hostPorts", {{0, check_host_ports}}},
      {"hostProbesAndHostLifecycle", {{34, check_probe_hosts}}},
      {"privileged", {{0, check_privileged}}},
      {"procMount", {{0, check_proc_mount}, {35, check_proc_mount_1_35}}},
      {"seLinuxOptions", {{0, check_selinux_1_0}, {31, check_selinux_1_31}}},
      {"seccompProfile_baseline", {{0, check_seccomp_annotations}, {19, check_seccomp}}},
      {"sysctls",
       {{0, check_sysctls_1_0},
        {27, check_sysctls_1_27},
        {29, check_sysctls_1_29},
        {32, check_sysctls_1_32}}},
      {"windowsHostProcess", {{0, check_windows_host_process}}},
  };
  return kEntries;
}

const std::vector<Entry>& restricted() {
  static const std::vector<Entry> kEntries{
      {"allowPrivilegeEscalation",
       {{8, check_privilege_escalation_1_8}, {25, check_privilege_escalation_1_25}}},
      {"capabilities_restricted",
       {{22, check_dropped_capabilities_1_22}, {25, check_dropped_capabilities_1_25}},
       "capabilities_baseline"},
      {"procMount_restricted", {{35, check_proc_mount}}, "procMount"},
      {"restrictedVolumes", {{0, check_restricted_volumes}}, "hostPathVolumes"},
      {"runAsNonRoot", {{0, check_run_as_non_root_1_0}, {35, check_run_as_non_root_1_35}}},
      {"runAsUser", {{23, check_run_as_user_1_23}, {35, check_run_as_user_1_35}}},
      {"seccompProfile_restricted",
       {{19, check_seccomp_required_1_19}, {25, check_seccomp_required_1_25}},
       "seccompProfile_baseline"},
  };
  return kEntries;
}

// The newest edition up to this version; null: none.
Check edition_of(const Entry& entry, const Version& version) {
  Check newest = nullptr;
  for (const Edition& edition : entry.editions) {
    if (version.latest || edition.since <= version.minor) newest = edition.run;
  }
  return newest;
}

bool is_replaced(std::string_view name, const Version& version) {
  return std::any_of(restricted().begin(), restricted().end(), [&](const Entry& entry) {
    return entry.replaces == name && edition_of(entry, version) != nullptr;
  });
}

void run(const Entry& entry, const PodShape& pod, const Version& version,
         std::vector<Violation>& violations) {
  const Check check = edition_of(entry, version);
  if (check == nullptr) return;
  if (auto violation = check(pod)) violations.push_back(*std::move(violation));
}

}  // namespace standards

std::vector<Violation> find_violations(const PodShape& pod, const Standard& standard) {
  std::vector<Violation> violations;
  if (standard.level == Level::kPrivileged) return violations;
  const bool restricted = standard.level == Level::kRestricted;
  for (const standards::Entry& entry : standards::baseline()) {
    if (restricted && standards::is_replaced(entry.name, standard.version)) continue;
    standards::run(entry, pod, standard.version, violations);
  }
  if (!restricted) return violations;
  for (const standards::Entry& entry : standards::restricted()) {
    standards::run(entry, pod, standard.version, violations);
  }
  return violations;
}

}  // namespace proa::apiserver::pod_security

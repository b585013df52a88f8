#include "kinds/core/pods/spec/security.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "base/strings.h"
#include "kinds/core/pods/spec/windows.h"

namespace proa::kinds::pods {

namespace security {

constexpr size_t kMaxSysctl = 253;
// PATH_MAX without the terminating zero.
constexpr size_t kMaxProfile = 4095;
constexpr std::string_view kSysctlPattern =
    "^([a-z0-9]([-_a-z0-9]*[a-z0-9])?[\\./])*[a-z0-9]([-_a-z0-9]*[a-z0-9])?$";

bool is_lower_alphanumeric(char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9'); }

bool is_sysctl_segment(std::string_view segment) {
  if (segment.empty() || !is_lower_alphanumeric(segment.front()) ||
      !is_lower_alphanumeric(segment.back())) {
    return false;
  }
  return std::all_of(segment.begin(), segment.end(),
                     [](char c) { return is_lower_alphanumeric(c) || c == '-' || c == '_'; });
}

// Segments between dots or slashes.
bool is_sysctl(std::string_view name) {
  if (name.size() > kMaxSysctl) return false;
  std::string dotted(name);
  std::replace(dotted.begin(), dotted.end(), '/', '.');
  const auto segments = split(dotted, '.');
  return std::all_of(segments.begin(), segments.end(), is_sysctl_segment);
}

// If the first separator is a slash, dots are part of the names: "net/ipv4/conf/eth0.1/arp".
std::string with_dots(std::string_view name) {
  std::string dotted(name);
  const size_t first = dotted.find_first_of("./");
  if (first == std::string::npos || dotted[first] == '.') return dotted;
  for (char& c : dotted) c = c == '/' ? '.' : c == '.' ? '/' : c;
  return dotted;
}

bool belongs_to_ipc(std::string_view name) {
  return name.starts_with("fs.mqueue.") ||
         contains({"kernel.sem", "kernel.shmall", "kernel.shmmax", "kernel.shmmni",
                   "kernel.shm_rmid_forced", "kernel.shm", "kernel.msgmax", "kernel.msgmnb",
                   "kernel.msgmni", "kernel.msg"},
                  name);
}

void check_sysctls(View spec, const Path& path, FieldErrors& errors) {
  std::set<std::string_view> names;
  each(spec["securityContext"]["sysctls"], path, [&](View sysctl, const Path& at) {
    const std::string_view name = sysctl["name"].text();
    const Path name_path = at.field("name");
    if (name.empty()) {
      errors.required(name_path);
    } else if (!is_sysctl(name)) {
      errors.invalid(name_path, name,
                     fmt::format("must have at most {} characters and match regex {}", kMaxSysctl,
                                 kSysctlPattern));
    } else if (names.contains(name)) {
      errors.duplicate(name_path, name);
    }
    const std::string dotted = with_dots(name);
    const std::string_view base = std::string_view(dotted).substr(0, dotted.find('*'));
    if (spec["hostNetwork"].flag() && base.starts_with("net.")) {
      errors.invalid(name_path, name, "may not be specified when 'hostNetwork' is true");
    } else if (spec["hostIPC"].flag() && belongs_to_ipc(base)) {
      errors.invalid(name_path, name, "may not be specified when 'hostIPC' is true");
    }
    names.insert(name);
  });
}

void check_seccomp(View profile, const Path& path, FieldErrors& errors) {
  if (!profile.exists()) return;
  const std::string_view type = profile["type"].text();
  const View local = profile["localhostProfile"];
  const Path local_path = path.field("localhostProfile");
  if (type.empty()) {
    errors.required(path.field("type"), "type is required when seccompProfile is set");
  } else {
    check_one_of(profile["type"], {"Localhost", "RuntimeDefault", "Unconfined"}, path.field("type"),
                 errors);
  }
  if (type != "Localhost") {
    if (local.exists())
      errors.invalid(local_path, profile, "can only be set when seccomp type is Localhost");
  } else if (!local.exists()) {
    errors.required(local_path, "must be set when seccomp type is Localhost");
  } else {
    check_descending(local, local_path, errors);
  }
}

void check_local_app_armor(View local, const Path& path, FieldErrors& errors) {
  constexpr std::string_view kMissing = "must be set when AppArmor type is Localhost";
  if (!local.exists()) return errors.required(path, kMissing);
  if (trim(local.text()) != local.text()) {
    errors.invalid(path, local.text(), "must not be padded with whitespace");
  } else if (local.text().empty()) {
    errors.required(path, kMissing);
  }
  if (local.text().size() > kMaxProfile) errors.too_long(path, kMaxProfile);
}

void check_ids(View context, std::initializer_list<std::string_view> names, const Path& path,
               FieldErrors& errors) {
  for (const std::string_view name : names)
    if (context[name].exists()) check_id(context[name], path.field(name), errors);
}

}  // namespace security

void validate_app_armor_profile(View profile, const Path& path, FieldErrors& errors) {
  if (!profile.exists()) return;
  const std::string_view type = profile["type"].text();
  const View local = profile["localhostProfile"];
  if (type == "Localhost") {
    security::check_local_app_armor(local, path.field("localhostProfile"), errors);
  } else if (type == "RuntimeDefault" || type == "Unconfined") {
    if (local.exists()) {
      errors.invalid(path.field("localhostProfile"), local,
                     "can only be set when AppArmor type is Localhost");
    }
  } else if (type.empty()) {
    errors.required(path.field("type"), "type is required when appArmorProfile is set");
  } else {
    errors.not_supported(path.field("type"), type, {"Localhost", "RuntimeDefault", "Unconfined"});
  }
}

void validate_pod_security(View spec, const Path& path, FieldErrors& errors) {
  const View context = spec["securityContext"];
  if (!context.exists()) return;
  security::check_ids(context, {"fsGroup", "runAsUser", "runAsGroup"}, path, errors);
  each(context["supplementalGroups"], path.field("supplementalGroups"),
       [&](View group, const Path& at) { check_id(group, at, errors); });
  if (spec["shareProcessNamespace"].flag() && spec["hostPID"].flag()) {
    errors.invalid(path.field("shareProcessNamespace"), spec["shareProcessNamespace"],
                   "ShareProcessNamespace and HostPID cannot both be enabled");
  }
  security::check_sysctls(spec, path.field("sysctls"), errors);
  check_one_of(context["fsGroupChangePolicy"], {"Always", "OnRootMismatch"},
               path.field("fsGroupChangePolicy"), errors);
  security::check_seccomp(context["seccompProfile"], path.field("seccompProfile"), errors);
  validate_windows_options(context["windowsOptions"], path.field("windowsOptions"), errors);
  validate_app_armor_profile(context["appArmorProfile"], path.field("appArmorProfile"), errors);
  check_one_of(context["supplementalGroupsPolicy"], {"Merge", "Strict"},
               path.field("supplementalGroupsPolicy"), errors);
  // MountOption needs gate SELinuxMount (off).
  check_one_of(context["seLinuxChangePolicy"], {"Recursive"}, path.field("seLinuxChangePolicy"),
               errors);
}

void validate_container_security(View context, bool host_users, const Path& path,
                                 FieldErrors& errors) {
  if (!context.exists()) return;
  security::check_ids(context, {"runAsUser", "runAsGroup"}, path, errors);
  const Path proc_mount = path.field("procMount");
  check_one_of(context["procMount"], {"Default", "Unmasked"}, proc_mount, errors);
  if (host_users && context["procMount"].text() == "Unmasked")
    errors.invalid(proc_mount, "Unmasked", "`hostUsers` must be false to use `Unmasked`");
  security::check_seccomp(context["seccompProfile"], path.field("seccompProfile"), errors);
  if (!context["allowPrivilegeEscalation"].flag(true)) {
    if (context["privileged"].flag()) {
      errors.invalid(path, context,
                     "cannot set `allowPrivilegeEscalation` to false and `privileged` to true");
    }
    for (const View capability : context["capabilities"]["add"].items()) {
      if (capability.text() != "CAP_SYS_ADMIN") continue;
      errors.invalid(
          path, context,
          "cannot set `allowPrivilegeEscalation` to false and `capabilities.Add` CAP_SYS_ADMIN");
    }
  }
  validate_windows_options(context["windowsOptions"], path.field("windowsOptions"), errors);
  validate_app_armor_profile(context["appArmorProfile"], path.field("appArmorProfile"), errors);
}

void validate_host_users(View spec, const Path& path, FieldErrors& errors) {
  if (spec["hostUsers"].flag(true)) return;
  constexpr std::string_view kRefusal = "when `hostUsers` is false";
  if (spec["hostNetwork"].flag()) errors.forbidden(path.field("hostNetwork"), kRefusal);
  // These two names are spelled as upstream's messages spell them.
  if (spec["hostPID"].flag()) errors.forbidden(path.field("HostPID"), kRefusal);
  if (spec["hostIPC"].flag()) errors.forbidden(path.field("HostIPC"), kRefusal);
  for (const std::string_view list : {"initContainers", "containers", "ephemeralContainers"}) {
    each(spec[list], path.field(list), [&](View container, const Path& at) {
      if (!container["volumeDevices"].empty())
        errors.forbidden(at.field("volumeDevices"), kRefusal);
    });
  }
}

}  // namespace proa::kinds::pods

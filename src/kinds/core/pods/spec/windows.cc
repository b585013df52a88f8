#include "kinds/core/pods/spec/windows.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/strings.h"

namespace proa::kinds::pods {

namespace windows {

constexpr size_t kMaxCredentialKib = 64;
constexpr size_t kMaxDomain = 256;
constexpr size_t kMaxUser = 104;

bool has_any(std::string_view text, std::string_view characters) {
  return text.find_first_of(characters) != std::string_view::npos;
}

bool is_alphanumeric(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
}

bool is_net_bios_name(std::string_view domain) {
  return !domain.empty() && domain.size() <= 15 && domain.front() != '.' &&
         !has_any(domain, "\\/:*?\"<>|");
}

bool is_dns_name(std::string_view domain) {
  const auto labels = split(domain, '.');
  return std::all_of(labels.begin(), labels.end(), [](std::string_view label) {
    return !label.empty() && label.size() <= 63 && is_alphanumeric(label.front()) &&
           is_alphanumeric(label.back()) && std::all_of(label.begin(), label.end(), [](char c) {
             return is_alphanumeric(c) || c == '-';
           });
  });
}

void check_user(std::string_view name, const Path& path, FieldErrors& errors) {
  const auto refuse = [&](std::string_view why) { errors.invalid(path, name, why); };
  if (name.empty()) return refuse("runAsUserName cannot be an empty string");
  if (std::any_of(name.begin(), name.end(),
                  [](unsigned char c) { return c < 0x20 || c == 0x7f; })) {
    return refuse("runAsUserName cannot contain control characters");
  }
  const auto parts = split(name, '\\');
  if (parts.size() > 2) return refuse("runAsUserName cannot contain more than one backslash");
  const bool has_domain = parts.size() == 2;
  const std::string_view domain = has_domain ? parts.front() : std::string_view();
  const std::string_view user = parts.back();
  if (domain.size() >= kMaxDomain) {
    refuse(fmt::format("runAsUserName's Domain length must be under {} characters", kMaxDomain));
  }
  if (has_domain && !is_net_bios_name(domain) && !is_dns_name(domain))
    refuse("runAsUserName's Domain doesn't match the NetBios nor the DNS format");
  if (user.empty()) {
    refuse("runAsUserName's User cannot be empty");
  } else if (user.size() > kMaxUser) {
    refuse(
        fmt::format("runAsUserName's User length must not be longer than {} characters", kMaxUser));
  }
  if (!user.empty() && user.find_first_not_of(". ") == std::string_view::npos)
    refuse("runAsUserName's User cannot contain only periods or spaces");
  if (has_any(user, "\"/\\:;|=,+*?<>@[]")) {
    refuse("runAsUserName's User cannot contain the following characters: \"/\\:;|=,+*?<>@[]");
  }
}

void forbid(View object, std::initializer_list<std::string_view> names, const Path& path,
            FieldErrors& errors) {
  for (const std::string_view name : names) {
    const View value = object[name];
    const bool is_set = value.is(json::Kind::kArray) ? !value.empty() : value.exists();
    if (is_set) errors.forbidden(path.field(name), "cannot be set for a windows pod");
  }
}

template <typename Check>
void each_container(View spec, const Path& path, Check check) {
  for (const std::string_view list : {"initContainers", "containers", "ephemeralContainers"})
    each(spec[list], path.field(list), check);
}

void check_windows(View spec, const Path& path, FieldErrors& errors) {
  forbid(spec["securityContext"],
         {"appArmorProfile", "seLinuxOptions", "seccompProfile", "fsGroup", "fsGroupChangePolicy",
          "sysctls", "runAsUser", "runAsGroup", "supplementalGroups", "supplementalGroupsPolicy",
          "seLinuxChangePolicy"},
         path.field("securityContext"), errors);
  forbid(spec, {"hostUsers", "shareProcessNamespace"}, path, errors);
  for (const std::string_view name : {"hostPID", "hostIPC"})
    if (spec[name].flag()) errors.forbidden(path.field(name), "cannot be set for a windows pod");
  each_container(spec, path, [&](View container, const Path& at) {
    forbid(container["securityContext"],
           {"appArmorProfile", "seLinuxOptions", "seccompProfile", "capabilities",
            "readOnlyRootFilesystem", "privileged", "allowPrivilegeEscalation", "procMount",
            "runAsUser", "runAsGroup"},
           at.field("securityContext"), errors);
  });
}

void check_linux(View spec, const Path& path, FieldErrors& errors) {
  constexpr std::string_view kRefusal = "windows options cannot be set for a linux pod";
  const auto check = [&](View owner, const Path& at) {
    if (owner["securityContext"]["windowsOptions"].exists())
      errors.forbidden(at.field("securityContext.windowsOptions"), kRefusal);
  };
  check(spec, path);
  each_container(spec, path, check);
}

}  // namespace windows

void validate_windows_options(View options, const Path& path, FieldErrors& errors) {
  if (const View name = options["gmsaCredentialSpecName"]; name.exists())
    check_text(name, api::check_dns1123_subdomain, path.field("gmsaCredentialSpecName"), errors);
  if (const View credential = options["gmsaCredentialSpec"]; credential.exists()) {
    const Path at = path.field("gmsaCredentialSpec");
    if (credential.text().empty()) {
      errors.invalid(at, credential, "gmsaCredentialSpec cannot be an empty string");
    } else if (credential.text().size() > windows::kMaxCredentialKib * 1024) {
      errors.invalid(
          at, credential,
          fmt::format("gmsaCredentialSpec size must be under {} KiB", windows::kMaxCredentialKib));
    }
  }
  if (const View user = options["runAsUserName"]; user.exists())
    windows::check_user(user.text(), path.field("runAsUserName"), errors);
}

void validate_operating_system(View spec, const Path& path, FieldErrors& errors) {
  if (!spec["os"].exists()) return;
  const std::string_view name = spec["os"]["name"].text();
  if (name.empty()) {
    errors.required(path.field("os.name"));
  } else if (name == "linux") {
    windows::check_linux(spec, path, errors);
  } else if (name == "windows") {
    windows::check_windows(spec, path, errors);
  } else {
    errors.not_supported(path.field("os"), name, {"linux", "windows"});
  }
}

void validate_host_processes(View spec, const Path& path, FieldErrors& errors) {
  const auto host_process = [](View owner) {
    return owner["securityContext"]["windowsOptions"]["hostProcess"];
  };
  const View pod = host_process(spec);
  size_t containers = 0;
  size_t host_processes = 0;
  windows::each_container(spec, path, [&](View container, const Path& at) {
    ++containers;
    const View own = host_process(container);
    if (pod.exists() && own.exists() && pod.flag() != own.flag()) {
      errors.invalid(
          at.field("securityContext.windowsOptions.hostProcess"), own,
          fmt::format("pod hostProcess value must be identical if both are specified, was {}",
                      pod.flag()));
    }
    if (own.flag(pod.flag())) ++host_processes;
  });
  if (host_processes == 0) return;
  if (host_processes != containers) {
    errors.invalid(path, "",
                   "If pod contains any hostProcess containers then all containers must be "
                   "HostProcess containers");
  }
  if (!spec["hostNetwork"].flag()) {
    errors.invalid(path.field("hostNetwork"), json::Value::boolean(false),
                   "hostNetwork must be true if pod contains any hostProcess containers");
  }
}

}  // namespace proa::kinds::pods

#include "apiserver/access/admission/pod_security/privilege_checks.h"

#include <algorithm>
#include <array>

#include "base/strings.h"

namespace proa::apiserver::pod_security {
namespace privilege_checks {

using api::View;

// The default capabilities of container runtimes, without NET_RAW.
constexpr std::array<std::string_view, 13> kDefaultCapabilities{
    "AUDIT_WRITE",      "CHOWN",   "DAC_OVERRIDE", "FOWNER",  "FSETID", "KILL",      "MKNOD",
    "NET_BIND_SERVICE", "SETFCAP", "SETGID",       "SETPCAP", "SETUID", "SYS_CHROOT"};

bool is_default_capability(std::string_view name) {
  return std::find(kDefaultCapabilities.begin(), kDefaultCapabilities.end(), name) !=
         kDefaultCapabilities.end();
}

// Containers with forbidden capabilities, and those capabilities.
struct Added {
  Names containers;
  std::set<std::string> capabilities;

  std::string text() const {
    return containers_text(containers) + " must not include " + quoted_list(capabilities) +
           " in securityContext.capabilities.add";
  }
};

template <typename IsAllowed>
Added find_added(const PodShape& pod, IsAllowed is_allowed) {
  Added added;
  for (const View container : pod.containers()) {
    bool bad = false;
    for (const View capability : container["securityContext"]["capabilities"]["add"].items()) {
      if (is_allowed(capability.text())) continue;
      bad = true;
      added.capabilities.emplace(capability.text());
    }
    if (bad) added.containers.push_back(name_of(container));
  }
  return added;
}

bool drops_all(View container) {
  const auto dropped = container["securityContext"]["capabilities"]["drop"].items();
  return std::any_of(dropped.begin(), dropped.end(),
                     [](View capability) { return capability.text() == "ALL"; });
}

}  // namespace privilege_checks

std::optional<Violation> check_privileged(const PodShape& pod) {
  Names containers;
  for (const api::View container : pod.containers()) {
    if (container["securityContext"]["privileged"].flag()) containers.push_back(name_of(container));
  }
  if (containers.empty()) return std::nullopt;
  return Violation{"privileged",
                   containers_text(containers) + " must not set securityContext.privileged=true"};
}

std::optional<Violation> check_added_capabilities(const PodShape& pod) {
  const privilege_checks::Added added =
      privilege_checks::find_added(pod, privilege_checks::is_default_capability);
  if (added.containers.empty()) return std::nullopt;
  return Violation{"non-default capabilities", added.text()};
}

std::optional<Violation> check_privilege_escalation_1_8(const PodShape& pod) {
  Names containers;
  for (const api::View container : pod.containers()) {
    if (container["securityContext"]["allowPrivilegeEscalation"].flag(true)) {
      containers.push_back(name_of(container));
    }
  }
  if (containers.empty()) return std::nullopt;
  return Violation{
      "allowPrivilegeEscalation != false",
      containers_text(containers) + " must set securityContext.allowPrivilegeEscalation=false"};
}

std::optional<Violation> check_privilege_escalation_1_25(const PodShape& pod) {
  return pod.is_windows() ? std::nullopt : check_privilege_escalation_1_8(pod);
}

std::optional<Violation> check_dropped_capabilities_1_22(const PodShape& pod) {
  Names keeping;
  for (const api::View container : pod.containers()) {
    if (!privilege_checks::drops_all(container)) keeping.push_back(name_of(container));
  }
  const privilege_checks::Added added = privilege_checks::find_added(
      pod, [](std::string_view name) { return name == "NET_BIND_SERVICE"; });
  Names details;
  if (!keeping.empty()) {
    details.push_back(containers_text(keeping) +
                      R"( must set securityContext.capabilities.drop=["ALL"])");
  }
  if (!added.containers.empty()) details.push_back(added.text());
  if (details.empty()) return std::nullopt;
  return Violation{"unrestricted capabilities", join(details, "; ")};
}

std::optional<Violation> check_dropped_capabilities_1_25(const PodShape& pod) {
  return pod.is_windows() ? std::nullopt : check_dropped_capabilities_1_22(pod);
}

std::optional<Violation> check_run_as_non_root_1_0(const PodShape& pod) {
  constexpr const char* kReason = "runAsNonRoot != true";
  const Setters setters =
      find_setters(pod, [](api::View context) { return !context["runAsNonRoot"].flag(true); });
  if (!setters.empty()) {
    return Violation{kReason, setters.text() + " must not set securityContext.runAsNonRoot=false"};
  }
  if (pod.security_context()["runAsNonRoot"].flag()) return std::nullopt;
  Names silent;
  for (const api::View container : pod.containers()) {
    if (!container["securityContext"]["runAsNonRoot"]) silent.push_back(name_of(container));
  }
  if (silent.empty()) return std::nullopt;
  return Violation{
      kReason, "pod or " + containers_text(silent) + " must set securityContext.runAsNonRoot=true"};
}

std::optional<Violation> check_run_as_non_root_1_35(const PodShape& pod) {
  return pod.has_user_namespace() ? std::nullopt : check_run_as_non_root_1_0(pod);
}

std::optional<Violation> check_run_as_user_1_23(const PodShape& pod) {
  const Setters setters =
      find_setters(pod, [](api::View context) { return context["runAsUser"].integer(1) == 0; });
  if (setters.empty()) return std::nullopt;
  return Violation{"runAsUser=0", setters.text() + " must not set runAsUser=0"};
}

std::optional<Violation> check_run_as_user_1_35(const PodShape& pod) {
  return pod.has_user_namespace() ? std::nullopt : check_run_as_user_1_23(pod);
}

}  // namespace proa::apiserver::pod_security

#include "apiserver/access/admission/pod_security/profile_checks.h"

#include <algorithm>

#include "api/validation/go_text.h"
#include "base/strings.h"

namespace proa::apiserver::pod_security {
namespace profile_checks {

using api::View;

constexpr std::string_view kAppArmorPrefix = "container.apparmor.security.beta.kubernetes.io/";
constexpr std::string_view kSeccompPod = "seccomp.security.alpha.kubernetes.io/pod";
constexpr std::string_view kSeccompPrefix = "container.seccomp.security.alpha.kubernetes.io/";

// The runtime's default profile, or one installed by the node's administrator.
bool is_confined(View profile) {
  const std::string_view type = profile["type"].text();
  return type == "RuntimeDefault" || type == "Localhost";
}

// The pod and containers that set another profile in `field`, and the profiles' types.
Setters find_unconfined(const PodShape& pod, const char* field, std::set<std::string>& types) {
  return find_setters(pod, [&](View context) {
    if (!context[field] || is_confined(context[field])) return false;
    types.emplace(context[field]["type"].text());
    return true;
  });
}

std::string annotation_text(std::string_view key, std::string_view value) {
  return std::string(key) + "=" + api::quoted(value);
}

bool is_app_armor_annotation_fine(std::string_view value) {
  return value.empty() || value == "runtime/default" || value.starts_with("localhost/");
}

std::set<std::string> bad_app_armor_annotations(const PodShape& pod) {
  std::set<std::string> bad;
  for (const json::Member& member : pod.metadata["annotations"].members()) {
    const std::string_view value = View(member.value).text();
    if (!member.key.starts_with(kAppArmorPrefix) || is_app_armor_annotation_fine(value)) continue;
    bad.insert(annotation_text(member.key, value));
  }
  return bad;
}

void check_seccomp_annotation(const PodShape& pod, const std::string& key,
                              std::set<std::string>& forbidden) {
  const View annotation = pod.metadata["annotations"][key];
  if (!annotation) return;
  const std::string_view value = annotation.text();
  if (value == "runtime/default" || value == "docker/default" || value.starts_with("localhost/")) {
    return;
  }
  forbidden.insert(annotation_text(key, value));
}

std::optional<Violation> check_selinux(const PodShape& pod,
                                       std::initializer_list<std::string_view> allowed) {
  std::set<std::string> types;
  bool sets_user = false;
  bool sets_role = false;
  const Setters setters = find_setters(pod, [&](View context) {
    const View options = context["seLinuxOptions"];
    const std::string_view type = options["type"].text();
    const bool bad_type =
        !type.empty() && std::find(allowed.begin(), allowed.end(), type) == allowed.end();
    if (bad_type) types.emplace(type);
    const bool has_user = !options["user"].text().empty();
    const bool has_role = !options["role"].text().empty();
    sets_user |= has_user;
    sets_role |= has_role;
    return bad_type || has_user || has_role;
  });
  if (setters.empty()) return std::nullopt;
  Names wrong;
  if (!types.empty()) {
    wrong.push_back(std::string(plural(types.size(), "type", "types")) + " " + quoted_list(types));
  }
  if (sets_user) wrong.emplace_back("user may not be set");
  if (sets_role) wrong.emplace_back("role may not be set");
  return Violation{
      "seLinuxOptions",
      setters.text() + " set forbidden securityContext.seLinuxOptions: " + join(wrong, "; ")};
}

}  // namespace profile_checks

std::optional<Violation> check_app_armor(const PodShape& pod) {
  std::set<std::string> types;
  const Setters setters = profile_checks::find_unconfined(pod, "appArmorProfile", types);
  const std::set<std::string> annotations = profile_checks::bad_app_armor_annotations(pod);
  if (setters.empty() && annotations.empty()) return std::nullopt;
  Names who;
  if (!setters.empty()) who.push_back(setters.text());
  if (!annotations.empty()) {
    who.emplace_back(plural(annotations.size(), "annotation", "annotations"));
  }
  Names values(types.begin(), types.end());
  values.insert(values.end(), annotations.begin(), annotations.end());
  return Violation{
      std::string(
          plural(values.size(), "forbidden AppArmor profile", "forbidden AppArmor profiles")),
      join(who, " and ") + " must not set AppArmor profile type to " + quoted_list(values)};
}

std::optional<Violation> check_seccomp_annotations(const PodShape& pod) {
  std::set<std::string> forbidden;
  profile_checks::check_seccomp_annotation(pod, std::string(profile_checks::kSeccompPod),
                                           forbidden);
  for (const api::View container : pod.containers()) {
    profile_checks::check_seccomp_annotation(
        pod, std::string(profile_checks::kSeccompPrefix) + name_of(container), forbidden);
  }
  if (forbidden.empty()) return std::nullopt;
  return Violation{"seccompProfile",
                   "forbidden " +
                       std::string(plural(forbidden.size(), "annotation", "annotations")) + " " +
                       joined(forbidden, ", ")};
}

std::optional<Violation> check_seccomp(const PodShape& pod) {
  std::set<std::string> types;
  const Setters setters = profile_checks::find_unconfined(pod, "seccompProfile", types);
  if (setters.empty()) return std::nullopt;
  return Violation{"seccompProfile", setters.text() +
                                         " must not set securityContext.seccompProfile.type to " +
                                         quoted_list(types)};
}

std::optional<Violation> check_seccomp_required_1_19(const PodShape& pod) {
  if (auto violation = check_seccomp(pod)) return violation;
  if (pod.security_context()["seccompProfile"]) return std::nullopt;
  Names without;
  for (const api::View container : pod.containers()) {
    if (!container["securityContext"]["seccompProfile"]) without.push_back(name_of(container));
  }
  if (without.empty()) return std::nullopt;
  return Violation{
      "seccompProfile",
      "pod or " + containers_text(without) +
          R"( must set securityContext.seccompProfile.type to "RuntimeDefault" or "Localhost")"};
}

std::optional<Violation> check_seccomp_required_1_25(const PodShape& pod) {
  return pod.is_windows() ? std::nullopt : check_seccomp_required_1_19(pod);
}

std::optional<Violation> check_selinux_1_0(const PodShape& pod) {
  return profile_checks::check_selinux(pod, {"container_t", "container_init_t", "container_kvm_t"});
}

std::optional<Violation> check_selinux_1_31(const PodShape& pod) {
  return profile_checks::check_selinux(
      pod, {"container_t", "container_init_t", "container_kvm_t", "container_engine_t"});
}

std::optional<Violation> check_proc_mount(const PodShape& pod) {
  Names containers;
  std::set<std::string> types;
  for (const api::View container : pod.containers()) {
    const api::View type = container["securityContext"]["procMount"];
    if (!type || type.text() == "Default") continue;
    containers.push_back(name_of(container));
    types.emplace(type.text());
  }
  if (containers.empty()) return std::nullopt;
  return Violation{"procMount", containers_text(containers) +
                                    " must not set securityContext.procMount to " +
                                    quoted_list(types)};
}

std::optional<Violation> check_proc_mount_1_35(const PodShape& pod) {
  return pod.has_user_namespace() ? std::nullopt : check_proc_mount(pod);
}

}  // namespace proa::apiserver::pod_security

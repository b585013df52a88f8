#include "kinds/core/pods/spec/annotations.h"

#include <fmt/format.h>

#include <limits>
#include <optional>
#include <set>

#include "api/validation/go_text.h"
#include "base/strings.h"
#include "json/parse.h"
#include "kinds/core/pods/spec/scheduling.h"

namespace proa::kinds::pods {

namespace annotations {

constexpr std::string_view kDeletionCost = "controller.kubernetes.io/pod-deletion-cost";
constexpr std::string_view kTolerations = "scheduler.alpha.kubernetes.io/tolerations";
constexpr std::string_view kLocalPrefix = "localhost/";

bool is_deletion_cost(std::string_view text) {
  if (text.empty() || (text.front() == '0' && text != "0")) return false;
  const auto number = parse_int(text);
  return number && *number >= std::numeric_limits<int32_t>::min() &&
         *number <= std::numeric_limits<int32_t>::max();
}

void check_seccomp(std::string_view profile, const Path& path, FieldErrors& errors) {
  if (contains({"runtime/default", "docker/default", "unconfined"}, profile)) return;
  if (!profile.starts_with(kLocalPrefix))
    return errors.invalid(path, profile, "must be a valid seccomp profile");
  check_descending(json::Value::borrowed(profile.substr(kLocalPrefix.size())), path, errors);
}

std::set<std::string_view> container_names(View spec) {
  std::set<std::string_view> names;
  for (const std::string_view list : {"initContainers", "containers", "ephemeralContainers"})
    for (const View container : spec[list].items()) names.insert(container["name"].text());
  return names;
}

void check_app_armor(std::string_view profile, const Path& path, FieldErrors& errors) {
  if (profile.empty() || contains({"runtime/default", "unconfined"}, profile)) return;
  if (!profile.starts_with(kLocalPrefix)) {
    errors.invalid(path, profile,
                   fmt::format("invalid AppArmor profile name: {}", api::quoted(profile)));
  }
}

void check_tolerations(std::string_view text, const Path& path, FieldErrors& errors) {
  // All annotations together may have no more.
  constexpr size_t kMaxBytes = size_t{256} << 10;
  const auto parsed = json::parse(text, {.max_size = kMaxBytes});
  if (!parsed.ok()) return errors.invalid(path, kTolerations, parsed.status().message());
  validate_tolerations(parsed->root(), path.field(kTolerations), errors);
}

// Reports a mismatch of annotation and field, with the names that messages use.
void compare(std::string_view annotation, View profile, std::string_view name, const Path& path,
             FieldErrors& errors) {
  const std::string_view type = profile["type"].text();
  bool matches = true;
  if (type == "Unconfined") {
    matches = annotation == "unconfined";
  } else if (type == "RuntimeDefault") {
    matches =
        annotation == "runtime/default" || (name == "seccomp" && annotation == "docker/default");
  } else if (type == "Localhost") {
    matches = annotation.starts_with(kLocalPrefix);
    const View local = profile["localhostProfile"];
    if (matches && (!local.exists() || annotation.substr(kLocalPrefix.size()) != local.text())) {
      errors.forbidden(path.field("localhostProfile"),
                       fmt::format("{} profile in annotation and field must match", name));
    }
  }
  if (!matches) {
    errors.forbidden(path.field("type"),
                     fmt::format("{} type in annotation and field must match", name));
  }
}

}  // namespace annotations

bool is_mirror_pod(View pod) { return pod["metadata"]["annotations"][kMirrorAnnotation].exists(); }

void validate_special_annotations(View list, View spec, const Path& path, FieldErrors& errors) {
  std::optional<std::set<std::string_view>> containers;
  for (const json::Member& member : list.members()) {
    const std::string_view key = member.key;
    const std::string_view value = View(member.value).text();
    if (key == kMirrorAnnotation && spec["nodeName"].text().empty()) {
      errors.invalid(path.key(key), value,
                     "must set spec.nodeName if mirror pod annotation is set");
    } else if (key == annotations::kTolerations && !value.empty()) {
      annotations::check_tolerations(value, path, errors);
    } else if (key == annotations::kDeletionCost && !annotations::is_deletion_cost(value)) {
      errors.invalid(path.key(key), value, "must be a 32bit integer");
    } else if (key == kSeccompPodAnnotation || key.starts_with(kSeccompPrefix)) {
      annotations::check_seccomp(value, path.field(key), errors);
    } else if (key.starts_with(kAppArmorPrefix)) {
      if (!containers) containers = annotations::container_names(spec);
      const std::string_view container = key.substr(kAppArmorPrefix.size());
      if (!containers->contains(container))
        errors.invalid(path.key(key), container, "container not found");
      annotations::check_app_armor(value, path.key(key), errors);
    }
  }
}

void validate_special_annotations_update(View list, View old, const Path& path,
                                         FieldErrors& errors) {
  for (const json::Member& member : old.members()) {
    if (list[member.key] == View(member.value)) continue;
    if (member.key.starts_with(kAppArmorPrefix))
      errors.forbidden(path.key(member.key), "may not remove or update AppArmor annotations");
    if (member.key == kMirrorAnnotation)
      errors.forbidden(path.key(member.key), "may not remove or update mirror pod annotation");
  }
  for (const json::Member& member : list.members()) {
    if (old[member.key].exists()) continue;
    if (member.key.starts_with(kAppArmorPrefix))
      errors.forbidden(path.key(member.key), "may not add AppArmor annotations");
    if (member.key == kMirrorAnnotation)
      errors.forbidden(path.key(member.key), "may not add mirror pod annotation");
  }
}

void validate_profile_annotations(View metadata, View spec, const Path& path, FieldErrors& errors) {
  const View list = metadata["annotations"];
  if (list.empty()) return;
  const View pod_context = spec["securityContext"];
  const View pod_seccomp = pod_context["seccompProfile"];
  if (pod_seccomp.exists() && list[kSeccompPodAnnotation].exists()) {
    annotations::compare(list[kSeccompPodAnnotation].text(), pod_seccomp, "seccomp",
                         path.field("securityContext.seccompProfile"), errors);
  }
  const bool is_windows = spec["os"]["name"].text() == "windows";
  for (const std::string_view containers :
       {"initContainers", "containers", "ephemeralContainers"}) {
    each(spec[containers], path.field(containers), [&](View container, const Path& at) {
      const View context = container["securityContext"];
      const std::string_view name = container["name"].text();
      const View seccomp = list[fmt::format("{}{}", kSeccompPrefix, name)];
      if (seccomp.exists() && context["seccompProfile"].exists()) {
        annotations::compare(seccomp.text(), context["seccompProfile"], "seccomp",
                             at.field("securityContext.seccompProfile"), errors);
      }
      const View app_armor = list[fmt::format("{}{}", kAppArmorPrefix, name)];
      const View profile = context["appArmorProfile"].exists() ? context["appArmorProfile"]
                                                               : pod_context["appArmorProfile"];
      if (app_armor.exists() && profile.exists() && !is_windows) {
        annotations::compare(app_armor.text(), profile, "apparmor",
                             at.field("securityContext.appArmorProfile"), errors);
      }
    });
  }
}

ProfileText app_armor_from_annotation(std::string_view annotation) {
  if (annotation == "unconfined") return {.type = "Unconfined"};
  if (annotation == "runtime/default") return {.type = "RuntimeDefault"};
  if (!annotation.starts_with(annotations::kLocalPrefix)) return {};
  const std::string_view local = annotation.substr(annotations::kLocalPrefix.size());
  if (local.empty()) return {};
  return {.type = "Localhost", .local = local};
}

}  // namespace proa::kinds::pods

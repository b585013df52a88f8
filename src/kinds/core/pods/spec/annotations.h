#pragma once

#include "kinds/checks/fields.h"

// Annotations of a pod or a pod template with a meaning: mirror pods, deletion cost, and seccomp
// and AppArmor profiles from before they were fields.

namespace proa::kinds::pods {

inline constexpr std::string_view kMirrorAnnotation = "kubernetes.io/config.mirror";
inline constexpr std::string_view kAppArmorPrefix =
    "container.apparmor.security.beta.kubernetes.io/";
inline constexpr std::string_view kSeccompPrefix =
    "container.seccomp.security.alpha.kubernetes.io/";
inline constexpr std::string_view kSeccompPodAnnotation =
    "seccomp.security.alpha.kubernetes.io/pod";

bool is_mirror_pod(View pod);

void validate_special_annotations(View annotations, View spec, const Path& path,
                                  FieldErrors& errors);
void validate_special_annotations_update(View annotations, View old, const Path& path,
                                         FieldErrors& errors);

// A profile that is set by annotation and by field must agree. `path` is the spec's.
void validate_profile_annotations(View metadata, View spec, const Path& path, FieldErrors& errors);

// The profile of an annotation in the form of the field: type and localhostProfile. The type is
// empty if the annotation is invalid.
struct ProfileText {
  std::string_view type;
  std::string_view local;
};
ProfileText app_armor_from_annotation(std::string_view annotation);

}  // namespace proa::kinds::pods

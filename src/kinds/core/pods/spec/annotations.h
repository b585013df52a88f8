#pragma once

#include "kinds/checks/fields.h"

// Annotations of a pod or a pod template that mean something: the mirror of a static pod, the cost
// of deletion, and profiles of seccomp and AppArmor from the time before they had fields.

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

// Where a profile is given by annotation and by field, both say the same. `path` is the spec's.
void validate_profile_annotations(View metadata, View spec, const Path& path, FieldErrors& errors);

// A profile as the annotation says it, in the form of the field: type and localhostProfile. The
// type is empty where the annotation makes no sense.
struct ProfileText {
  std::string_view type;
  std::string_view local;
};
ProfileText app_armor_from_annotation(std::string_view annotation);

}  // namespace proa::kinds::pods

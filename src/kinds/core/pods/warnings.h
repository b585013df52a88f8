#pragma once

#include "kinds/rules.h"

namespace proa::kinds::pods {

// Warnings about a pod or a pod template {metadata, spec} at `path`.
void warn_about_pod(View pod, const api::Path& path, Warnings& warnings);

// AppArmor profiles by annotation. For templates only: in pods, the field is filled in.
void warn_about_app_armor_annotations(View pod_template, const api::Path& path, Warnings& warnings);

}  // namespace proa::kinds::pods

#pragma once

#include "kinds/rules.h"

namespace proa::kinds::pods {

// About a pod or a pod template: {metadata, spec}, which stands at `path`.
void warn_about_pod(View pod, const api::Path& path, Warnings& warnings);

// Profiles by annotation where the field would do. Templates only: pods get the field filled in.
void warn_about_app_armor_annotations(View pod_template, const api::Path& path, Warnings& warnings);

}  // namespace proa::kinds::pods

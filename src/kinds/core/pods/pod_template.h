#pragma once

#include "kinds/rules.h"

namespace proa::kinds {

KindRules pod_template_rules();

// A PodTemplateSpec inside any kind: metadata and spec of the pods to create.
void validate_pod_template(View pod_template, const api::Path& path, api::FieldErrors& errors);
void warn_about_pod_template(View pod_template, const api::Path& path, Warnings& warnings);

}  // namespace proa::kinds

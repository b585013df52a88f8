#pragma once

#include "kinds/rules.h"

namespace proa::kinds {

KindRules pod_template_rules();

// What kinds that make pods ask about their template: metadata and spec of a pod to be.
void validate_pod_template(View pod_template, const api::Path& path, api::FieldErrors& errors);
void warn_about_pod_template(View pod_template, const api::Path& path, Warnings& warnings);

}  // namespace proa::kinds

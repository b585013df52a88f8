#pragma once

#include "kinds/rules.h"

// What kinds have in common that make pods from a template.

namespace proa::kinds {

// A selector that must be there and select something. `kind` as messages name it: "deployment".
void validate_required_selector(View selector, std::string_view kind, const api::Path& path,
                                api::FieldErrors& errors);
// The labels of the template are what the selector looks for. REQUIRES: the selector is valid.
void validate_template_labels(View pod_template, View selector, const api::Path& path,
                              api::FieldErrors& errors);
// Pods that are replaced when they end: always restarted, without a deadline. `kind`: "DaemonSet".
void validate_lasting_template(View pod_template, std::string_view kind, const api::Path& path,
                               api::FieldErrors& errors);
// Replica sets and deployments: all of the above, and the template itself.
void validate_replicated_template(View spec, const api::Path& path, api::FieldErrors& errors);

// None of these numbers is negative.
void validate_counts(View status, std::span<const std::string_view> names, const api::Path& path,
                     api::FieldErrors& errors);
// "collisionCount" of a status never falls.
void validate_collision_count(View status, View old, const api::Path& path,
                              api::FieldErrors& errors);

// Pods are named after their owner, so a name that is no DNS label surprises.
void warn_about_owner_name(View object, Warnings& warnings);
// Of the template, where the spec is new or has changed.
void warn_about_template(View object, View old, Warnings& warnings);

// Two cells: names and images of a pod's containers.
void container_cells(View pod_spec, Cells& cells);

}  // namespace proa::kinds

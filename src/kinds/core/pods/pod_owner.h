#pragma once

#include "kinds/rules.h"

// Shared rules of kinds that create pods from a template.

namespace proa::kinds {

// A required selector that is not empty. `kind` is its name in messages: "deployment".
void validate_required_selector(View selector, std::string_view kind, const api::Path& path,
                                api::FieldErrors& errors);
// The selector must match the template's labels. REQUIRES: the selector is valid.
void validate_template_labels(View pod_template, View selector, const api::Path& path,
                              api::FieldErrors& errors);
// restartPolicy must be Always, without activeDeadlineSeconds. `kind` for messages: "DaemonSet".
void validate_restarting_template(View pod_template, std::string_view kind, const api::Path& path,
                                  api::FieldErrors& errors);
// ReplicaSets and Deployments: all of the above, and the template itself.
void validate_replicated_template(View spec, const api::Path& path, api::FieldErrors& errors);

// Rejects negative numbers among these fields of a status.
void validate_counts(View status, std::span<const std::string_view> names, const api::Path& path,
                     api::FieldErrors& errors);
// `collisionCount` of a status must not decrease.
void validate_collision_count(View status, View old, const api::Path& path,
                              api::FieldErrors& errors);

// How the status of a kind counts its replicas.
struct ReplicaCounts {
  std::span<const std::string_view> counts;  // must not be negative
  std::span<const std::string_view> parts;   // must not exceed status.replicas
  // The name of readyReplicas in messages; upstream has two forms.
  std::string_view ready = "readyReplicas";
};
// validate_status_update of every kind that has `status.replicas`.
void validate_replica_status(View object, View old, const ReplicaCounts& fields,
                             api::FieldErrors& errors);

// Warns if the name is not a DNS label: pods are named after their owner.
void warn_about_owner_name(View object, Warnings& warnings);
// Warnings about the template, if the spec is new or changed.
void warn_about_template(View object, View old, Warnings& warnings);

// Two cells: names and images of a pod's containers.
void container_cells(View pod_spec, Cells& cells);

}  // namespace proa::kinds

#pragma once

#include <memory>

#include "apiserver/access/admission/plugin.h"

// Admission plugins for pods and related objects. Each factory fails if the plugin's configuration
// is invalid.

namespace proa::apiserver {

using MadePlugin = Result<std::unique_ptr<AdmissionPlugin>>;

// LimitRanger: defaults and limits from the namespace's LimitRanges.
MadePlugin make_limit_ranger(const AdmissionContext& context);
// ServiceAccount: sets a service account on every pod and mounts its token.
MadePlugin make_service_account(const AdmissionContext& context);
// AlwaysPullImages: forces pulls, so that credentials are always checked.
MadePlugin make_always_pull_images(const AdmissionContext& context);
// PodNodeSelector: restricts the nodes of a namespace's pods.
MadePlugin make_pod_node_selector(const AdmissionContext& context);
// Priority: resolves the priority class name.
MadePlugin make_priority(const AdmissionContext& context);
// PodTolerationRestriction: default and allowed tolerations per namespace.
MadePlugin make_pod_toleration_restriction(const AdmissionContext& context);
// EventRateLimit: limits the rate of Event writes.
MadePlugin make_event_rate_limit(const AdmissionContext& context);
// RuntimeClass: sets the overhead and scheduling constraints of a runtime class.
MadePlugin make_runtime_class(const AdmissionContext& context);
// PodTopologyLabels: copies zone and region labels of the node to the pod.
MadePlugin make_pod_topology_labels(const AdmissionContext& context);
// PodResizeValidator: rejects a resize beyond the node's allocatable resources.
MadePlugin make_pod_resize_validator(const AdmissionContext& context);

// Whether such a plugin can be made with that configuration, which may be absent.
Result<void> check_pod_node_selector(api::View configuration);
Result<void> check_pod_toleration_restriction(api::View configuration);
Result<void> check_event_rate_limit(api::View configuration);

// How long pods tolerate a node that is not ready or unreachable, by default.
struct TolerationSeconds {
  int64_t not_ready = 300;    // --default-not-ready-toleration-seconds
  int64_t unreachable = 300;  // --default-unreachable-toleration-seconds
};
// DefaultTolerationSeconds.
MadePlugin make_default_toleration_seconds(const AdmissionContext& context);
MadePlugin make_default_toleration_seconds(const TolerationSeconds& seconds);

}  // namespace proa::apiserver

#pragma once

#include <memory>

#include "apiserver/access/admission/plugin.h"

// Plugins about pods and what goes with them. Each is made by a function, which fails where the
// configuration of the plugin makes no sense.

namespace proa::apiserver {

using MadePlugin = Result<std::unique_ptr<AdmissionPlugin>>;

// LimitRanger: what containers and claims get and may have, as LimitRanges of the namespace say.
MadePlugin make_limit_ranger(const AdmissionContext& context);
// ServiceAccount: every pod has an account, and by default a token of it.
MadePlugin make_service_account(const AdmissionContext& context);
// AlwaysPullImages: who knows the name of an image may still not use it.
MadePlugin make_always_pull_images(const AdmissionContext& context);
// PodNodeSelector: on which nodes the pods of a namespace may run.
MadePlugin make_pod_node_selector(const AdmissionContext& context);
// Priority: the number behind the name of a PriorityClass.
MadePlugin make_priority(const AdmissionContext& context);
// PodTolerationRestriction: which tolerations the pods of a namespace get and may have.
MadePlugin make_pod_toleration_restriction(const AdmissionContext& context);
// EventRateLimit: how many events are taken.
MadePlugin make_event_rate_limit(const AdmissionContext& context);
// RuntimeClass: overhead of its pods, and where they may run.
MadePlugin make_runtime_class(const AdmissionContext& context);
// PodTopologyLabels: pods carry the zone and the region of their node.
MadePlugin make_pod_topology_labels(const AdmissionContext& context);
// PodResizeValidator: a pod may not grow beyond its node.
MadePlugin make_pod_resize_validator(const AdmissionContext& context);

// For how long pods stay on a node that is gone, where they do not say so themselves.
struct TolerationSeconds {
  int64_t not_ready = 300;    // --default-not-ready-toleration-seconds
  int64_t unreachable = 300;  // --default-unreachable-toleration-seconds
};
// DefaultTolerationSeconds.
MadePlugin make_default_toleration_seconds(const AdmissionContext& context);
MadePlugin make_default_toleration_seconds(const TolerationSeconds& seconds);

}  // namespace proa::apiserver

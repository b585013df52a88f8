#pragma once

#include "kubelet/model/pod.h"

// The allocated resources of pods, as opposed to those of their current specs. Represented as a pod
// whose resources are the allocated ones.

namespace proa::kubelet {

// Whether both have the same resources, of all containers and of the pod.
bool has_same_resources(const Pod& a, const Pod& b);

// The pod with the resources of another version of it; itself if they are equal.
PodPtr with_resources_of(const PodPtr& pod, const Pod& other);

// The pod with the larger request of both versions, container by container.
PodPtr with_larger_requests(const PodPtr& pod, const Pod& other);

// What a previous kubelet allocated, according to the status: all of the spec, if that kubelet had
// seen it and did not defer it.
PodPtr allocated_by_status(const PodPtr& pod);

}  // namespace proa::kubelet

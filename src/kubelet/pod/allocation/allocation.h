#pragma once

#include "kubelet/model/pod.h"

// What pods were given of the node, as opposed to what their specs ask for now. It is written as a
// pod: its resources are what was given.

namespace proa::kubelet {

// Whether both ask for the same, the containers and the pod as a whole.
bool has_same_resources(const Pod& a, const Pod& b);

// The pod with the resources of another state of it; itself where they are the same.
PodPtr with_resources_of(const PodPtr& pod, const Pod& other);

// The pod asking for whatever is more, container by container.
PodPtr with_larger_requests(const PodPtr& pod, const Pod& other);

// What a kubelet before this one gave the pod, as it told the API: all that the spec says, where it
// had seen that and did not put it off.
PodPtr allocated_by_status(const PodPtr& pod);

}  // namespace proa::kubelet

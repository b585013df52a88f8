#pragma once

#include "api/object/edit.h"
#include "kubelet/model/pod.h"

namespace proa::kubelet {

// Labels and annotations of containers and sandboxes in the runtime (runtime/cri/labels.h).
void write_sandbox_labels(const api::Edit& labels, const Pod& pod);
void write_container_labels(const api::Edit& labels, const Pod& pod, std::string_view container);
// What a restarted kubelet needs in order to stop the container and to report its exit.
void write_container_annotations(const api::Edit& annotations, const Pod& pod, api::View container,
                                 int restarts);

}  // namespace proa::kubelet

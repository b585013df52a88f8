#pragma once

#include "api/object/edit.h"
#include "kubelet/model/pod.h"

namespace proa::kubelet {

// Labels and annotations as the runtime keeps them (cri/labels.h).
void write_sandbox_labels(const api::Edit& labels, const Pod& pod);
void write_container_labels(const api::Edit& labels, const Pod& pod, std::string_view container);
// What a kubelet that comes back must know to stop the container, and to tell how it ended.
void write_container_annotations(const api::Edit& annotations, const Pod& pod, api::View container,
                                 int restarts);

}  // namespace proa::kubelet

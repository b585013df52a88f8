#pragma once

#include "client/events/correlator.h"
#include "kubelet/model/pod.h"

namespace proa::kubelet {

// The object that an Event is about.
client::ObjectReference reference_to_node(api::NodeNameView name);
client::ObjectReference reference_to(const Pod& pod);
client::ObjectReference reference_to(const Pod& pod, const ContainerSpec& container);

// "web_default(7f3c...)": a pod in messages.
std::string pod_text(const Pod& pod);

}  // namespace proa::kubelet

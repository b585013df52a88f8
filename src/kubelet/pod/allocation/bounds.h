#pragma once

#include <map>
#include <string>

#include "api/quantity.h"
#include "kubelet/model/pod.h"
#include "kubelet/runtime/cri/runtime.h"

namespace proa::kubelet {

// Requests and limits of a container that can change while it runs: CPU in millicores, memory in
// bytes. Zero: not set.
struct ContainerBounds {
  int64_t cpu_request = 0;
  int64_t cpu_limit = 0;
  int64_t memory_request = 0;
  int64_t memory_limit = 0;

  bool operator==(const ContainerBounds&) const = default;
};
// By container id.
using BoundsOfContainers = std::map<std::string, ContainerBounds, std::less<>>;

// A quantity in a list of requests or limits; zero if it is not there.
api::Quantity amount_in(api::View list, std::string_view name);

// From its spec. A container without a limit gets the pod's.
ContainerBounds bounds_of(const Pod& pod, api::View container);

// Of a container that this kubelet did not start: from the status that the previous kubelet wrote
// and from what the runtime enforces; else from its spec.
ContainerBounds bounds_found(const Pod& pod, const ContainerSpec& container,
                             const cri::Container& running);

}  // namespace proa::kubelet

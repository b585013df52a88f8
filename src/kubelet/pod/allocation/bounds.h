#pragma once

#include <map>
#include <string>

#include "api/quantity.h"
#include "kubelet/model/pod.h"
#include "kubelet/runtime/cri/runtime.h"

namespace proa::kubelet {

// What a container asks for and is held to, as far as that can change while it runs: processors in
// thousandths, memory in bytes. Zero: nothing is said.
struct ContainerBounds {
  int64_t cpu_request = 0;
  int64_t cpu_limit = 0;
  int64_t memory_request = 0;
  int64_t memory_limit = 0;

  bool operator==(const ContainerBounds&) const = default;
};
// By the id of the container.
using BoundsOfContainers = std::map<std::string, ContainerBounds, std::less<>>;

// An amount in a list of requests or limits; zero where there is none.
api::Quantity amount_in(api::View list, std::string_view name);

// What its spec says. Where it has no limit of its own, the pod's is its limit.
ContainerBounds bounds_of(const Pod& pod, api::View container);

// Of a container that this kubelet did not start: what the one before told the API about it, and
// what the runtime enforces. Where nobody says anything else, it is as its spec says.
ContainerBounds bounds_found(const Pod& pod, const ContainerSpec& container,
                             const cri::Container& running);

}  // namespace proa::kubelet

#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "kinds/core/resources/resources.h"
#include "kubelet/model/pod.h"

namespace proa::kubelet {

// What the runtime class says a pod needs besides its containers.
enum class Overhead : uint8_t { kCounted, kLeftOut };

// What a whole pod asks for, and what it is held to: what spec.resources says, and for the rest the
// sum of the containers. Overhead is added to limits only where there is one.
kinds::pods::Amounts pod_requests(api::View spec, Overhead overhead);
kinds::pods::Amounts pod_limits(api::View spec, Overhead overhead);

// Whether spec.resources says anything that counts.
bool has_pod_resources(api::View spec);

// As the API server wrote it down, else worked out.
std::string_view quality_of_service(const Pod& pod);

// What is written into a cgroup. What is absent stays as it is.
struct CgroupValues {
  std::optional<int64_t> cpu_shares = {};
  std::optional<int64_t> cpu_quota = {};
  std::optional<int64_t> memory = {};
  std::optional<int64_t> pids = {};
  std::map<std::string, int64_t> huge_pages = {};  // by size: "2MB"
};

// Of the cgroup of a pod. `huge_page_sizes`: what the machine has; what nobody asked for is zero.
CgroupValues pod_values(const Pod& pod, const std::vector<std::string>& huge_page_sizes);

}  // namespace proa::kubelet

#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "kinds/core/resources/resources.h"
#include "kubelet/model/pod.h"

namespace proa::kubelet {

// What the RuntimeClass adds to a pod's own resources.
enum class Overhead : uint8_t { kCounted, kLeftOut };

// The requests and limits of a whole pod: spec.resources, and for what that leaves out the sum of
// the containers. Overhead is added to existing limits only.
kinds::pods::Amounts pod_requests(api::View spec, Overhead overhead);
kinds::pods::Amounts pod_limits(api::View spec, Overhead overhead);

// Whether spec.resources has requests or limits.
bool has_pod_resources(api::View spec);

// From the pod's status if the API server set it, else computed.
std::string_view quality_of_service(const Pod& pod);

// Values of a cgroup. Absent ones are not changed.
struct CgroupValues {
  std::optional<int64_t> cpu_shares = {};
  std::optional<int64_t> cpu_quota = {};
  std::optional<int64_t> memory = {};
  std::optional<int64_t> pids = {};
  std::map<std::string, int64_t> huge_pages = {};  // by size: "2MB"
};

// For the cgroup of a pod. `huge_page_sizes`: those of the machine; sizes that the pod does not
// request get zero.
CgroupValues pod_values(const Pod& pod, const std::vector<std::string>& huge_page_sizes);

}  // namespace proa::kubelet

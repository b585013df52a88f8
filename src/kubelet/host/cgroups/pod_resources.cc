#include "kubelet/host/cgroups/pod_resources.h"

#include <algorithm>

#include "kubelet/host/cgroups/cpu_shares.h"
#include "kubelet/host/cgroups/huge_pages.h"

namespace proa::kubelet {
namespace pod_resources {

using kinds::pods::Amounts;
using kinds::pods::Bound;

bool says_anything(api::View list) {
  return std::any_of(list.members().begin(), list.members().end(), [](const json::Member& member) {
    return kinds::pods::is_pod_level_resource(member.key);
  });
}

// The pod's own values override the sums of its containers.
void take_pod_level(Amounts& amounts, api::View list) {
  for (auto& [name, quantity] : kinds::pods::read_amounts(list)) {
    if (kinds::pods::is_pod_level_resource(name)) amounts[name] = quantity;
  }
}

api::Quantity limit_of(api::View container, std::string_view name) {
  auto limit = api::Quantity::parse(container["resources"]["limits"][name].text());
  return limit ? *std::move(limit) : api::Quantity();
}

// Whether everything that runs in the pod has such a limit, so that their sum is one too. An init
// container counts together with the sidecars that run already, as upstream's PodLimits has it.
bool is_bounded(api::View spec, std::string_view name) {
  if (has_pod_resources(spec) && !limit_of(spec, name).is_zero()) return true;
  for (const api::View container : spec["containers"].items()) {
    if (limit_of(container, name).is_zero()) return false;
  }
  api::Quantity sidecars;
  for (const api::View container : spec["initContainers"].items()) {
    api::Quantity needed = limit_of(container, name) + sidecars;
    if (needed.is_zero()) return false;
    if (kinds::pods::is_sidecar(container)) sidecars = std::move(needed);
  }
  return true;
}

}  // namespace pod_resources

bool has_pod_resources(api::View spec) {
  return pod_resources::says_anything(spec["resources"]["requests"]) ||
         pod_resources::says_anything(spec["resources"]["limits"]);
}

kinds::pods::Amounts pod_requests(api::View spec, Overhead overhead) {
  auto requests = kinds::pods::sum_of_containers(spec, kinds::pods::Bound::kRequests);
  pod_resources::take_pod_level(requests, spec["resources"]["requests"]);
  if (overhead == Overhead::kCounted) {
    kinds::pods::add(requests, kinds::pods::read_amounts(spec["overhead"]));
  }
  return requests;
}

kinds::pods::Amounts pod_limits(api::View spec, Overhead overhead) {
  auto limits = kinds::pods::sum_of_containers(spec, kinds::pods::Bound::kLimits);
  pod_resources::take_pod_level(limits, spec["resources"]["limits"]);
  if (overhead == Overhead::kLeftOut) return limits;
  for (const auto& [name, quantity] : kinds::pods::read_amounts(spec["overhead"])) {
    const auto limit = limits.find(name);
    if (limit != limits.end() && !limit->second.is_zero()) limit->second += quantity;
  }
  return limits;
}

std::string_view quality_of_service(const Pod& pod) {
  const std::string_view known = pod.status()["qosClass"].text();
  return known.empty() ? kinds::pods::quality_of_service(pod.spec()) : known;
}

CgroupValues pod_values(const Pod& pod, const std::vector<std::string>& huge_page_sizes) {
  const auto requests = pod_requests(pod.spec(), Overhead::kCounted);
  const auto limits = pod_limits(pod.spec(), Overhead::kCounted);
  const auto amount = [](const kinds::pods::Amounts& amounts, std::string_view name) {
    const auto found = amounts.find(name);
    return found == amounts.end() ? api::Quantity() : found->second;
  };
  CgroupValues values;
  const std::string_view quality = quality_of_service(pod);
  const bool guaranteed = quality == "Guaranteed";
  if (quality == "BestEffort") {
    values.cpu_shares = kMinShares;
  } else {
    values.cpu_shares = shares_of(amount(requests, "cpu").milli_value());
    if (guaranteed || pod_resources::is_bounded(pod.spec(), "cpu"))
      values.cpu_quota = quota_of(amount(limits, "cpu").milli_value());
    if (guaranteed || pod_resources::is_bounded(pod.spec(), "memory"))
      values.memory = amount(limits, "memory").value();
  }
  const auto pages = huge_page_limits(requests);
  for (const std::string& size : huge_page_sizes) {
    const auto asked = pages.find(size);
    values.huge_pages[size] = asked == pages.end() ? 0 : asked->second;
  }
  return values;
}

}  // namespace proa::kubelet

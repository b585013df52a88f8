#include "kubelet/pod/container/oom_score.h"

#include <algorithm>
#include <limits>

#include "kinds/core/resources/resources.h"
#include "kubelet/host/cgroups/pod_resources.h"

namespace proa::kubelet {
namespace oom_score {

__extension__ using Wide = __int128;  // a thousand times a request fits

constexpr int64_t kLast = -997;
constexpr int64_t kFirst = 1000;
constexpr int64_t kCriticalPriority = 2'000'000'000;

bool is_needed_by_the_node(const Pod& pod) {
  const bool critical =
      pod.is_static() || pod.is_mirror() || pod.spec()["priority"].integer() >= kCriticalPriority;
  return critical && pod.spec()["priorityClassName"].text() == "system-node-critical";
}

int64_t memory_request(api::View container) {
  const auto quantity = api::Quantity::parse(container["resources"]["requests"]["memory"].text());
  return quantity ? quantity->value() : 0;
}

// What a pod asked for as a whole and no container did, divided among them.
int64_t share_of_pod(api::View spec) {
  const int64_t whole = memory_request(spec);
  const auto count =
      static_cast<int64_t>(spec["containers"].size() + spec["initContainers"].size());
  if (whole == 0 || count == 0) return 0;
  const auto sum = kinds::pods::sum_of_containers(spec, kinds::pods::Bound::kRequests);
  const auto memory = sum.find("memory");
  return (whole - (memory == sum.end() ? 0 : memory->second.value())) / count;
}

bool is_sidecar_of(api::View spec, api::View container) {
  if (!kinds::pods::is_sidecar(container)) return false;
  const auto all = spec["initContainers"].items();
  return std::any_of(all.begin(), all.end(), [&](const json::Value& other) {
    return api::View(other)["name"].text() == container["name"].text();
  });
}

// A sidecar must not be killed before the containers that it serves.
int64_t least_of_containers(api::View spec) {
  int64_t least = std::numeric_limits<int64_t>::max();
  for (const api::View container : spec["containers"].items())
    least = std::min(least, memory_request(container));
  return least;
}

}  // namespace oom_score

int64_t oom_adjustment(const Pod& pod, api::View container, int64_t memory_bytes) {
  if (oom_score::is_needed_by_the_node(pod)) return oom_score::kLast;
  const std::string_view quality = quality_of_service(pod);
  if (quality == "Guaranteed") return oom_score::kLast;
  if (quality == "BestEffort" || memory_bytes <= 0) return oom_score::kFirst;

  int64_t asked = oom_score::memory_request(container);
  if (oom_score::is_sidecar_of(pod.spec(), container))
    asked = std::max(asked, oom_score::least_of_containers(pod.spec()));
  const oom_score::Wide counted = oom_score::Wide{asked} + oom_score::share_of_pod(pod.spec());
  const oom_score::Wide score = oom_score::kFirst - oom_score::kFirst * counted / memory_bytes;
  // Later than those that asked for nothing, earlier than those that are guaranteed.
  return static_cast<int64_t>(std::clamp(score,
                                         oom_score::Wide{oom_score::kFirst + oom_score::kLast},
                                         oom_score::Wide{oom_score::kFirst - 1}));
}

}  // namespace proa::kubelet

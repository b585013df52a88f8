#include "kubelet/pod/allocation/bounds.h"

#include "kubelet/host/cgroups/cpu_shares.h"
#include "kubelet/model/status_fields.h"

namespace proa::kubelet {
namespace bounds {

using api::Quantity;
using api::View;

Quantity limit(View resources, View of_pod, std::string_view name) {
  const Quantity own = amount_in(resources["limits"], name);
  return own.is_zero() ? amount_in(of_pod["limits"], name) : own;
}

ContainerBounds read(View resources, View of_pod) {
  return {.cpu_request = amount_in(resources["requests"], "cpu").milli_value(),
          .cpu_limit = limit(resources, of_pod, "cpu").milli_value(),
          .memory_request = amount_in(resources["requests"], "memory").value(),
          .memory_limit = limit(resources, of_pod, "memory").value()};
}

// The resources in the reported status; absent if it is about another container.
View told(const Pod& pod, const ContainerSpec& container, const std::string& id) {
  const bool is_regular = container.kind == ContainerKind::kRegular;
  const View status = find_container_status(
      pod.status()[is_regular ? "containerStatuses" : "initContainerStatuses"], container.name());
  return status["containerID"].text().ends_with("://" + id) ? status["resources"] : View();
}

// Amounts that the kernel does not distinguish from the current ones do not change.
void take(const cri::ContainerResources& enforced, ContainerBounds& found) {
  const int64_t quota = enforced.cpu_quota > 0 ? enforced.cpu_quota : 0;
  const int64_t period = enforced.cpu_period > 0 ? enforced.cpu_period : kQuotaPeriod;
  if (quota_of(found.cpu_limit) * period != quota * kQuotaPeriod) {
    found.cpu_limit = quota * 1000 / period;
  }
  const int64_t asked = found.cpu_request > 0 ? found.cpu_request : found.cpu_limit;
  if (enforced.cpu_shares > 0 && shares_of(asked) != enforced.cpu_shares) {
    found.cpu_request = milli_of_shares(enforced.cpu_shares);
  }
  found.memory_limit = enforced.memory_limit > 0 ? enforced.memory_limit : 0;
}

}  // namespace bounds

api::Quantity amount_in(api::View list, std::string_view name) {
  const api::View found = list[name];
  if (!found) return api::Quantity();
  const Result<api::Quantity> read = api::Quantity::parse(found.text());
  return read ? *read : api::Quantity();
}

ContainerBounds bounds_of(const Pod& pod, api::View container) {
  return bounds::read(container["resources"], pod.spec()["resources"]);
}

ContainerBounds bounds_found(const Pod& pod, const ContainerSpec& container,
                             const cri::Container& running) {
  ContainerBounds found = bounds_of(pod, container.view);
  if (const api::View told = bounds::told(pod, container, running.id)) {
    found = bounds::read(told, pod.spec()["resources"]);
  }
  if (running.resources) bounds::take(*running.resources, found);
  return found;
}

}  // namespace proa::kubelet

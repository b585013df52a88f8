#include "kubelet/pod/container/resources.h"

#include <optional>

#include "kubelet/host/cgroups/cpu_shares.h"
#include "kubelet/host/cgroups/huge_pages.h"
#include "kubelet/host/cgroups/pod_resources.h"
#include "kubelet/pod/container/cri_fields.h"
#include "kubelet/pod/container/oom_score.h"

namespace proa::kubelet {
namespace resources {

using kinds::pods::Amounts;

struct Bounds {
  std::optional<api::Quantity> cpu_request = {};
  api::Quantity cpu_limit = {};
  api::Quantity memory_limit = {};
};

std::optional<api::Quantity> find(const Amounts& amounts, std::string_view name) {
  const auto found = amounts.find(name);
  if (found == amounts.end()) return std::nullopt;
  return found->second;
}

void write_bounds(const api::Edit& edit, const Bounds& bounds, bool cgroup_v2) {
  // The request of a container with a limit and no request is its limit.
  const api::Quantity& asked = bounds.cpu_request ? *bounds.cpu_request : bounds.cpu_limit;
  write_number(edit, "cpu_period", kQuotaPeriod);
  write_number(edit, "cpu_quota", quota_of(bounds.cpu_limit.milli_value()));
  write_number(edit, "cpu_shares", shares_of(asked.milli_value()));
  write_number(edit, "memory_limit_in_bytes", bounds.memory_limit.value());
  // All processes of a container end together when memory runs out, as upstream has it by default.
  if (cgroup_v2) edit.object("unified").set("memory.oom.group", "1");
}

// The node's swap is not for pods.
void forbid_swap(const api::Edit& edit, const MachineFacts& machine) {
  if (!machine.has_swap) return;
  if (machine.cgroup_v2) {
    edit.object("unified").set("memory.swap.max", "0");
  } else {
    // Memory plus swap: no more than memory alone. Ignored without a memory limit.
    edit.copy("memory_swap_limit_in_bytes", edit["memory_limit_in_bytes"]);
  }
}

void write_huge_pages(const api::Edit& edit, api::View spec, api::View container,
                      const std::vector<std::string>& sizes) {
  auto limits = huge_page_limits(kinds::pods::read_amounts(spec["resources"]["limits"]));
  for (auto& [size, bytes] :
       huge_page_limits(kinds::pods::read_amounts(container["resources"]["limits"])))
    limits[size] = bytes;
  if (sizes.empty()) return;
  const api::Edit list = edit.array("hugepage_limits");
  for (const std::string& size : sizes) {
    const api::Edit item = list.push_object();
    item.set("page_size", size);
    const auto limit = limits.find(size);
    write_number(item, "limit", limit == limits.end() ? 0 : limit->second);
  }
}

}  // namespace resources

void write_container_resources(const api::Edit& edit, const Pod& pod, api::View container,
                               const MachineFacts& machine) {
  const auto limits = kinds::pods::read_amounts(container["resources"]["limits"]);
  const auto pod_limits = kinds::pods::read_amounts(pod.spec()["resources"]["limits"]);
  const auto limit = [&](std::string_view name) {
    const auto own = resources::find(limits, name);
    if (own && !own->is_zero()) return *own;
    return resources::find(pod_limits, name).value_or(api::Quantity());
  };
  resources::Bounds bounds{.cpu_limit = limit("cpu"), .memory_limit = limit("memory")};
  bounds.cpu_request =
      resources::find(kinds::pods::read_amounts(container["resources"]["requests"]), "cpu");
  resources::write_bounds(edit, bounds, machine.cgroup_v2);
  write_number(edit, "oom_score_adj", oom_adjustment(pod, container, machine.memory_bytes));
  resources::write_huge_pages(edit, pod.spec(), container, machine.huge_page_sizes);
  resources::forbid_swap(edit, machine);
}

void write_sandbox_resources(const api::Edit& linux_config, api::View spec, bool cgroup_v2) {
  const auto requests = pod_requests(spec, Overhead::kLeftOut);
  const auto limits = pod_limits(spec, Overhead::kLeftOut);
  resources::Bounds bounds{.cpu_request = resources::find(requests, "cpu")};
  bounds.cpu_limit = resources::find(limits, "cpu").value_or(api::Quantity());
  bounds.memory_limit = resources::find(limits, "memory").value_or(api::Quantity());
  resources::write_bounds(linux_config.object("resources"), bounds, cgroup_v2);

  const api::Edit overhead = linux_config.object("overhead");
  if (!spec["overhead"]) return;
  const auto more = kinds::pods::read_amounts(spec["overhead"]);
  const api::Quantity cpu = resources::find(more, "cpu").value_or(api::Quantity());
  const api::Quantity memory = resources::find(more, "memory").value_or(api::Quantity());
  resources::write_bounds(overhead, {.cpu_request = cpu, .cpu_limit = cpu, .memory_limit = memory},
                          cgroup_v2);
}

}  // namespace proa::kubelet

#include "kubelet/pod/status/compute/resource_status.h"

#include <algorithm>

#include "kubelet/host/cgroups/cpu_shares.h"
#include "kubelet/host/cgroups/pod_resources.h"

namespace proa::kubelet {
namespace resource_status {

using api::Edit;
using api::Quantity;
using api::View;
using kinds::pods::Amounts;

// The kernel's minimum of quota and shares: below it, the spec's value is reported, not the
// enforced one.
constexpr int64_t kLeastLimit = 10;

int64_t milli(View amounts, std::string_view name) {
  const Result<Quantity> read = Quantity::parse(amounts[name].text());
  return read ? read->milli_value() : 0;
}

void write_limits(int64_t quota, int64_t period, int64_t memory, Edit limits) {
  const int64_t cpu = period > 0 && quota > 0 ? quota * 1000 / period : 0;
  if (cpu > 0 && std::max(cpu, milli(limits.view(), "cpu")) > kLeastLimit) {
    limits.set("cpu", Quantity::milli(cpu).str());
  }
  if (memory > 0) limits.set("memory", Quantity(memory, api::QuantityFormat::kBinarySi).str());
}

void write_request(int64_t shares, Edit requests) {
  const int64_t cpu = milli_of_shares(shares);
  if (cpu > 0 && std::max(cpu, milli(requests.view(), "cpu")) > kMinShares) {
    requests.set("cpu", Quantity::milli(cpu).str());
  }
}

void write_enforced(const cri::ContainerResources& enforced, Edit resources) {
  if (resources.has("limits")) {
    write_limits(enforced.cpu_quota, enforced.cpu_period, enforced.memory_limit,
                 resources.object("limits"));
  }
  if (resources.has("requests")) write_request(enforced.cpu_shares, resources.object("requests"));
}

// The same if the runtime does not report it.
void write_told(const ContainerBounds& told, Edit resources) {
  if (resources.has("limits")) {
    write_limits(quota_of(told.cpu_limit), kQuotaPeriod, told.memory_limit,
                 resources.object("limits"));
  }
  if (resources.has("requests"))
    write_request(shares_of(told.cpu_request), resources.object("requests"));
}

void write_amounts(const Amounts& amounts, std::string_view field, Edit parent) {
  if (amounts.empty()) return;
  const Edit list = parent.object(field);
  for (const auto& [name, amount] : amounts) list.set(name, amount.str());
}

// For a running pod upstream reports what its cgroup enforces.
void write_running(const StatusInputs& inputs, Edit resources) {
  const Pod& pod = inputs.pod;
  const View own = pod.spec()["resources"];
  const CgroupValues enforced = inputs.enforced ? *inputs.enforced : pod_values(pod, {});
  resources.copy("requests", own["requests"]);
  resources.copy("limits", own["limits"]);
  write_request(enforced.cpu_shares.value_or(0), resources.object("requests"));
  write_limits(enforced.cpu_quota.value_or(0), kQuotaPeriod, enforced.memory.value_or(0),
               resources.object("limits"));
  const Edit requests = resources.object("requests");
  const Amounts all = pod_requests(pod.spec(), Overhead::kCounted);
  const auto memory = all.find("memory");
  if (memory != all.end()) requests.set_default("memory", std::string_view(memory->second.str()));
  for (const std::string_view list : {"requests", "limits"}) {
    if (resources[list].empty()) resources.remove(list);
  }
}

}  // namespace resource_status

void write_container_resources(api::View container, const cri::Container& running,
                               const ContainerBounds* told, api::Edit status) {
  status.copy("allocatedResources", container["resources"]["requests"]);
  status.set("resources", json::Value::object());
  if (container["resources"]) status.copy("resources", container["resources"]);
  if (running.state != cri::ContainerState::kRunning) return;
  const api::Edit resources = status.object("resources");
  if (running.resources) {
    resource_status::write_enforced(*running.resources, resources);
  } else if (told != nullptr) {
    resource_status::write_told(*told, resources);
  }
  // Runtimes know nothing of requests of memory.
  if (told == nullptr || told->memory_request == 0 || !resources["requests"]) return;
  resources.object("requests")
      .set("memory", api::Quantity(told->memory_request, api::QuantityFormat::kBinarySi).str());
}

void write_pod_resources(const StatusInputs& inputs, api::Edit status) {
  const Pod& pod = inputs.pod;
  const api::View spec = pod.spec();
  const auto requests = pod_requests(spec, Overhead::kCounted);
  resource_status::write_amounts(requests, "allocatedResources", status);
  const api::Edit resources = status.object("resources");
  if (pod.status()["phase"].text() == "Running") {
    resource_status::write_running(inputs, resources);
    return;
  }
  resources.copy("claims", spec["resources"]["claims"]);
  resource_status::write_amounts(requests, "requests", resources);
  resource_status::write_amounts(pod_limits(spec, Overhead::kCounted), "limits", resources);
}

}  // namespace proa::kubelet

#include "kubelet/pod/allocation/node_fit.h"

#include <algorithm>

#include "kubelet/host/cgroups/pod_resources.h"

namespace proa::kubelet {
namespace node_fit {

using kinds::pods::Amounts;

// cpu is counted in thousandths.
int64_t count(std::string_view name, const Amounts& amounts) {
  const auto found = amounts.find(name);
  if (found == amounts.end()) return 0;
  return name == "cpu" ? found->second.milli_value() : found->second.value();
}

Refusal refuse(std::string_view name, int64_t requested, int64_t used, int64_t capacity) {
  return {.reason = "OutOf" + std::string(name),
          .message = "Node didn't have enough resource: " + std::string(name) +
                     ", requested: " + std::to_string(requested) +
                     ", used: " + std::to_string(used) + ", capacity: " + std::to_string(capacity)};
}

// Resources that the node does not have are not checked here.
std::vector<std::string_view> counted_names(const Amounts& requests, const Amounts& allocatable) {
  std::vector<std::string_view> names{"cpu", "memory", "ephemeral-storage"};
  for (const auto& [name, amount] : requests) {
    if (std::find(names.begin(), names.end(), name) != names.end()) continue;
    if (kinds::pods::is_extended_resource(name) && !allocatable.contains(name)) continue;
    names.push_back(name);
  }
  return names;
}

struct HostPort {
  std::string_view address;  // "0.0.0.0": all
  std::string_view protocol;
  int64_t port = 0;

  bool collides_with(const HostPort& other) const {
    constexpr std::string_view kAll = "0.0.0.0";
    return protocol == other.protocol && port == other.port &&
           (address == other.address || address == kAll || other.address == kAll);
  }
};

std::vector<HostPort> host_ports(const Pod& pod) {
  std::vector<HostPort> ports;
  for (const ContainerSpec& container : containers_of(pod)) {
    if (container.kind != ContainerKind::kRegular && container.kind != ContainerKind::kSidecar)
      continue;
    for (const objects::ContainerPort& port : container.fields->ports) {
      if (port.host_port <= 0) continue;
      ports.push_back({.address = port.host_ip.empty() ? "0.0.0.0" : port.host_ip,
                       .protocol = port.protocol,
                       .port = port.host_port});
    }
  }
  return ports;
}

}  // namespace node_fit

Refusal check_resources(const Pod& pod, api::View node, const std::vector<PodPtr>& others) {
  using kinds::pods::Amounts;
  const Amounts allocatable = kinds::pods::read_amounts(node["status"]["allocatable"]);
  const int64_t most = node_fit::count("pods", allocatable);
  const auto running = static_cast<int64_t>(others.size());
  if (running + 1 > most) return node_fit::refuse("pods", 1, running, most);

  Amounts used;
  for (const PodPtr& other : others)
    kinds::pods::add(used, pod_requests(other->spec(), Overhead::kCounted));
  const Amounts requests = pod_requests(pod.spec(), Overhead::kCounted);
  for (const std::string_view name : node_fit::counted_names(requests, allocatable)) {
    const int64_t wanted = node_fit::count(name, requests);
    const int64_t taken = node_fit::count(name, used);
    const int64_t capacity = node_fit::count(name, allocatable);
    if (wanted > 0 && wanted > capacity - taken)
      return node_fit::refuse(name, wanted, taken, capacity);
  }
  return {};
}

Refusal check_ports(const Pod& pod, const std::vector<PodPtr>& others) {
  const auto wanted = node_fit::host_ports(pod);
  if (wanted.empty()) return {};
  for (const PodPtr& other : others) {
    for (const node_fit::HostPort& taken : node_fit::host_ports(*other)) {
      for (const node_fit::HostPort& port : wanted) {
        if (!port.collides_with(taken)) continue;
        return {.reason = "NodePorts",
                .message =
                    "Predicate NodePorts failed: node(s) didn't have free ports for the "
                    "requested pod ports"};
      }
    }
  }
  return {};
}

}  // namespace proa::kubelet

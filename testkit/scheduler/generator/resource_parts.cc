#include <set>

#include "testkit/scheduler/generator/plot.h"

// Capacities and requests: amounts and ports.

namespace proa::testkit::generator {
namespace resource_parts {

void make_scarce(const Plot&, Dice& dice, NodePlan& node) {
  if (!dice.percent(35)) return;
  switch (dice.below(6)) {
    case 0:
      node.capacity["cpu"] = "100m";
      break;
    case 1:
      node.capacity["memory"] = "64Mi";
      break;
    case 2:
      node.capacity["pods"] = dice.pick({"0", "1", "3"});
      break;
    case 3:
      node.capacity["cpu"] = "0";
      node.capacity["memory"] = "0";
      break;
    case 4:
      node.capacity.erase("memory");
      break;
    default:
      // Large system reservation.
      node.builder.allocatable({{"cpu", "500m"}, {"memory", "600Mi"}, {"pods", "5"}});
  }
}

Pairs random_amounts(Dice& dice) {
  Pairs amounts;
  if (dice.percent(75))
    amounts.emplace_back("cpu",
                         dice.pick({"0", "1m", "100m", "100m", "250m", "250m", "500m", "1500m"}));
  if (dice.percent(70)) {
    amounts.emplace_back("memory",
                         dice.pick({"0", "1", "64Mi", "64Mi", "200M", "256Mi", "512Mi", "3Gi"}));
  }
  return amounts;
}

void request_amounts(const Plot&, Dice& dice, PodPlan& pod) {
  if (dice.percent(20)) return;
  if (dice.percent(15)) {
    pod.builder.limit(random_amounts(dice));  // defaults the requests
  } else {
    pod.builder.request(random_amounts(dice));
  }
  if (dice.percent(25)) pod.builder.container().request(random_amounts(dice));
}

void offer_extended(const Plot&, Dice& dice, NodePlan& node) {
  if (dice.percent(60)) node.capacity["example.com/gpu"] = dice.pick({"0", "1", "2", "8"});
  if (dice.percent(60)) node.capacity["example.com/license"] = "3";
  if (dice.percent(90)) node.capacity["ephemeral-storage"] = dice.pick({"1Gi", "30Gi", "100Gi"});
  if (dice.percent(40)) node.capacity["hugepages-2Mi"] = dice.pick({"0", "64Mi", "1Gi"});
}

void request_extended(const Plot&, Dice& dice, PodPlan& pod) {
  if (dice.percent(20)) pod.builder.limit({{"example.com/gpu", dice.pick({"0", "1", "2"})}});
  if (dice.percent(8)) pod.builder.limit({{"example.com/license", "1"}});
  if (dice.percent(25))
    pod.builder.request({{"ephemeral-storage", dice.pick({"500M", "2Gi", "20Gi"})}});
  if (dice.percent(10)) {
    pod.builder.request({{"cpu", "100m"}})
        .limit({{"cpu", "2"}, {"hugepages-2Mi", dice.pick({"4Mi", "64Mi", "128Mi"})}});
  }
}

void add_init_containers(const Plot&, Dice& dice, PodPlan& pod) {
  for (int count = dice.between(-2, 3); count > 0; --count) {
    const Pairs amounts = random_amounts(dice);
    if (dice.percent(50)) {
      pod.builder.init_request(amounts);
    } else {
      pod.builder.sidecar_request(amounts);
    }
  }
}

void add_overhead(const Plot&, Dice& dice, PodPlan& pod) {
  if (!dice.percent(30)) return;
  pod.builder.overhead({{"cpu", "250m"}, {"memory", dice.pick({"120Mi", "1Gi"})}});
}

// At least what the containers request, which the server validates.
void request_for_pod(const Plot&, Dice& dice, PodPlan& pod) {
  if (!dice.percent(15)) return;
  if (dice.percent(70)) pod.builder.pod_request({{"cpu", dice.pick({"8", "9"})}});
  if (dice.percent(60)) pod.builder.pod_request({{"memory", dice.pick({"15Gi", "16Gi"})}});
}

std::string container_status(Dice& dice) {
  const std::string allocated =
      json_map({{"cpu", dice.pick({"100m", "1", "2"})}, {"memory", "300Mi"}});
  const std::string actual =
      json_map({{"cpu", dice.pick({"50m", "700m", "3"})}, {"memory", "1Gi"}});
  std::string status = R"({"name":"c1","image":"x","imageID":"","ready":true,"restartCount":0)";
  if (dice.percent(80)) status += R"(,"allocatedResources":)" + allocated;
  if (dice.percent(90)) status += R"(,"resources":{"requests":)" + actual + "}";
  return status + "}";
}

void resize(const Plot&, Dice& dice, PodPlan& pod) {
  if (!pod.runs() || !dice.percent(25)) return;
  pod.builder.status_json("containerStatuses", "[" + container_status(dice) + "]");
  if (dice.percent(20)) {
    pod.builder.status_json("resources", R"({"requests":{"cpu":"2","memory":"10Gi"}})");
    pod.builder.status_json("allocatedResources", R"({"cpu":"4","memory":"9Gi"})");
  }
  if (dice.percent(20)) return;
  const bool pending = dice.percent(70);
  pod.builder.status_json(
      "conditions", R"([{"type":)" +
                        json_text(pending ? "PodResizePending" : "PodResizeInProgress") +
                        R"(,"status":"True","reason":)" +
                        json_text(pending ? dice.pick({"Infeasible", "Deferred"}) : "") + "}]");
}

void open_ports(const Plot&, Dice& dice, PodPlan& pod) {
  if (!dice.percent(pod.runs() ? 25 : 45)) return;
  std::set<std::string> seen;
  const bool on_host = dice.percent(15);
  if (on_host) pod.builder.host_network();
  for (int count = dice.between(1, 2); count > 0; --count) {
    const int port = 8080 + dice.between(0, 2);
    const std::string protocol = dice.pick({"TCP", "TCP", "UDP", "SCTP"});
    const std::string address = dice.pick({"", "", "0.0.0.0", "127.0.0.1", "10.0.0.1", "::1"});
    // The same port twice in a pod is refused, whatever the address.
    if (!seen.insert(std::to_string(port) + protocol).second) continue;
    pod.builder.host_port(port, protocol, address);
  }
}

constexpr Part kParts[] = {
    {Feature::kScarcity, make_scarce, nullptr},
    {Feature::kRequests, nullptr, request_amounts},
    {Feature::kExtendedResources, offer_extended, request_extended},
    {Feature::kInitContainers, nullptr, add_init_containers},
    {Feature::kOverhead, nullptr, add_overhead},
    {Feature::kPodLevelResources, nullptr, request_for_pod},
    {Feature::kResize, nullptr, resize},
    {Feature::kHostPorts, nullptr, open_ports},
};

}  // namespace resource_parts

std::span<const Part> parts_of_resources() { return resource_parts::kParts; }

}  // namespace proa::testkit::generator

#include "controllers/network/load_balancer.h"

#include <algorithm>

#include "api/object/view.h"
#include "api/validation/ip_address.h"
#include "controllers/framework/conditions.h"

namespace proa::controllers {
namespace load_balancer {

using api::View;

// A node, as far as it forwards.
struct Forwarder {
  bool usable = false;
  std::vector<std::pair<IpFamily, std::string>> addresses = {};
  bool operator==(const Forwarder&) const = default;
};

// Go's strconv.ParseBool; what it does not take counts as excluded.
bool is_excluded(const api::Object& node) {
  const auto* mark =
      node.metadata().label("node.kubernetes.io/exclude-from-external-load-balancers");
  if (mark == nullptr) return false;
  constexpr std::string_view kFalse[] = {"0", "f", "F", "false", "False", "FALSE"};
  return std::find(std::begin(kFalse), std::end(kFalse), *mark) == std::end(kFalse);
}

// By the autoscaler, which is about to delete it.
bool is_going(View spec) {
  for (const View taint : spec["taints"].items()) {
    if (taint["key"].text() == "ToBeDeletedByClusterAutoscaler") return true;
  }
  return false;
}

Forwarder read(const api::Object& node) {
  Forwarder forwarder;
  const Result<json::Document> document = node.document();
  if (!document) return forwarder;
  const View root = document->root();
  forwarder.usable = !node.metadata().being_deleted && !is_excluded(node) &&
                     !is_going(root["spec"]) && condition_holds(root["status"], "Ready");
  for (const View address : root["status"]["addresses"].items()) {
    if (address["type"].text() != "InternalIP") continue;
    const auto parsed = api::parse_ip(address["address"].text());
    if (!parsed) continue;
    forwarder.addresses.emplace_back(parsed->is_v4() ? IpFamily::kV4 : IpFamily::kV6,
                                     parsed->str());
  }
  return forwarder;
}

const Forwarder& forwarder_of(const api::Object& node) {
  return node.kept<Forwarder>([&] { return read(node); });
}

BalancerFacts read_service(const api::Object& service) {
  BalancerFacts facts;
  const Result<json::Document> document = service.document();
  if (!document) return facts;
  const View root = document->root();
  const View spec = root["spec"];
  facts.elsewhere = spec["loadBalancerClass"].exists();
  facts.wanted = spec["type"].text() == "LoadBalancer" && !facts.elsewhere;
  facts.being_deleted = service.metadata().being_deleted;
  for (const View finalizer : root["metadata"]["finalizers"].items()) {
    if (finalizer.text() == kBalancerFinalizer) facts.has_finalizer = true;
  }
  for (const View ingress : root["status"]["loadBalancer"]["ingress"].items()) {
    facts.addresses.emplace_back(ingress["ip"].text());
  }
  facts.families = service_facts(service).families;
  return facts;
}

}  // namespace load_balancer

const BalancerFacts& balancer_facts(const api::Object& service) {
  return service.kept<BalancerFacts>([&] { return load_balancer::read_service(service); });
}

bool is_same_forwarder(const api::Object& before, const api::Object& after) {
  return load_balancer::forwarder_of(before) == load_balancer::forwarder_of(after);
}

std::vector<std::string> balancer_addresses(std::span<const api::ObjectPtr> nodes,
                                            std::span<const IpFamily> families) {
  std::vector<std::string> addresses;
  for (const IpFamily family : families) {
    for (const api::ObjectPtr& node : nodes) {
      const load_balancer::Forwarder& forwarder = load_balancer::forwarder_of(*node);
      if (!forwarder.usable) continue;
      for (const auto& [kind, address] : forwarder.addresses) {
        if (kind == family) addresses.push_back(address);
      }
    }
  }
  return addresses;
}

}  // namespace proa::controllers

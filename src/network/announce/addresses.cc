#include "network/announce/addresses.h"

#include <algorithm>
#include <map>

#include "kinds/core/services/balancer_node.h"
#include "network/announce/objects.h"

namespace proa::network {
namespace addresses {

using Names = std::set<std::string>;

struct Nodes {
  Names eligible = {};
  Names with_server = {};
  std::set<IpAddress> addresses = {};
};

Nodes read_nodes(std::span<const api::ObjectPtr> objects) {
  Nodes nodes;
  Names not_ready;
  for (const api::ObjectPtr& object : objects) {
    for (const IpAddress& address : internal_addresses(*object)) nodes.addresses.insert(address);
    const std::string name(object->metadata().name);
    if (object->metadata().label("node-role.kubernetes.io/control-plane") != nullptr) {
      nodes.with_server.insert(name);
    }
    const Result<kinds::BalancerNode> node = api::decode<kinds::BalancerNode>(*object);
    if (!node || kinds::is_excluded_from_balancers(*object, *node)) continue;
    (is_ready(*node) ? nodes.eligible : not_ready).insert(name);
  }
  // Where all seem broken, the heartbeats may be what is broken.
  if (nodes.eligible.empty()) nodes.eligible = std::move(not_ready);
  return nodes;
}

// "namespace/service family" -> nodes with endpoints.
struct Local {
  Names ready = {};
  Names serving = {};  // terminating ones, which serve while there is nothing else
};

std::string local_key(std::string_view name_space, std::string_view service, bool v4) {
  return std::string(name_space) + "/" + std::string(service) + (v4 ? " IPv4" : " IPv6");
}

std::map<std::string, Local> read_slices(std::span<const api::ObjectPtr> objects) {
  std::map<std::string, Local> found;
  for (const api::ObjectPtr& object : objects) {
    const auto* service = object->metadata().label("kubernetes.io/service-name");
    const Result<announced::EndpointSlice> slice = api::decode<announced::EndpointSlice>(*object);
    if (service == nullptr || !slice) continue;
    Local& local =
        found[local_key(object->metadata().name_space, *service, slice->address_type == "IPv4")];
    for (const announced::Endpoint& endpoint : slice->endpoints) {
      if (endpoint.conditions.ready) local.ready.emplace(endpoint.node);
      if (endpoint.conditions.serving) local.serving.emplace(endpoint.node);
    }
  }
  return found;
}

Names both(const Names& a, const Names& b) {
  Names names;
  std::set_intersection(a.begin(), a.end(), b.begin(), b.end(), std::inserter(names, names.end()));
  return names;
}

AnnouncedAddress announced_by(const IpAddress& address, const Names& nodes,
                              const Names& with_server) {
  AnnouncedAddress one{address};
  for (const std::string& node : nodes) {
    (with_server.contains(node) ? one.spare_nodes : one.nodes).push_back(node);
  }
  return one;
}

}  // namespace addresses

std::vector<AnnouncedAddress> announced_addresses(const AnnouncedObjects& objects) {
  using namespace addresses;  // NOLINT: this unit's own
  const Nodes nodes = read_nodes(objects.nodes);
  const std::map<std::string, Local> slices = read_slices(objects.slices);
  std::vector<AnnouncedAddress> all;
  for (const api::ObjectPtr& object : objects.services) {
    const Result<announced::Service> service = api::decode<announced::Service>(*object);
    if (!service || service->spec.type != "LoadBalancer" || service->spec.balancer_class) continue;
    for (const kinds::BalancerIngress& ingress : service->status.balancer.ingress) {
      const auto address = parse_ip(ingress.ip);
      if (!address || ingress.mode != "VIP" || nodes.addresses.contains(*address)) continue;
      Names names = nodes.eligible;
      if (service->spec.external_policy == "Local") {
        const api::Metadata& metadata = object->metadata();
        const auto found =
            slices.find(local_key(metadata.name_space, metadata.name, address->is_v4()));
        const Local local = found == slices.end() ? Local() : found->second;
        names = both(nodes.eligible, local.ready.empty() ? local.serving : local.ready);
      }
      all.push_back(announced_by(*address, names, nodes.with_server));
    }
  }
  std::sort(all.begin(), all.end(), [](const auto& a, const auto& b) {
    return std::tie(a.address, a.nodes, a.spare_nodes) <
           std::tie(b.address, b.nodes, b.spare_nodes);
  });
  return all;
}

std::vector<IpAddress> internal_addresses(const api::Object& object) {
  const Result<kinds::BalancerNode> node = api::decode<kinds::BalancerNode>(object);
  return node ? kinds::internal_addresses(*node) : std::vector<IpAddress>();
}

}  // namespace proa::network

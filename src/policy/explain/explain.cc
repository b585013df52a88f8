#include "policy/explain/explain.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "base/strings.h"
#include "policy/objects/read_facts.h"

namespace proa::policy {
namespace explain {

struct Target {
  IpAddress address;
  uint16_t port = 0;
};

std::string place_text(const IpAddress& address, uint16_t port) {
  return fmt::format(fmt::runtime(address.is_v4() ? "{}:{}" : "[{}]:{}"), address.str(), port);
}

std::optional<uint16_t> read_port(std::string_view text) {
  const auto number = parse_int(text);
  if (!number || *number < 1 || *number > std::numeric_limits<uint16_t>::max()) return std::nullopt;
  return static_cast<uint16_t>(*number);
}

Result<Target> read_target(const Cluster& cluster, const client::Key& from, std::string_view text,
                           uint8_t protocol) {
  const size_t colon = text.rfind(':');
  std::string_view host = text.substr(0, std::min(colon, text.size()));
  std::optional<uint16_t> port;
  if (colon != text.npos) port = read_port(text.substr(colon + 1));
  if (host.starts_with('[') && host.ends_with(']')) host = host.substr(1, host.size() - 2);
  if (colon != text.npos && !port) {
    return Status(Reason::kInvalid, "\"" + std::string(text) + "\" has no port; use ADDRESS:PORT");
  }
  if (const auto address = parse_ip(host)) {
    if (port) return Target{*address, *port};
    return Status(Reason::kInvalid, "an address needs a port, such as " + place_text(*address, 80));
  }
  const auto halves = split_once(host, '/');
  const client::Key key = halves
                              ? client::Key{std::string(halves->before), std::string(halves->after)}
                              : client::Key{from.name_space, std::string(host)};
  const KnownPod* pod = cluster.pod(key);
  if (pod == nullptr) return Status(Reason::kNotFound, "pod " + key.str() + " not found");
  if (pod->addresses.empty()) {
    return Status(Reason::kConflict, "pod " + key.str() + " has no address yet");
  }
  if (port) return Target{pod->addresses.front(), *port};
  const auto declared = std::ranges::find(pod->ports, protocol, &NamedPort::protocol);
  if (declared != pod->ports.end()) return Target{pod->addresses.front(), declared->number};
  return Status(Reason::kInvalid, fmt::format("pod {} declares no {} port; use {}:PORT", key.str(),
                                              protocol_name(protocol), key.str()));
}

std::string name_of(const Cluster& cluster, const IpAddress& address) {
  if (const KnownPod* pod = cluster.pod_at(address)) {
    return fmt::format("pod {} on {}", pod->key.str(), pod->node);
  }
  if (const KnownNode* node = cluster.node_at(address)) return "node " + node->name;
  return cluster.is_dns(address) ? "DNS of the node" : "outside of the cluster";
}

// Who decides in one direction. `pod`: the one whose policies count.
bool decide(const Cluster& cluster, const Connection& connection, Direction direction,
            const KnownPod* pod, std::string& text) {
  const char* word = direction == Direction::kIngress ? "ingress" : "egress";
  if (pod == nullptr) {
    text = "not a pod: no NetworkPolicy applies";
    return true;
  }
  const IpAddress& own =
      direction == Direction::kIngress ? connection.destination : connection.source;
  const std::vector<PolicyId> policies = cluster.model().policies_of(own, direction);
  if (policies.empty()) {
    text = fmt::format("no NetworkPolicy restricts {} of {}", word, pod->key.str());
    return true;
  }
  const auto reason = cluster.model().allowed_by(connection, direction, policies);
  if (reason) {
    text = fmt::format("NetworkPolicy {} allows it, {} rule {}",
                       cluster.model().policy(reason->policy).key.str(), word, reason->rule + 1);
    return true;
  }
  std::vector<std::string> names;
  for (const PolicyId id : policies) names.push_back(cluster.model().policy(id).key.str());
  text = fmt::format("no rule of NetworkPolicy {} allows it", join(names, ", "));
  return false;
}

std::string route_to(const Cluster& cluster, const KnownPod& from, const IpAddress& address) {
  if (const KnownNode* node = cluster.node_of_range(address)) {
    if (node->name == from.node) return "over the bridge of " + from.node;
    return fmt::format(
        "from {} to {}{}, which has the range of the address", from.node, node->name,
        node->addresses.empty() ? "" : fmt::format(" ({})", node->addresses[0].str()));
  }
  if (const KnownNode* node = cluster.node_at(address)) {
    if (node->name == from.node) return "to its own node " + from.node;
    return fmt::format("from {} to {}", from.node, node->name);
  }
  if (cluster.is_dns(address)) return fmt::format("to its own node {}, which answers", from.node);
  return fmt::format("out of the cluster, with the address of {} as sender", from.node);
}

ConnectionPath path_to(const Cluster& cluster, const KnownPod& from, const Target& target,
                       uint8_t protocol) {
  ConnectionPath path{.destination = place_text(target.address, target.port) + ", " +
                                     name_of(cluster, target.address)};
  path.route = route_to(cluster, from, target.address);
  const auto own = std::ranges::find_if(from.addresses, [&](const IpAddress& address) {
    return address.is_v4() == target.address.is_v4();
  });
  if (own == from.addresses.end()) {
    path.egress = "the pod has no address of this IP family";
    return path;
  }
  const Connection connection{*own, target.address, protocol, target.port};
  const KnownPod* called = cluster.pod_at(target.address);
  if (called != nullptr && called->key == from.key) {
    path.egress = path.ingress = "a pod always reaches itself";
    path.allowed = true;
    return path;
  }
  const bool sends = decide(cluster, connection, Direction::kEgress,
                            from.host_network ? nullptr : &from, path.egress);
  if (from.host_network && called != nullptr && called->node == from.node) {
    path.ingress = "a node always reaches its own pods";
    path.allowed = sends;
    return path;
  }
  const bool takes = decide(cluster, connection, Direction::kIngress, called, path.ingress);
  path.allowed = sends && takes;
  return path;
}

json::Value text_value(json::Arena& arena, const std::string& text) {
  return json::Value::string(arena, text);
}

}  // namespace explain

bool ConnectionExplanation::allowed() const {
  return refusal.empty() && std::ranges::all_of(paths, &ConnectionPath::allowed);
}

Result<ConnectionExplanation> explain_connection(const Cluster& cluster, const client::Key& from,
                                                 std::string_view target, uint8_t protocol) {
  using namespace explain;  // NOLINT: this unit's own
  const KnownPod* pod = cluster.pod(from);
  if (pod == nullptr) return Status(Reason::kNotFound, "pod " + from.str() + " not found");
  if (pod->addresses.empty()) {
    return Status(Reason::kConflict, "pod " + from.str() + " has no address yet");
  }
  const Target wanted = TRY(read_target(cluster, from, target, protocol));
  ConnectionExplanation about{
      .from = fmt::format("{} on {}{}", from.str(), pod->node,
                          pod->host_network ? ", in the node's network" : ""),
      .to = fmt::format("{} {}", protocol_name(protocol), place_text(wanted.address, wanted.port))};
  const KnownServicePort* service = cluster.service_at(wanted.address, protocol, wanted.port);
  if (service == nullptr) {
    about.paths.push_back(path_to(cluster, *pod, wanted, protocol));
    return about;
  }
  const std::string rule =
      fmt::format("Service {}{}", service->key.str(),
                  service->port_name.empty() ? "" : ", port " + service->port_name);
  for (const KnownEndpoint& endpoint : cluster.endpoints_of(*service, !wanted.address.is_v4())) {
    ConnectionPath path = path_to(cluster, *pod, {endpoint.address, endpoint.port}, protocol);
    path.service = rule + " leads to this endpoint";
    about.paths.push_back(std::move(path));
  }
  if (about.paths.empty()) about.refusal = rule + " has no ready endpoints: refused";
  return about;
}

Result<Cluster> read_cluster(client::Client& client, const api::Schema& schema,
                             const Until& until) {
  Cluster cluster;
  const auto list = [&](std::string_view group, std::string_view name,
                        void (Cluster::*add)(const api::Object&)) -> Result<void> {
    const client::ObjectList found =
        TRY(client.list({.resource = schema.find_resource(group, "v1", name),
                         .name_space = {},
                         .name = {},
                         .subresource = {}},
                        {}, until));
    for (const api::ObjectPtr& object : found.items) (cluster.*add)(*object);
    return {};
  };
  TRY(list("", "namespaces", &Cluster::add_namespace));
  TRY(list("", "nodes", &Cluster::add_node));
  TRY(list("", "pods", &Cluster::add_pod));
  TRY(list("networking.k8s.io", "networkpolicies", &Cluster::add_policy));
  TRY(list("", "services", &Cluster::add_service));
  TRY(list("discovery.k8s.io", "endpointslices", &Cluster::add_slice));
  return cluster;
}

std::string show_text(const ConnectionExplanation& about) {
  std::string text = fmt::format("{} -> {}: {}\n", about.from, about.to,
                                 about.allowed() ? "allowed" : "not allowed");
  if (!about.refusal.empty()) text += "  " + about.refusal + "\n";
  for (const ConnectionPath& path : about.paths) {
    text += fmt::format("\n{}: {}\n", path.destination, path.allowed ? "allowed" : "dropped");
    if (!path.service.empty()) text += "  service  " + path.service + "\n";
    if (!path.egress.empty()) text += "  egress   " + path.egress + "\n";
    text += "  route    " + path.route + "\n";
    if (!path.ingress.empty()) text += "  ingress  " + path.ingress + "\n";
  }
  return text;
}

json::Document show_json(const ConnectionExplanation& about) {
  json::Document document;
  json::Arena& arena = document.arena();
  json::Value paths = json::Value::array();
  for (const ConnectionPath& path : about.paths) {
    json::Value one = json::Value::object();
    one.set(arena, "destination", explain::text_value(arena, path.destination));
    one.set(arena, "allowed", json::Value::boolean(path.allowed));
    if (!path.service.empty()) one.set(arena, "service", explain::text_value(arena, path.service));
    one.set(arena, "egress", explain::text_value(arena, path.egress));
    one.set(arena, "route", explain::text_value(arena, path.route));
    one.set(arena, "ingress", explain::text_value(arena, path.ingress));
    paths.push_back(arena, std::move(one));
  }
  json::Value root = json::Value::object();
  root.set(arena, "from", explain::text_value(arena, about.from));
  root.set(arena, "to", explain::text_value(arena, about.to));
  root.set(arena, "allowed", json::Value::boolean(about.allowed()));
  if (!about.refusal.empty()) root.set(arena, "refusal", explain::text_value(arena, about.refusal));
  root.set(arena, "paths", std::move(paths));
  document.root() = std::move(root);
  return document;
}

}  // namespace proa::policy

#include "policy/explain/explain.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/strings.h"
#include "policy/explain/target.h"
#include "policy/objects/read_facts.h"

namespace proa::policy {
namespace explain {

std::string name_of(const Cluster& cluster, const IpAddress& address) {
  if (const KnownPod* pod = cluster.pod_at(address)) {
    return fmt::format("pod {} on {}", pod->key.str(), pod->node);
  }
  if (const KnownNode* node = cluster.node_at(address)) return "node " + node->name;
  if (cluster.is_dns(address)) return "DNS of the node";
  if (const KnownNode* node = cluster.node_of_range(address)) {
    return fmt::format("which no pod of {} has", node->name);
  }
  return "outside of the cluster";
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

// Policies are enforced where packets leave and enter a pod.
ConnectionPath loopback_path(const KnownPod& from, const Target& target) {
  const char* reason = "loopback: no NetworkPolicy applies";
  return {.destination = fmt::format("{}, the {} itself", place_text(target.address, target.port),
                                     from.host_network ? "node" : "pod"),
          .service = {},
          .egress = reason,
          .route = from.host_network ? "stays on " + from.node : "stays in the pod",
          .ingress = reason,
          .allowed = true};
}

ConnectionPath path_to(const Cluster& cluster, const KnownPod& from, const KnownEndpoint& target,
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

// Why an address of Services leads nowhere; empty if it does not have to.
std::string refusal_of(const Cluster& cluster, const Target& target, uint8_t protocol) {
  if (cluster.is_dns(target.address)) return {};
  if (const KnownService* service = cluster.service_of_cluster_ip(target.address)) {
    return fmt::format("Service {} has no port {}/{}: refused; it has {}", service->key.str(),
                       target.port, protocol_name(protocol), ports_text(*service));
  }
  if (const IpPrefix* range = cluster.service_range_of(target.address)) {
    return fmt::format("no Service has {}, which is in the range of Services {}: dropped",
                       target.address.str(), range->str());
  }
  return {};
}

// `rule`: the Service that leads to them.
void add_paths(const Cluster& cluster, const KnownPod& from, const std::string& rule,
               const std::vector<KnownEndpoint>& endpoints, uint8_t protocol,
               ConnectionExplanation& into) {
  for (const KnownEndpoint& endpoint : endpoints) {
    ConnectionPath path = path_to(cluster, from, endpoint, protocol);
    path.service = rule + " leads to this endpoint";
    into.paths.push_back(std::move(path));
  }
  if (endpoints.empty()) into.refusal = rule + " has no ready endpoints: refused";
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
  if (pod->ended) return Status(Reason::kConflict, "pod " + from.str() + " has ended");
  if (pod->addresses.empty()) {
    return Status(Reason::kConflict, "pod " + from.str() + " has no address yet");
  }
  const Target wanted = TRY(read_target(cluster, *pod, target, protocol));
  ConnectionExplanation about{
      .from = fmt::format("{} on {}{}", from.str(), pod->node,
                          pod->host_network ? ", in the node's network" : ""),
      .to = fmt::format("{} {}", protocol_name(protocol), place_text(wanted.address, wanted.port))};
  if (wanted.headless != nullptr) {
    const std::string rule = fmt::format("headless Service {}", wanted.headless->key.str());
    about.to = fmt::format("{} port {} of {}", protocol_name(protocol), wanted.port, rule);
    add_paths(cluster, *pod, rule, wanted.endpoints, protocol, about);
    return about;
  }
  if (is_loopback(wanted.address)) {
    about.paths.push_back(loopback_path(*pod, wanted));
    return about;
  }
  if (const auto match = cluster.service_at(wanted.address, protocol, wanted.port)) {
    const std::string rule =
        fmt::format("Service {}{}", match->service->key.str(),
                    match->port->name.empty() ? "" : ", port " + match->port->name);
    add_paths(cluster, *pod, rule, cluster.endpoints_of(*match, !wanted.address.is_v4()), protocol,
              about);
    return about;
  }
  about.refusal = refusal_of(cluster, wanted, protocol);
  if (about.refusal.empty()) {
    about.paths.push_back(path_to(cluster, *pod, {wanted.address, wanted.port}, protocol));
  }
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
  // Servers before v1.33 have none, and not everybody may read them: then the range is unknown.
  const Result<void> ranges =
      list("networking.k8s.io", "servicecidrs", &Cluster::add_service_range);
  if (!ranges.ok() && !ranges.is(Reason::kNotFound) && !ranges.is(Reason::kForbidden)) {
    return ranges.status();
  }
  return cluster;
}

std::string show_text(const ConnectionExplanation& about) {
  const auto open = std::ranges::count_if(about.paths, &ConnectionPath::allowed);
  const std::string verdict =
      about.allowed() ? "allowed"
      : open == 0     ? "not allowed"
                      : fmt::format("allowed to {} of {} endpoints", open, about.paths.size());
  std::string text = fmt::format("{} -> {}: {}\n", about.from, about.to, verdict);
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

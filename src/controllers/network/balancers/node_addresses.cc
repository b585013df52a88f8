#include <algorithm>

#include "base/strings.h"
#include "controllers/network/balancers/address_source.h"
#include "controllers/network/balancers/load_balancer.h"
#include "controllers/network/balancers/port_conflicts.h"
#include "controllers/network/objects.h"

namespace proa::controllers {
namespace node_addresses {

using client::Key;

// Stands for all nodes. Other keys without a namespace are ports: "80/TCP".
const Key kNodes{"", ""};
constexpr const char* kByPort = "node-port";
// Health of the service proxy, on all nodes.
constexpr std::string_view kProxyHealthPort = "10256/TCP";
const Key kApiServerEndpoints{"default", "kubernetes"};

// All ports of nodes that a Service uses or wants.
std::vector<std::string> ports_of_service(const api::Object& service) {
  const BalancerFacts& facts = balancer_facts(service);
  std::vector<std::string> ports = facts.node_ports;
  if (facts.is_served()) ports.insert(ports.end(), facts.ports.begin(), facts.ports.end());
  std::sort(ports.begin(), ports.end());
  ports.erase(std::unique(ports.begin(), ports.end()), ports.end());
  return ports;
}

std::vector<std::string> ports_of_pod(const api::Object& object) {
  // Most pods have none, and need not be decoded for that.
  if (object.json().find("\"hostPort\"") == std::string_view::npos) return {};
  const Result<network::HostPortPod> pod = api::decode<network::HostPortPod>(object);
  if (!pod || pod->spec.node.empty()) return {};
  if (pod->status.phase == "Succeeded" || pod->status.phase == "Failed") return {};
  std::vector<std::string> ports;
  for (const auto* containers : {&pod->spec.init_containers, &pod->spec.containers}) {
    for (const network::HostPortContainer& container : *containers) {
      for (const network::HostPort& port : container.ports) {
        const bool loopback = port.address.starts_with("127.") || port.address == "::1";
        if (port.number == 0 || loopback) continue;
        ports.push_back(port_text(port.number, port.protocol));
      }
    }
  }
  return ports;
}

std::string node_of_pod(const api::Object& object) {
  const Result<network::HostPortPod> pod = api::decode<network::HostPortPod>(object);
  return pod ? std::string(pod->spec.node) : std::string();
}

// The family that both have; nullopt: both families. `shared` is false if there is none.
std::optional<IpFamily> shared_family(const BalancerFacts& a, const BalancerFacts& b,
                                      bool& shared) {
  std::vector<IpFamily> both;
  for (const IpFamily family : a.families) {
    if (std::find(b.families.begin(), b.families.end(), family) != b.families.end()) {
      both.push_back(family);
    }
  }
  shared = !both.empty();
  if (both.size() == 1) return both.front();
  return std::nullopt;
}

class NodeAddresses final : public AddressSource {
 public:
  explicit NodeAddresses(const ControllerContext& context)
      : services_(context.informers.indexed("", "services", kByPort, ports_of_service)),
        pods_(context.informers.indexed("", "pods", kByPort, ports_of_pod)),
        nodes_(context.informers.of("", "nodes")),
        slices_(context.informers.of("discovery.k8s.io", "endpointslices")) {}

  void listen(client::WorkQueue& queue) override {
    nodes_.add_handler([&queue](const client::Change& change) {
      if (change.before == nullptr || change.after == nullptr ||
          forwarder_of(*change.before) != forwarder_of(*change.after)) {
        queue.add(kNodes);
      }
    });
    services_.add_handler(
        [&queue](const client::Change& change) { queue_ports(queue, change, ports_of_service); });
    pods_.add_handler(
        [&queue](const client::Change& change) { queue_ports(queue, change, ports_of_pod); });
  }

  std::vector<Key> expand(const Key& key) override {
    const auto services = key == kNodes ? services_.cache().find(kServed, "")
                                        : services_.cache().find(kByPort, key.name);
    std::vector<Key> keys;
    for (const api::ObjectPtr& service : services) {
      if (balancer_facts(*service).concerns_us()) keys.push_back(Key::of(*service));
    }
    return keys;
  }

  Answer addresses_of(const api::Object& service) override {
    const BalancerFacts& facts = balancer_facts(service);
    const std::vector<api::ObjectPtr> nodes = nodes_.cache().list();
    std::vector<PortUse> uses;
    for (const std::string& port : facts.ports) {
      add_services(service, port, uses);
      add_pods(port, uses);
      add_programs(port, nodes, uses);
    }
    AddressesOfNodes chosen = choose_node_addresses(nodes, facts.families, uses);
    Answer answer{.addresses = std::move(chosen.addresses),
                  .problem = join(chosen.conflicts, ", ")};
    if (!facts.requested_ip.empty()) {
      answer.ignored = "loadBalancerIP " + facts.requested_ip +
                       " is ignored: load balancers have the addresses of the nodes "
                       "(--load-balancer-pool=nodes)";
    }
    return answer;
  }

  void release(const Key& service) override { static_cast<void>(service); }
  bool is_announced() const override { return false; }

 private:
  // Services that share a port with what changed may have to give it up, or may have it now.
  static void queue_ports(client::WorkQueue& queue, const client::Change& change,
                          std::vector<std::string> (*ports_of)(const api::Object&)) {
    const auto before = change.before ? ports_of(*change.before) : std::vector<std::string>();
    const auto after = change.after ? ports_of(*change.after) : std::vector<std::string>();
    if (before == after) return;
    for (const auto* ports : {&before, &after}) {
      for (const std::string& port : *ports) queue.add({"", port});
    }
  }

  void add_services(const api::Object& service, const std::string& port,
                    std::vector<PortUse>& uses) const {
    const BalancerFacts& facts = balancer_facts(service);
    for (const api::ObjectPtr& other : services_.cache().find(kByPort, port)) {
      if (Key::of(*other) == Key::of(service)) continue;
      const BalancerFacts& theirs = balancer_facts(*other);
      bool shared = false;
      const std::optional<IpFamily> family = shared_family(facts, theirs, shared);
      const bool is_node_port = std::find(theirs.node_ports.begin(), theirs.node_ports.end(),
                                          port) != theirs.node_ports.end();
      if (shared && (is_node_port || has_port_before(*other, service))) {
        uses.push_back({port, "Service " + Key::of(*other).str(), "", family});
      }
    }
  }

  void add_pods(const std::string& port, std::vector<PortUse>& uses) const {
    for (const api::ObjectPtr& pod : pods_.cache().find(kByPort, port)) {
      uses.push_back({port, "pod " + Key::of(*pod).str(), node_of_pod(*pod)});
    }
  }

  void add_programs(const std::string& port, std::span<const api::ObjectPtr> nodes,
                    std::vector<PortUse>& uses) const {
    if (port == kProxyHealthPort) uses.push_back({port, "the service proxy"});
    const std::vector<IpAddress> servers = api_servers(port);
    for (const api::ObjectPtr& node : nodes) {
      const Forwarder& forwarder = forwarder_of(*node);
      const std::string name(node->metadata().name);
      if (port == forwarder.kubelet_port) uses.push_back({port, "the kubelet", name});
      const auto& own = forwarder.addresses;
      if (std::find_first_of(own.begin(), own.end(), servers.begin(), servers.end()) != own.end()) {
        uses.push_back({port, "the API server", name});
      }
      const auto& others = forwarder.used_ports;
      if (std::find(others.begin(), others.end(), port) != others.end()) {
        uses.push_back({port, "a program", name});
      }
    }
  }

  // Addresses at which API servers listen on this port.
  std::vector<IpAddress> api_servers(const std::string& port) const {
    const api::ObjectPtr slice = slices_.cache().get(kApiServerEndpoints);
    const auto read = slice ? api::decode<network::ServerSlice>(*slice) : network::ServerSlice();
    std::vector<IpAddress> addresses;
    if (!read) return addresses;
    const bool listens =
        std::any_of(read->ports.begin(), read->ports.end(), [&](const network::ServerPort& one) {
          return port_text(one.number, one.protocol) == port;
        });
    if (!listens) return addresses;
    for (const network::ServerEndpoint& endpoint : read->endpoints) {
      for (const std::string_view text : endpoint.addresses) {
        if (const auto address = parse_ip(text)) addresses.push_back(*address);
      }
    }
    return addresses;
  }

  client::Informer& services_;
  client::Informer& pods_;
  client::Informer& nodes_;
  client::Informer& slices_;
};

}  // namespace node_addresses

std::unique_ptr<AddressSource> make_node_addresses(const ControllerContext& context) {
  return std::make_unique<node_addresses::NodeAddresses>(context);
}

}  // namespace proa::controllers

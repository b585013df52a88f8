#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "api/object/object.h"
#include "policy/model/policy_model.h"

namespace proa::policy {

// A pod as explanations name it.
struct KnownPod {
  client::Key key;
  std::string node;
  bool host_network = false;
  bool ended = false;                     // its addresses may be another pod's by now
  std::vector<IpAddress> addresses = {};  // with a host's network: the node's
  std::vector<NamedPort> ports = {};      // also those without a name
};

struct KnownNode {
  std::string name;
  std::vector<IpAddress> addresses = {};
  std::vector<IpPrefix> ranges = {};  // of its pods
};

struct KnownServicePort {
  std::string name;
  uint8_t protocol = 6;
  uint16_t port = 0;
  uint16_t node_port = 0;
};

struct KnownService {
  client::Key key;
  std::string external_name = {};  // of type ExternalName: the name that it stands for
  bool headless = false;
  bool dns_of_nodes = false;  // each node answers at its addresses itself
  std::vector<IpAddress> cluster_ips = {};
  std::vector<IpAddress> outer_addresses = {};  // external IPs, those of load balancers
  std::vector<KnownServicePort> ports = {};
};

// A port of a Service, as an address and a port lead to it.
struct ServiceMatch {
  const KnownService* service = nullptr;
  const KnownServicePort* port = nullptr;
};

struct KnownEndpoint {
  IpAddress address;
  uint16_t port = 0;
};

// The cluster as far as connections are concerned. Pure.
class Cluster {
 public:
  void add_policy(const api::Object& policy);
  void add_namespace(const api::Object& name_space);
  void add_pod(const api::Object& pod);
  void add_node(const api::Object& node);
  void add_service(const api::Object& service);
  void add_slice(const api::Object& slice);
  void add_service_range(const api::Object& service_cidr);

  // All pods are of this node as far as it knows.
  const PolicyModel& model() const { return model_; }
  const KnownPod* pod(const client::Key& key) const;
  // Null if no pod that runs has it as its own address.
  const KnownPod* pod_at(const IpAddress& address) const;
  const KnownNode* node(const std::string& name) const;
  const KnownNode* node_at(const IpAddress& address) const;
  // Whether each node answers DNS there itself.
  bool is_dns(const IpAddress& address) const;
  // The node whose range of pods has the address; null if none has.
  const KnownNode* node_of_range(const IpAddress& address) const;
  const KnownService* service(const client::Key& key) const;
  // Nullopt if none is at this address and port, or the node itself answers there.
  std::optional<ServiceMatch> service_at(const IpAddress& address, uint8_t protocol,
                                         uint16_t port) const;
  // Whose cluster IP it is, whatever the ports; null if nobody's.
  const KnownService* service_of_cluster_ip(const IpAddress& address) const;
  // The range of cluster IPs that has the address; null if none has.
  const IpPrefix* service_range_of(const IpAddress& address) const;
  // Those that are ready.
  std::vector<KnownEndpoint> endpoints_of(const ServiceMatch& match, bool v6) const;
  // The addresses of those, whatever the ports.
  std::vector<IpAddress> addresses_of(const KnownService& service) const;

 private:
  struct KnownSlice {
    client::Key service;
    std::vector<KnownServicePort> ports = {};
    std::vector<IpAddress> addresses = {};
  };

  PolicyModel model_;
  std::map<client::Key, KnownPod> pods_;
  std::vector<KnownNode> nodes_;
  std::map<client::Key, KnownService> services_;
  std::vector<KnownSlice> slices_;
  std::vector<IpPrefix> service_ranges_;
};

}  // namespace proa::policy

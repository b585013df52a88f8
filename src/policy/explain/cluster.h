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
  std::vector<IpAddress> addresses = {};  // with a host's network: the node's
  std::vector<NamedPort> ports = {};      // also those without a name
};

struct KnownNode {
  std::string name;
  std::vector<IpAddress> addresses = {};
  std::vector<IpPrefix> ranges = {};  // of its pods
};

// One port of a Service.
struct KnownServicePort {
  client::Key key;
  std::string port_name;
  uint8_t protocol = 6;
  uint16_t port = 0;
  uint16_t node_port = 0;
  std::vector<IpAddress> addresses = {};  // cluster IPs, external IPs, those of load balancers
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

  // All pods are of this node as far as it knows.
  const PolicyModel& model() const { return model_; }
  const KnownPod* pod(const client::Key& key) const;
  // Null if no pod has it as its own address.
  const KnownPod* pod_at(const IpAddress& address) const;
  const KnownNode* node(const std::string& name) const;
  const KnownNode* node_at(const IpAddress& address) const;
  // Whether each node answers DNS there itself.
  bool is_dns(const IpAddress& address) const;
  // The node whose range of pods has the address; null if none has.
  const KnownNode* node_of_range(const IpAddress& address) const;
  // Null if there is none at this address and port.
  const KnownServicePort* service_at(const IpAddress& address, uint8_t protocol,
                                     uint16_t port) const;
  // Those that are ready.
  std::vector<KnownEndpoint> endpoints_of(const KnownServicePort& service, bool v6) const;

 private:
  struct KnownSlice {
    client::Key service;
    std::string port_name;
    uint8_t protocol = 6;
    uint16_t port = 0;
    std::vector<IpAddress> addresses = {};
  };

  PolicyModel model_;
  std::map<client::Key, KnownPod> pods_;
  std::vector<KnownNode> nodes_;
  std::vector<KnownServicePort> services_;
  std::vector<KnownSlice> slices_;
  std::vector<IpAddress> dns_;
};

}  // namespace proa::policy

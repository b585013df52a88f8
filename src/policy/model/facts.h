#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "api/selector/label_selector.h"
#include "base/net/ip_address.h"

// Policies and pods as far as policies are concerned.

namespace proa::policy {

enum class Direction : uint8_t { kIngress, kEgress };
constexpr Direction kDirections[] = {Direction::kIngress, Direction::kEgress};

using Labels = std::vector<std::pair<std::string, std::string>>;
// As selectors take them; valid as long as the labels are.
std::vector<api::LabelPair> views_of(const Labels& labels);

// Ports of a protocol: all, a range, or those of a name in the pods that are called.
struct Ports {
  uint8_t protocol = 6;  // IPPROTO_TCP
  uint16_t first = 0;
  uint16_t last = 65535;
  std::string name = {};  // empty: by numbers

  bool operator==(const Ports&) const = default;
};

// Pods of a namespace, or of all those that a selector matches.
struct PodPeer {
  std::string name_space = {};  // empty: by `namespaces`
  api::LabelSelector namespaces = {};
  api::LabelSelector pods = {};

  bool operator==(const PodPeer&) const = default;
};

struct AddressPeer {
  IpPrefix range;
  std::vector<IpPrefix> except = {};

  bool contains(const IpAddress& address) const;
  bool operator==(const AddressPeer&) const = default;
};

using Peer = std::variant<PodPeer, AddressPeer>;

// One rule of a policy: who, at which ports.
struct Allowance {
  std::vector<Peer> peers = {};   // empty: everybody
  std::vector<Ports> ports = {};  // empty: all

  bool operator==(const Allowance&) const = default;
};

struct PolicyFacts {
  api::LabelSelector pods = {};  // of the policy's namespace
  bool ingress = false;          // restricts what comes to the pods
  bool egress = false;           // what they send
  std::vector<Allowance> from = {};
  std::vector<Allowance> to = {};
  bool too_large = false;  // so it isolates its pods, and allows nothing

  bool restricts(Direction direction) const {
    return direction == Direction::kIngress ? ingress : egress;
  }
  const std::vector<Allowance>& allowances(Direction direction) const {
    return direction == Direction::kIngress ? from : to;
  }
  bool operator==(const PolicyFacts&) const = default;
};

struct NamedPort {
  std::string name;
  uint8_t protocol = 6;
  uint16_t number = 0;

  bool operator==(const NamedPort&) const = default;
};

// A pod with addresses of its own.
struct PodFacts {
  bool local = false;  // on this node
  Labels labels = {};
  std::vector<IpAddress> addresses = {};
  std::vector<NamedPort> ports = {};

  bool operator==(const PodFacts&) const = default;
};

}  // namespace proa::policy

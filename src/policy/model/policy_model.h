#pragma once

#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

#include "client/key.h"
#include "policy/model/address_sets.h"
#include "policy/model/facts.h"
#include "policy/model/ranges.h"

namespace proa::policy {

using PolicyId = SelectorIndex::Id;

// One rule, with its selectors as sets, and its blocks and ports as ranges.
struct Permission {
  // Who: everybody, or those of sets and ranges.
  bool any_peer = false;
  std::vector<SetId> peers = {};
  AddressRanges blocks4 = {};
  AddressRanges blocks6 = {};
  // At which ports: all, those of ranges, or named ones of a set, with the addresses that have
  // them.
  bool any_port = false;
  std::vector<ProtocolPorts> ports = {};
  std::optional<SetId> named = std::nullopt;
  size_t rule = 0;  // its place in the policy

  const AddressRanges& blocks(bool v6) const { return v6 ? blocks6 : blocks4; }
};

// A policy that selects a pod of this node. A changed policy is another one, with another id.
struct ActivePolicy {
  client::Key key;
  bool ingress = false;
  bool egress = false;
  std::vector<Permission> from = {};
  std::vector<Permission> to = {};

  bool restricts(Direction direction) const {
    return direction == Direction::kIngress ? ingress : egress;
  }
  const std::vector<Permission>& permissions(Direction direction) const {
    return direction == Direction::kIngress ? from : to;
  }
};

// What changed since it was last taken.
struct ModelChange {
  SetChanges sets = {};
  std::vector<PolicyId> created = {};
  std::vector<PolicyId> removed = {};
  std::set<IpAddress> pods = {};  // of this node: other policies may select them

  bool empty() const {
    return sets.created.empty() && sets.removed.empty() && sets.elements.empty() &&
           created.empty() && removed.empty() && pods.empty();
  }
};

// A connection, judged by the address of the pod that it is to or from. The ports are the called
// side's.
struct Connection {
  IpAddress source;
  IpAddress destination;
  uint8_t protocol = 6;
  uint16_t port = 0;
};

// All policies, namespaces and pods, and what they mean for the pods of this node. Pure. A change
// costs as much as what it affects, however many policies there are.
class PolicyModel {
 public:
  // Nullopt: there is none.
  void set_policy(const client::Key& key, std::optional<PolicyFacts> facts);
  void set_namespace(const std::string& name, std::optional<Labels> labels);
  void set_pod(const client::Key& key, std::optional<PodFacts> facts);

  ModelChange take();
  // As if nothing was taken yet.
  ModelChange everything() const;

  const AddressSets& sets() const { return sets_; }
  const ActivePolicy& policy(PolicyId id) const { return active_.at(id); }
  // Those that restrict the direction, ascending; empty: everything is allowed.
  std::vector<PolicyId> policies_of(const IpAddress& pod, Direction direction) const;
  std::vector<IpAddress> local_addresses() const;

  // Whether the pods of this node that it concerns allow it. Traffic of the node itself is not its
  // business.
  bool allows(const Connection& connection) const;
  // The policy that allows it in this direction; nullopt: none does.
  struct Reason {
    PolicyId policy = 0;
    size_t rule = 0;
  };
  std::optional<Reason> allowed_by(const Connection& connection, Direction direction,
                                   const std::vector<PolicyId>& policies) const;

 private:
  struct Policy {
    client::Key key;
    PolicyFacts facts;
    size_t pods = 0;  // of this node that it selects
  };
  struct LocalPod {
    PodFacts facts;
    std::vector<PolicyId> policies;  // ascending
  };
  struct Namespace {
    SelectorIndex subjects;  // of policies
    std::map<std::string, LocalPod> pods;
  };

  std::vector<PolicyId> policies_for(const Namespace& place, const PodFacts& facts) const;
  void select(PolicyId id);
  void deselect(PolicyId id);
  void compile(const Policy& policy, Direction direction, std::vector<Permission>& into);
  void compile_peers(const Allowance& allowance, Permission& permission);
  void release(const std::vector<Permission>& permissions);
  void set_local(const client::Key& key, std::optional<PodFacts> facts);
  void move(const client::Key& key, LocalPod& pod, PodFacts facts, std::vector<PolicyId> policies);
  bool matches(const Permission& permission, const Connection& connection,
               Direction direction) const;
  void remove_policy(Namespace& place, PolicyId id);

  AddressSets sets_;
  std::unordered_map<std::string, Namespace> namespaces_;
  std::unordered_map<PolicyId, std::unique_ptr<Policy>> policies_;
  std::unordered_map<client::Key, PolicyId> by_key_;
  std::map<PolicyId, ActivePolicy> active_;
  // Two pods may have an address for a moment: the policies of both apply.
  std::map<IpAddress, std::map<client::Key, const LocalPod*>> addresses_;
  PolicyId last_ = 0;

  std::set<PolicyId> created_;
  std::vector<PolicyId> removed_;
  std::set<IpAddress> touched_;
};

}  // namespace proa::policy

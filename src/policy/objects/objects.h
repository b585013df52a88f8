#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "api/typed/decode.h"

// The fields of NetworkPolicies and Pods that decide who may talk to whom.

namespace proa::policy::objects {

struct PolicyPort {
  std::string_view protocol = "TCP";
  std::optional<api::IntOrString> port;
  std::optional<int64_t> end_port;

  static const api::FieldTable& table();
};

struct IpBlock {
  std::string_view cidr;
  std::vector<std::string_view> except;

  static const api::FieldTable& table();
};

struct PolicyPeer {
  std::optional<api::LabelSelector> pod_selector;
  std::optional<api::LabelSelector> namespace_selector;
  std::optional<IpBlock> ip_block;

  static const api::FieldTable& table();
};

struct IngressRule {
  std::vector<PolicyPort> ports;
  std::vector<PolicyPeer> from;

  static const api::FieldTable& table();
};

struct EgressRule {
  std::vector<PolicyPort> ports;
  std::vector<PolicyPeer> to;

  static const api::FieldTable& table();
};

struct PolicySpec {
  api::LabelSelector pod_selector;
  std::vector<IngressRule> ingress;
  std::vector<EgressRule> egress;
  std::vector<std::string_view> types;

  static const api::FieldTable& table();
};

struct NetworkPolicy {
  PolicySpec spec;

  static const api::FieldTable& table();
};

struct ContainerPort {
  std::string_view name;
  std::string_view protocol = "TCP";
  int64_t number = 0;

  static const api::FieldTable& table();
};

struct Container {
  std::vector<ContainerPort> ports;
  std::string_view restart_policy;

  static const api::FieldTable& table();
};

struct PodSpec {
  std::string_view node_name;
  bool host_network = false;
  std::vector<Container> containers;
  std::vector<Container> init_containers;

  static const api::FieldTable& table();
};

struct PodAddress {
  std::string_view ip;

  static const api::FieldTable& table();
};

struct PodStatus {
  std::string_view phase;
  std::vector<PodAddress> addresses;

  static const api::FieldTable& table();
};

struct Pod {
  PodSpec spec;
  PodStatus status;

  static const api::FieldTable& table();
};

}  // namespace proa::policy::objects

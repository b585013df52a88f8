#include "policy/objects/objects.h"

namespace proa::policy::objects {

using api::entry;

const api::FieldTable& PolicyPort::table() {
  static constexpr api::FieldEntry kEntries[] = {
      entry<&PolicyPort::protocol>("protocol"),
      entry<&PolicyPort::port>("port"),
      entry<&PolicyPort::end_port>("endPort"),
  };
  static constexpr api::FieldTable kTable{.types = "networking.k8s.io/v1/NetworkPolicyPort",
                                          .entries = kEntries};
  return kTable;
}

const api::FieldTable& IpBlock::table() {
  static constexpr api::FieldEntry kEntries[] = {
      entry<&IpBlock::cidr>("cidr"),
      entry<&IpBlock::except>("except"),
  };
  static constexpr api::FieldTable kTable{.types = "networking.k8s.io/v1/IPBlock",
                                          .entries = kEntries};
  return kTable;
}

const api::FieldTable& PolicyPeer::table() {
  static constexpr api::FieldEntry kEntries[] = {
      entry<&PolicyPeer::pod_selector>("podSelector"),
      entry<&PolicyPeer::namespace_selector>("namespaceSelector"),
      entry<&PolicyPeer::ip_block>("ipBlock"),
  };
  static constexpr api::FieldTable kTable{.types = "networking.k8s.io/v1/NetworkPolicyPeer",
                                          .entries = kEntries};
  return kTable;
}

const api::FieldTable& IngressRule::table() {
  static constexpr api::FieldEntry kEntries[] = {
      entry<&IngressRule::ports>("ports"),
      entry<&IngressRule::from>("from"),
  };
  static constexpr api::FieldTable kTable{.types = "networking.k8s.io/v1/NetworkPolicyIngressRule",
                                          .entries = kEntries};
  return kTable;
}

const api::FieldTable& EgressRule::table() {
  static constexpr api::FieldEntry kEntries[] = {
      entry<&EgressRule::ports>("ports"),
      entry<&EgressRule::to>("to"),
  };
  static constexpr api::FieldTable kTable{.types = "networking.k8s.io/v1/NetworkPolicyEgressRule",
                                          .entries = kEntries};
  return kTable;
}

const api::FieldTable& PolicySpec::table() {
  static constexpr api::FieldEntry kEntries[] = {
      entry<&PolicySpec::pod_selector>("podSelector"),
      entry<&PolicySpec::ingress>("ingress"),
      entry<&PolicySpec::egress>("egress"),
      entry<&PolicySpec::types>("policyTypes"),
  };
  static constexpr api::FieldTable kTable{.types = "networking.k8s.io/v1/NetworkPolicySpec",
                                          .entries = kEntries};
  return kTable;
}

const api::FieldTable& NetworkPolicy::table() {
  static constexpr api::FieldEntry kEntries[] = {entry<&NetworkPolicy::spec>("spec")};
  static constexpr api::FieldTable kTable{.types = "networking.k8s.io/v1/NetworkPolicy",
                                          .entries = kEntries};
  return kTable;
}

const api::FieldTable& ContainerPort::table() {
  static constexpr api::FieldEntry kEntries[] = {
      entry<&ContainerPort::name>("name"),
      entry<&ContainerPort::protocol>("protocol"),
      entry<&ContainerPort::number>("containerPort"),
  };
  static constexpr api::FieldTable kTable{.types = "v1/ContainerPort", .entries = kEntries};
  return kTable;
}

const api::FieldTable& Container::table() {
  static constexpr api::FieldEntry kEntries[] = {
      entry<&Container::ports>("ports"),
      entry<&Container::restart_policy>("restartPolicy"),
  };
  static constexpr api::FieldTable kTable{.types = "v1/Container", .entries = kEntries};
  return kTable;
}

const api::FieldTable& PodSpec::table() {
  static constexpr api::FieldEntry kEntries[] = {
      entry<&PodSpec::node_name>("nodeName"),
      entry<&PodSpec::host_network>("hostNetwork"),
      entry<&PodSpec::containers>("containers"),
      entry<&PodSpec::init_containers>("initContainers"),
  };
  static constexpr api::FieldTable kTable{.types = "v1/PodSpec", .entries = kEntries};
  return kTable;
}

const api::FieldTable& PodAddress::table() {
  static constexpr api::FieldEntry kEntries[] = {entry<&PodAddress::ip>("ip")};
  static constexpr api::FieldTable kTable{.types = "v1/PodIP", .entries = kEntries};
  return kTable;
}

const api::FieldTable& PodStatus::table() {
  static constexpr api::FieldEntry kEntries[] = {
      entry<&PodStatus::phase>("phase"),
      entry<&PodStatus::addresses>("podIPs"),
  };
  static constexpr api::FieldTable kTable{.types = "v1/PodStatus", .entries = kEntries};
  return kTable;
}

const api::FieldTable& Pod::table() {
  static constexpr api::FieldEntry kEntries[] = {
      entry<&Pod::spec>("spec"),
      entry<&Pod::status>("status"),
  };
  static constexpr api::FieldTable kTable{.types = "v1/Pod", .entries = kEntries};
  return kTable;
}

}  // namespace proa::policy::objects

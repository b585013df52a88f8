#include "network/announce/objects.h"

#include "kinds/core/services/announcements.h"

namespace proa::network::announced {

using api::entry;

const api::FieldTable& ServicePort::table() {
  static constexpr api::FieldEntry kEntries[] = {
      entry<&ServicePort::number>("port"),
      entry<&ServicePort::protocol>("protocol"),
  };
  static constexpr api::FieldTable kTable{.types = "v1/ServicePort", .entries = kEntries};
  return kTable;
}

const api::FieldTable& ServiceSpec::table() {
  static constexpr api::FieldEntry kEntries[] = {
      entry<&ServiceSpec::type>("type"),
      entry<&ServiceSpec::ports>("ports"),
      entry<&ServiceSpec::external_policy>("externalTrafficPolicy"),
      entry<&ServiceSpec::balancer_class>("loadBalancerClass"),
  };
  static constexpr api::FieldTable kTable{.types = "v1/ServiceSpec", .entries = kEntries};
  return kTable;
}

const api::FieldTable& BalancerIngress::table() {
  static constexpr api::FieldEntry kEntries[] = {
      entry<&BalancerIngress::ip>("ip"),
      entry<&BalancerIngress::mode>("ipMode"),
  };
  static constexpr api::FieldTable kTable{.types = "v1/LoadBalancerIngress", .entries = kEntries};
  return kTable;
}

const api::FieldTable& BalancerStatus::table() {
  static constexpr api::FieldEntry kEntries[] = {
      entry<&BalancerStatus::ingress>("ingress"),
  };
  static constexpr api::FieldTable kTable{.types = "v1/LoadBalancerStatus", .entries = kEntries};
  return kTable;
}

const api::FieldTable& ServiceStatus::table() {
  static constexpr api::FieldEntry kEntries[] = {
      entry<&ServiceStatus::balancer>("loadBalancer"),
  };
  static constexpr api::FieldTable kTable{.types = "v1/ServiceStatus", .entries = kEntries};
  return kTable;
}

const api::FieldTable& Service::table() {
  static constexpr api::FieldEntry kEntries[] = {
      entry<&Service::spec>("spec"),
      entry<&Service::status>("status"),
  };
  static constexpr api::FieldTable kTable{.types = "v1/Service", .entries = kEntries};
  return kTable;
}

const api::FieldTable& EndpointConditions::table() {
  static constexpr api::FieldEntry kEntries[] = {
      entry<&EndpointConditions::ready>("ready"),
      entry<&EndpointConditions::serving>("serving"),
  };
  static constexpr api::FieldTable kTable{.types = "discovery.k8s.io/v1/EndpointConditions",
                                          .entries = kEntries};
  return kTable;
}

const api::FieldTable& Endpoint::table() {
  static constexpr api::FieldEntry kEntries[] = {
      entry<&Endpoint::conditions>("conditions"),
      entry<&Endpoint::node>("nodeName"),
  };
  static constexpr api::FieldTable kTable{.types = "discovery.k8s.io/v1/Endpoint",
                                          .entries = kEntries};
  return kTable;
}

const api::FieldTable& EndpointSlice::table() {
  static constexpr api::FieldEntry kEntries[] = {
      entry<&EndpointSlice::address_type>("addressType"),
      entry<&EndpointSlice::endpoints>("endpoints"),
  };
  static constexpr api::FieldTable kTable{.types = "discovery.k8s.io/v1/EndpointSlice",
                                          .entries = kEntries};
  return kTable;
}

const api::FieldTable& NodeTaint::table() {
  static constexpr api::FieldEntry kEntries[] = {
      entry<&NodeTaint::key>("key"),
  };
  static constexpr api::FieldTable kTable{.types = "v1/Taint", .entries = kEntries};
  return kTable;
}

const api::FieldTable& NodeSpec::table() {
  static constexpr api::FieldEntry kEntries[] = {
      entry<&NodeSpec::taints>("taints"),
  };
  static constexpr api::FieldTable kTable{.types = "v1/NodeSpec", .entries = kEntries};
  return kTable;
}

const api::FieldTable& NodeAddress::table() {
  static constexpr api::FieldEntry kEntries[] = {
      entry<&NodeAddress::type>("type"),
      entry<&NodeAddress::address>("address"),
  };
  static constexpr api::FieldTable kTable{.types = "v1/NodeAddress", .entries = kEntries};
  return kTable;
}

const api::FieldTable& NodeCondition::table() {
  static constexpr api::FieldEntry kEntries[] = {
      entry<&NodeCondition::type>("type"),
      entry<&NodeCondition::status>("status"),
  };
  static constexpr api::FieldTable kTable{.types = "v1/NodeCondition", .entries = kEntries};
  return kTable;
}

const api::FieldTable& NodeStatus::table() {
  static constexpr api::FieldEntry kEntries[] = {
      entry<&NodeStatus::conditions>("conditions"),
      entry<&NodeStatus::addresses>("addresses"),
  };
  static constexpr api::FieldTable kTable{.types = "v1/NodeStatus", .entries = kEntries};
  return kTable;
}

const api::FieldTable& NodeAnnotations::table() {
  static constexpr api::FieldEntry kEntries[] = {
      entry<&NodeAnnotations::used_ports>(kinds::kUsedPorts),
  };
  static constexpr api::FieldTable kTable{.types = api::FieldTable::kMap, .entries = kEntries};
  return kTable;
}

const api::FieldTable& NodeMetadata::table() {
  static constexpr api::FieldEntry kEntries[] = {
      entry<&NodeMetadata::annotations>("annotations"),
  };
  static constexpr api::FieldTable kTable{.types = "meta.k8s.io/v1/ObjectMeta",
                                          .entries = kEntries};
  return kTable;
}

const api::FieldTable& Node::table() {
  static constexpr api::FieldEntry kEntries[] = {
      entry<&Node::metadata>("metadata"),
      entry<&Node::spec>("spec"),
      entry<&Node::status>("status"),
  };
  static constexpr api::FieldTable kTable{.types = "v1/Node", .entries = kEntries};
  return kTable;
}

const api::FieldTable& LeaseSpec::table() {
  static constexpr api::FieldEntry kEntries[] = {
      entry<&LeaseSpec::holder>("holderIdentity"),
      entry<&LeaseSpec::renewed>("renewTime"),
  };
  static constexpr api::FieldTable kTable{.types = "coordination.k8s.io/v1/LeaseSpec",
                                          .entries = kEntries};
  return kTable;
}

const api::FieldTable& Lease::table() {
  static constexpr api::FieldEntry kEntries[] = {
      entry<&Lease::spec>("spec"),
  };
  static constexpr api::FieldTable kTable{.types = "coordination.k8s.io/v1/Lease",
                                          .entries = kEntries};
  return kTable;
}

}  // namespace proa::network::announced

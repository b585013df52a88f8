#include "proxy/objects/objects.h"

namespace proa::proxy::objects {

using api::entry;

const api::FieldTable& ServicePortSpec::table() {
  static constexpr api::FieldEntry kEntries[] = {
      entry<&ServicePortSpec::name>("name"),
      entry<&ServicePortSpec::protocol>("protocol"),
      entry<&ServicePortSpec::port>("port"),
      entry<&ServicePortSpec::node_port>("nodePort"),
  };
  static constexpr api::FieldTable kTable{.types = "v1/ServicePort", .entries = kEntries};
  return kTable;
}

const api::FieldTable& ClientIpConfig::table() {
  static constexpr api::FieldEntry kEntries[] = {
      entry<&ClientIpConfig::timeout_seconds>("timeoutSeconds"),
  };
  static constexpr api::FieldTable kTable{.types = "v1/ClientIPConfig", .entries = kEntries};
  return kTable;
}

const api::FieldTable& AffinityConfig::table() {
  static constexpr api::FieldEntry kEntries[] = {
      entry<&AffinityConfig::client_ip>("clientIP"),
  };
  static constexpr api::FieldTable kTable{.types = "v1/SessionAffinityConfig", .entries = kEntries};
  return kTable;
}

const api::FieldTable& ServiceSpec::table() {
  static constexpr api::FieldEntry kEntries[] = {
      entry<&ServiceSpec::ports>("ports"),
      entry<&ServiceSpec::type>("type"),
      entry<&ServiceSpec::cluster_ip>("clusterIP"),
      entry<&ServiceSpec::cluster_ips>("clusterIPs"),
      entry<&ServiceSpec::families>("ipFamilies"),
      entry<&ServiceSpec::external_ips>("externalIPs"),
      entry<&ServiceSpec::source_ranges>("loadBalancerSourceRanges"),
      entry<&ServiceSpec::affinity>("sessionAffinity"),
      entry<&ServiceSpec::affinity_config>("sessionAffinityConfig"),
      entry<&ServiceSpec::internal_policy>("internalTrafficPolicy"),
      entry<&ServiceSpec::external_policy>("externalTrafficPolicy"),
      entry<&ServiceSpec::health_check_port>("healthCheckNodePort"),
  };
  static constexpr api::FieldTable kTable{.types = "v1/ServiceSpec", .entries = kEntries};
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

const api::FieldTable& SliceAnnotations::table() {
  static constexpr api::FieldEntry kEntries[] = {
      entry<&SliceAnnotations::trigger_time>("endpoints.kubernetes.io/last-change-trigger-time"),
  };
  static constexpr api::FieldTable kTable{.types = api::FieldTable::kMap, .entries = kEntries};
  return kTable;
}

const api::FieldTable& SliceMetadata::table() {
  static constexpr api::FieldEntry kEntries[] = {
      entry<&SliceMetadata::annotations>("annotations"),
  };
  static constexpr api::FieldTable kTable{.types = "meta.k8s.io/v1/ObjectMeta",
                                          .entries = kEntries};
  return kTable;
}

const api::FieldTable& ZoneHint::table() {
  static constexpr api::FieldEntry kEntries[] = {
      entry<&ZoneHint::name>("name"),
  };
  static constexpr api::FieldTable kTable{.types = "discovery.k8s.io/v1/ForZone",
                                          .entries = kEntries};
  return kTable;
}

const api::FieldTable& NodeHint::table() {
  static constexpr api::FieldEntry kEntries[] = {
      entry<&NodeHint::name>("name"),
  };
  static constexpr api::FieldTable kTable{.types = "discovery.k8s.io/v1/ForNode",
                                          .entries = kEntries};
  return kTable;
}

const api::FieldTable& EndpointHints::table() {
  static constexpr api::FieldEntry kEntries[] = {
      entry<&EndpointHints::zones>("forZones"),
      entry<&EndpointHints::nodes>("forNodes"),
  };
  static constexpr api::FieldTable kTable{.types = "discovery.k8s.io/v1/EndpointHints",
                                          .entries = kEntries};
  return kTable;
}

const api::FieldTable& SliceEndpoint::table() {
  static constexpr api::FieldEntry kEntries[] = {
      entry<&SliceEndpoint::addresses>("addresses"),
      entry<&SliceEndpoint::conditions>("conditions"),
      entry<&SliceEndpoint::node>("nodeName"),
      entry<&SliceEndpoint::hints>("hints"),
  };
  static constexpr api::FieldTable kTable{.types = "discovery.k8s.io/v1/Endpoint",
                                          .entries = kEntries};
  return kTable;
}

const api::FieldTable& SlicePort::table() {
  static constexpr api::FieldEntry kEntries[] = {
      entry<&SlicePort::name>("name"),
      entry<&SlicePort::protocol>("protocol"),
      entry<&SlicePort::port>("port"),
  };
  static constexpr api::FieldTable kTable{.types = "discovery.k8s.io/v1/EndpointPort",
                                          .entries = kEntries};
  return kTable;
}

const api::FieldTable& EndpointSlice::table() {
  static constexpr api::FieldEntry kEntries[] = {
      entry<&EndpointSlice::metadata>("metadata"),
      entry<&EndpointSlice::address_type>("addressType"),
      entry<&EndpointSlice::endpoints>("endpoints"),
      entry<&EndpointSlice::ports>("ports"),
  };
  static constexpr api::FieldTable kTable{.types = "discovery.k8s.io/v1/EndpointSlice",
                                          .entries = kEntries};
  return kTable;
}

const api::FieldTable& NodeSpec::table() {
  static constexpr api::FieldEntry kEntries[] = {
      entry<&NodeSpec::pod_ranges>("podCIDRs"),
      entry<&NodeSpec::taints>("taints"),
  };
  static constexpr api::FieldTable kTable{.types = "v1/NodeSpec", .entries = kEntries};
  return kTable;
}

const api::FieldTable& NodeStatus::table() {
  static constexpr api::FieldEntry kEntries[] = {
      entry<&NodeStatus::addresses>("addresses"),
  };
  static constexpr api::FieldTable kTable{.types = "v1/NodeStatus", .entries = kEntries};
  return kTable;
}

const api::FieldTable& Node::table() {
  static constexpr api::FieldEntry kEntries[] = {
      entry<&Node::spec>("spec"),
      entry<&Node::status>("status"),
  };
  static constexpr api::FieldTable kTable{.types = "v1/Node", .entries = kEntries};
  return kTable;
}

const api::FieldTable& ServiceCidrSpec::table() {
  static constexpr api::FieldEntry kEntries[] = {
      entry<&ServiceCidrSpec::ranges>("cidrs"),
  };
  static constexpr api::FieldTable kTable{.types = "networking.k8s.io/v1/ServiceCIDRSpec",
                                          .entries = kEntries};
  return kTable;
}

const api::FieldTable& ServiceCidr::table() {
  static constexpr api::FieldEntry kEntries[] = {
      entry<&ServiceCidr::spec>("spec"),
  };
  static constexpr api::FieldTable kTable{.types = "networking.k8s.io/v1/ServiceCIDR",
                                          .entries = kEntries};
  return kTable;
}

}  // namespace proa::proxy::objects

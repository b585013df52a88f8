#include "controllers/network/objects.h"

namespace proa::controllers::network {

using api::entry;

const api::FieldTable& ServicePortSpec::table() {
  static constexpr api::FieldEntry kEntries[] = {
      entry<&ServicePortSpec::name>("name"),
      entry<&ServicePortSpec::protocol>("protocol"),
      entry<&ServicePortSpec::app_protocol>("appProtocol"),
      entry<&ServicePortSpec::target>("targetPort"),
      entry<&ServicePortSpec::port>("port"),
      entry<&ServicePortSpec::node_port>("nodePort"),
  };
  static constexpr api::FieldTable kTable{.types = "v1/ServicePort", .entries = kEntries};
  return kTable;
}

const api::FieldTable& ServiceAnnotations::table() {
  static constexpr api::FieldEntry kEntries[] = {
      entry<&ServiceAnnotations::topology_hints>("service.kubernetes.io/topology-aware-hints"),
      entry<&ServiceAnnotations::topology_mode>("service.kubernetes.io/topology-mode"),
  };
  static constexpr api::FieldTable kTable{.types = api::FieldTable::kMap, .entries = kEntries};
  return kTable;
}

const api::FieldTable& ServiceMetadata::table() {
  static constexpr api::FieldEntry kEntries[] = {
      entry<&ServiceMetadata::created>("creationTimestamp"),
      entry<&ServiceMetadata::annotations>("annotations"),
      entry<&ServiceMetadata::finalizers>("finalizers"),
  };
  static constexpr api::FieldTable kTable{.types = "meta.k8s.io/v1/ObjectMeta",
                                          .entries = kEntries};
  return kTable;
}

const api::FieldTable& ServiceSpec::table() {
  static constexpr api::FieldEntry kEntries[] = {
      entry<&ServiceSpec::ports>("ports"),
      entry<&ServiceSpec::selector>("selector"),
      entry<&ServiceSpec::cluster_ip>("clusterIP"),
      entry<&ServiceSpec::type>("type"),
      entry<&ServiceSpec::publish_not_ready>("publishNotReadyAddresses"),
      entry<&ServiceSpec::families>("ipFamilies"),
      entry<&ServiceSpec::balancer_class>("loadBalancerClass"),
      entry<&ServiceSpec::balancer_ip>("loadBalancerIP"),
      entry<&ServiceSpec::health_check_port>("healthCheckNodePort"),
      entry<&ServiceSpec::traffic_distribution>("trafficDistribution"),
  };
  static constexpr api::FieldTable kTable{.types = "v1/ServiceSpec", .entries = kEntries};
  return kTable;
}

const api::FieldTable& Service::table() {
  static constexpr api::FieldEntry kEntries[] = {
      entry<&Service::metadata>("metadata"),
      entry<&Service::spec>("spec"),
      entry<&Service::status>("status"),
  };
  static constexpr api::FieldTable kTable{.types = "v1/Service", .entries = kEntries};
  return kTable;
}

const api::FieldTable& BackendPort::table() {
  static constexpr api::FieldEntry kEntries[] = {
      entry<&BackendPort::name>("name"),
      entry<&BackendPort::number>("containerPort"),
      entry<&BackendPort::protocol>("protocol"),
  };
  static constexpr api::FieldTable kTable{.types = "v1/ContainerPort", .entries = kEntries};
  return kTable;
}

const api::FieldTable& BackendContainer::table() {
  static constexpr api::FieldEntry kEntries[] = {
      entry<&BackendContainer::ports>("ports"),
      entry<&BackendContainer::restart_policy>("restartPolicy"),
  };
  static constexpr api::FieldTable kTable{.types = "v1/Container", .entries = kEntries};
  return kTable;
}

const api::FieldTable& BackendSpec::table() {
  static constexpr api::FieldEntry kEntries[] = {
      entry<&BackendSpec::init_containers>("initContainers"),
      entry<&BackendSpec::containers>("containers"),
      entry<&BackendSpec::hostname>("hostname"),
      entry<&BackendSpec::subdomain>("subdomain"),
  };
  static constexpr api::FieldTable kTable{.types = "v1/PodSpec", .entries = kEntries};
  return kTable;
}

const api::FieldTable& BackendAddress::table() {
  static constexpr api::FieldEntry kEntries[] = {
      entry<&BackendAddress::ip>("ip"),
  };
  static constexpr api::FieldTable kTable{.types = "v1/PodIP", .entries = kEntries};
  return kTable;
}

const api::FieldTable& BackendStatus::table() {
  static constexpr api::FieldEntry kEntries[] = {
      entry<&BackendStatus::address>("podIP"),
      entry<&BackendStatus::addresses>("podIPs"),
  };
  static constexpr api::FieldTable kTable{.types = "v1/PodStatus", .entries = kEntries};
  return kTable;
}

const api::FieldTable& BackendPod::table() {
  static constexpr api::FieldEntry kEntries[] = {
      entry<&BackendPod::spec>("spec"),
      entry<&BackendPod::status>("status"),
  };
  static constexpr api::FieldTable kTable{.types = "v1/Pod", .entries = kEntries};
  return kTable;
}

const api::FieldTable& HostPort::table() {
  static constexpr api::FieldEntry kEntries[] = {
      entry<&HostPort::number>("hostPort"),
      entry<&HostPort::protocol>("protocol"),
      entry<&HostPort::address>("hostIP"),
  };
  static constexpr api::FieldTable kTable{.types = "v1/ContainerPort", .entries = kEntries};
  return kTable;
}

const api::FieldTable& HostPortContainer::table() {
  static constexpr api::FieldEntry kEntries[] = {
      entry<&HostPortContainer::ports>("ports"),
  };
  static constexpr api::FieldTable kTable{.types = "v1/Container", .entries = kEntries};
  return kTable;
}

const api::FieldTable& HostPortSpec::table() {
  static constexpr api::FieldEntry kEntries[] = {
      entry<&HostPortSpec::node>("nodeName"),
      entry<&HostPortSpec::init_containers>("initContainers"),
      entry<&HostPortSpec::containers>("containers"),
  };
  static constexpr api::FieldTable kTable{.types = "v1/PodSpec", .entries = kEntries};
  return kTable;
}

const api::FieldTable& HostPortStatus::table() {
  static constexpr api::FieldEntry kEntries[] = {
      entry<&HostPortStatus::phase>("phase"),
  };
  static constexpr api::FieldTable kTable{.types = "v1/PodStatus", .entries = kEntries};
  return kTable;
}

const api::FieldTable& HostPortPod::table() {
  static constexpr api::FieldEntry kEntries[] = {
      entry<&HostPortPod::spec>("spec"),
      entry<&HostPortPod::status>("status"),
  };
  static constexpr api::FieldTable kTable{.types = "v1/Pod", .entries = kEntries};
  return kTable;
}

const api::FieldTable& ServerPort::table() {
  static constexpr api::FieldEntry kEntries[] = {
      entry<&ServerPort::number>("port"),
      entry<&ServerPort::protocol>("protocol"),
  };
  static constexpr api::FieldTable kTable{.types = "discovery.k8s.io/v1/EndpointPort",
                                          .entries = kEntries};
  return kTable;
}

const api::FieldTable& ServerEndpoint::table() {
  static constexpr api::FieldEntry kEntries[] = {
      entry<&ServerEndpoint::addresses>("addresses"),
  };
  static constexpr api::FieldTable kTable{.types = "discovery.k8s.io/v1/Endpoint",
                                          .entries = kEntries};
  return kTable;
}

const api::FieldTable& ServerSlice::table() {
  static constexpr api::FieldEntry kEntries[] = {
      entry<&ServerSlice::endpoints>("endpoints"),
      entry<&ServerSlice::ports>("ports"),
  };
  static constexpr api::FieldTable kTable{.types = "discovery.k8s.io/v1/EndpointSlice",
                                          .entries = kEntries};
  return kTable;
}

}  // namespace proa::controllers::network

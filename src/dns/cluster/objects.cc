#include "dns/cluster/objects.h"

namespace proa::dns::objects {

using api::entry;

const api::FieldTable& ServicePort::table() {
  static constexpr api::FieldEntry kEntries[] = {
      entry<&ServicePort::name>("name"),
      entry<&ServicePort::protocol>("protocol"),
      entry<&ServicePort::port>("port"),
  };
  static constexpr api::FieldTable kTable{.types = "v1/ServicePort", .entries = kEntries};
  return kTable;
}

const api::FieldTable& ServiceSpec::table() {
  static constexpr api::FieldEntry kEntries[] = {
      entry<&ServiceSpec::type>("type"),
      entry<&ServiceSpec::cluster_ip>("clusterIP"),
      entry<&ServiceSpec::cluster_ips>("clusterIPs"),
      entry<&ServiceSpec::external_name>("externalName"),
      entry<&ServiceSpec::publish_not_ready>("publishNotReadyAddresses"),
      entry<&ServiceSpec::ports>("ports"),
  };
  static constexpr api::FieldTable kTable{.types = "v1/ServiceSpec", .entries = kEntries};
  return kTable;
}

const api::FieldTable& Service::table() {
  static constexpr api::FieldEntry kEntries[] = {entry<&Service::spec>("spec")};
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

const api::FieldTable& SliceEndpoint::table() {
  static constexpr api::FieldEntry kEntries[] = {
      entry<&SliceEndpoint::addresses>("addresses"),
      entry<&SliceEndpoint::conditions>("conditions"),
      entry<&SliceEndpoint::hostname>("hostname"),
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

}  // namespace proa::dns::objects

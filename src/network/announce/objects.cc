#include "network/announce/objects.h"

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

const api::FieldTable& Service::table() {
  static constexpr api::FieldEntry kEntries[] = {
      entry<&Service::spec>("spec"),
      entry<&Service::status>("status"),
  };
  static constexpr api::FieldTable kTable{.types = "v1/Service", .entries = kEntries};
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

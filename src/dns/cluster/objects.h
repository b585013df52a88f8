#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "api/typed/decode.h"
#include "kinds/discovery/endpoint_conditions.h"

// The fields of Services and EndpointSlices that names are made of.

namespace proa::dns::objects {

struct ServicePort {
  std::string_view name;
  std::string_view protocol = "TCP";
  int64_t port = 0;

  static const api::FieldTable& table();
};

struct ServiceSpec {
  std::string_view type;
  std::string_view cluster_ip;
  std::vector<std::string_view> cluster_ips;
  std::string_view external_name;
  bool publish_not_ready = false;
  std::vector<ServicePort> ports;

  static const api::FieldTable& table();
};

struct Service {
  ServiceSpec spec;

  static const api::FieldTable& table();
};

struct SliceAnnotations {
  std::string trigger_time;

  static const api::FieldTable& table();
};

struct SliceMetadata {
  SliceAnnotations annotations;

  static const api::FieldTable& table();
};

struct SliceEndpoint {
  std::vector<std::string_view> addresses;
  kinds::EndpointConditions conditions;
  std::string_view hostname;

  static const api::FieldTable& table();
};

struct SlicePort {
  std::string_view name;
  std::string_view protocol = "TCP";
  int64_t port = 0;

  static const api::FieldTable& table();
};

struct EndpointSlice {
  SliceMetadata metadata;
  std::string_view address_type;
  std::vector<SliceEndpoint> endpoints;
  std::vector<SlicePort> ports;

  static const api::FieldTable& table();
};

}  // namespace proa::dns::objects

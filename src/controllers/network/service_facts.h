#pragma once

#include <optional>
#include <string>
#include <vector>

#include "api/object/object.h"
#include "api/selector/label_selector.h"
#include "base/time.h"

namespace proa::controllers {

enum class IpFamily : uint8_t { kV4, kV6 };

// "IPv4", "IPv6": as Services and EndpointSlices call them.
std::string_view name_of(IpFamily family);

// A port of a Service, and which port of its pods that is: a number, or the name of one.
struct ServicePort {
  std::string name = {};
  std::string protocol = {};
  std::optional<std::string> app_protocol = std::nullopt;
  int64_t target_number = 0;
  std::string target_name = {};  // not empty: this counts

  bool operator==(const ServicePort&) const = default;
};

// What the controllers of endpoints ask of Services, read once for each state of one.
struct ServiceFacts {
  std::optional<api::LabelSelector> selector = std::nullopt;  // of pods
  bool external_name = false;
  bool headless = false;        // clusterIP is "None"
  bool has_cluster_ip = false;  // an address, neither "None" nor none yet
  bool publish_not_ready = false;
  std::vector<IpFamily> families = {};  // the first one is that of Endpoints
  std::vector<ServicePort> ports = {};
  bool topology_mode_auto = false;        // by one of two annotations
  std::string traffic_distribution = {};  // "PreferClose", ...
  Time created{};

  // Whether its endpoints are looked for at all.
  bool has_endpoints() const { return selector && !external_name; }
  bool operator==(const ServiceFacts&) const = default;
};

const ServiceFacts& service_facts(const api::Object& service);

}  // namespace proa::controllers

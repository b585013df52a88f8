#pragma once

#include <optional>
#include <string>
#include <vector>

#include "api/object/object.h"
#include "api/selector/label_selector.h"
#include "base/time.h"

namespace proa::controllers {

enum class IpFamily : uint8_t { kV4, kV6 };

// The names "IPv4" and "IPv6".
std::string_view name_of(IpFamily family);

// A Service port and its target: a number, or the name of a pod port.
struct ServicePort {
  std::string name = {};
  std::string protocol = {};
  std::optional<std::string> app_protocol = std::nullopt;
  int64_t target_number = 0;
  std::string target_name = {};  // if not empty, used instead of the number

  bool operator==(const ServicePort&) const = default;
};

// What endpoint controllers read of Services, once per version of one.
struct ServiceFacts {
  std::optional<api::LabelSelector> selector = std::nullopt;  // of pods
  bool external_name = false;
  bool headless = false;        // clusterIP is "None"
  bool has_cluster_ip = false;  // has an address assigned, not "None"
  bool publish_not_ready = false;
  std::vector<IpFamily> families = {};  // the first is that of Endpoints
  std::vector<ServicePort> ports = {};
  bool topology_mode_auto = false;        // by one of two annotations
  std::string traffic_distribution = {};  // "PreferClose", ...
  Time created{};

  // Whether endpoints are managed for it: it has a selector and is not ExternalName.
  bool has_endpoints() const { return selector && !external_name; }
  bool operator==(const ServiceFacts&) const = default;
};

const ServiceFacts& service_facts(const api::Object& service);

}  // namespace proa::controllers

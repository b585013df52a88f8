#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "api/object/object.h"
#include "controllers/network/service_facts.h"

namespace proa::controllers {

// What services read of a pod in addition to PodFacts, once per version of a pod.
struct Backend {
  struct Address {
    std::string ip;  // in canonical form
    IpFamily family = IpFamily::kV4;
    bool operator==(const Address&) const = default;
  };
  struct NamedPort {
    std::string name;
    std::string protocol;
    int64_t number = 0;
    bool operator==(const NamedPort&) const = default;
  };

  std::vector<Address> addresses = {};
  std::string hostname = {};
  std::string subdomain = {};
  std::vector<NamedPort> ports = {};  // of containers and sidecars

  bool operator==(const Backend&) const = default;

  // Null if it has no address of that family.
  const std::string* address_of(IpFamily family) const;
  // The pod's port that a service port targets; nullopt if it has no port of that name.
  std::optional<int64_t> number_of(const ServicePort& port) const;
  // The host name of the endpoint in DNS; empty if none.
  std::string_view hostname_in(std::string_view service) const {
    return subdomain == service ? std::string_view(hostname) : std::string_view();
  }
};

const Backend& backend(const api::Object& pod);

// Whether it can be an endpoint: it has an address and is not finished.
bool is_backend(const api::Object& pod);
// Whether two versions of a pod are equal for services.
bool is_same_backend(const api::Object& before, const api::Object& after);

}  // namespace proa::controllers

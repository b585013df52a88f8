#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "api/object/object.h"
#include "controllers/network/service_facts.h"

namespace proa::controllers {

// A pod as services see it, besides what everybody asks of pods (PodFacts); read once for each
// state of a pod.
struct Backend {
  struct Address {
    std::string ip;  // in its canonical form
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
  std::vector<NamedPort> ports = {};  // of containers, and of those that run beside them

  bool operator==(const Backend&) const = default;

  // Null when it has none of that family.
  const std::string* address_of(IpFamily family) const;
  // Which port of the pod a service's port leads to; nullopt when it has none of that name.
  std::optional<int64_t> number_of(const ServicePort& port) const;
  // The name under which the service's endpoints are found in DNS; empty for none.
  std::string_view hostname_in(std::string_view service) const {
    return subdomain == service ? std::string_view(hostname) : std::string_view();
  }
};

const Backend& backend(const api::Object& pod);

// Whether it can be an endpoint: it has an address, and has not finished.
bool is_backend(const api::Object& pod);
// Whether services can't tell one state of a pod from another.
bool is_same_backend(const api::Object& before, const api::Object& after);

}  // namespace proa::controllers

#pragma once

#include <cstdint>
#include <string>

#include "base/net/ip_address.h"
#include "load/connection.h"

namespace proa::dns_bench {

inline constexpr uint32_t kServices = 10'000;
inline constexpr uint32_t kEndpoints = 5;  // of each

// Every tenth Service is headless, and its endpoints have hostnames.
constexpr bool is_headless(uint32_t service) { return service % 10 == 0; }
std::string name_of(uint32_t service);
IpAddress service_address(uint32_t service);
IpAddress endpoint_address(uint32_t service, uint32_t endpoint);
std::string endpoint_hostname(uint32_t service, uint32_t endpoint);  // empty: none

// As JSON.
std::string service_body(uint32_t service);
std::string slice_body(uint32_t service);

// The domain names of all Services in another order than that of their addresses.
std::string full_name(uint32_t number);

// Creates all of them in the namespace "default" of an API server. `server`: its process.
void create_all(const load::Target& target, pid_t server);

}  // namespace proa::dns_bench

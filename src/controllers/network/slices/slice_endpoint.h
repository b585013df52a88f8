#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "controllers/network/subsets.h"

// Contents of EndpointSlices. All text points into the pods, nodes, services and documents it was
// read from, which outlive it.

namespace proa::controllers {

// A digest of an endpoint, for comparisons.
struct EndpointMark {
  uint64_t identity = 0;  // of addresses, host name and target
  uint64_t content = 0;   // of everything else except hints
  uint64_t hints = 0;     // zero: none

  bool operator==(const EndpointMark&) const = default;
};

struct SliceEndpoint {
  std::vector<std::string_view> addresses = {};
  std::optional<bool> ready = std::nullopt;
  std::optional<bool> serving = std::nullopt;
  std::optional<bool> terminating = std::nullopt;
  std::string_view hostname = {};
  std::string_view node = {};
  std::string_view zone = {};
  std::optional<TargetReference> target = std::nullopt;
  // The zones and nodes whose clients should use it.
  std::vector<std::string_view> for_zones = {};
  std::vector<std::string_view> for_nodes = {};

  static SliceEndpoint read(api::View endpoint);
  void write(api::Edit endpoint) const;
  bool is_ready() const { return ready.value_or(false); }
  EndpointMark mark() const;
};

// A key for a set of ports, independent of their order.
std::string ports_key(std::span<const EndpointPort> ports);
std::vector<EndpointPort> read_slice_ports(api::View ports);
// With all fields, as upstream writes them.
void write_slice_ports(api::Edit slice, std::span<const EndpointPort> ports);

}  // namespace proa::controllers

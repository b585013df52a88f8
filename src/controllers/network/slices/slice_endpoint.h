#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "controllers/network/subsets.h"

// What EndpointSlices hold. All text is borrowed: from the pods, nodes, services and documents that
// it was read from, which outlive it.

namespace proa::controllers {

// An endpoint without its text: enough to say whether two are the same.
struct EndpointMark {
  uint64_t identity = 0;  // addresses, host name, and whose they are
  uint64_t content = 0;   // the rest, but for hints
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
  // Whose clients should use it.
  std::vector<std::string_view> for_zones = {};
  std::vector<std::string_view> for_nodes = {};

  static SliceEndpoint read(api::View endpoint);
  void write(api::Edit endpoint) const;
  bool is_ready() const { return ready.value_or(false); }
  EndpointMark mark() const;
};

// Ports of slices of which the text is the same are the same, in whatever order they are.
std::string ports_key(std::span<const EndpointPort> ports);
std::vector<EndpointPort> read_slice_ports(api::View ports);
// With every field, as upstream writes ports of slices.
void write_slice_ports(api::Edit slice, std::span<const EndpointPort> ports);

}  // namespace proa::controllers

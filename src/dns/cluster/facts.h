#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "api/object/object.h"
#include "base/net/ip_address.h"
#include "base/time.h"

namespace proa::dns {

enum class Protocol : uint8_t { kTcp, kUdp, kSctp };
// "TCP", "tcp"; nullopt if it is none.
std::optional<Protocol> parse_protocol(std::string_view text);

struct PortFacts {
  std::string name;   // of the API: lower case
  uint16_t port = 0;  // 0: of a Service or slice without ports; matches, but has no SRV record
  Protocol protocol = Protocol::kTcp;

  bool operator==(const PortFacts&) const = default;
};

// What the names of a Service depend on.
struct ServiceFacts {
  enum class Kind : uint8_t { kClusterIp, kHeadless, kExternal };
  Kind kind = Kind::kClusterIp;
  bool publishes_not_ready = false;  // slices say ready of all endpoints; explained to people
  std::vector<IpAddress> addresses;  // cluster IPs
  std::vector<PortFacts> ports;      // never empty
  std::string external;              // name in wire form

  bool operator==(const ServiceFacts&) const = default;
};

struct EndpointFacts {
  IpAddress address;
  std::string hostname;  // lower case; empty: it is named after its address

  bool operator==(const EndpointFacts&) const = default;
};

// What names depend on of an EndpointSlice: endpoints that are ready, or count as such.
struct SliceFacts {
  std::vector<EndpointFacts> endpoints;
  std::vector<PortFacts> ports;  // never empty

  bool operator==(const SliceFacts&) const = default;
};

// Nullopt if it has no name: an ExternalName that is an address or malformed, a Service without an
// address yet.
std::optional<ServiceFacts> read_service(const api::Object& service);
SliceFacts read_slice(const api::Object& slice);
// The Service of a slice; empty if it has none.
std::string_view service_of(const api::Object& slice);
// When the change began that the slice is the result of, if the controller says so.
std::optional<Time> trigger_of(const api::Object& slice);

// The label that an endpoint has below its Service: its hostname, or 10-0-0-1 (endpointHostname).
class EndpointLabel {
 public:
  explicit EndpointLabel(const EndpointFacts& endpoint);
  std::string_view view() const { return view_; }
  EndpointLabel(const EndpointLabel&) = delete;
  EndpointLabel& operator=(const EndpointLabel&) = delete;

 private:
  char buffer_[48];
  std::string_view view_;
};

}  // namespace proa::dns

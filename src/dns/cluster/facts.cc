#include "dns/cluster/facts.h"

#include <arpa/inet.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "base/strings.h"
#include "dns/cluster/objects.h"
#include "dns/message/name.h"

namespace proa::dns {
namespace facts {

constexpr int64_t kMostPort = 65535;

template <typename Ports>
std::vector<PortFacts> read_ports(const Ports& ports) {
  std::vector<PortFacts> facts;
  facts.reserve(ports.size());
  for (const auto& port : ports) {
    const auto protocol = parse_protocol(port.protocol);
    if (!protocol || port.port < 0 || port.port > kMostPort) continue;
    facts.push_back({.name = to_lower(port.name),
                     .port = static_cast<uint16_t>(port.port),
                     .protocol = *protocol});
  }
  if (facts.empty()) facts.push_back({.name = {}, .port = 0, .protocol = Protocol::kTcp});
  return facts;
}

}  // namespace facts

std::optional<Protocol> parse_protocol(std::string_view text) {
  if (equals_ignoring_case(text, "tcp")) return Protocol::kTcp;
  if (equals_ignoring_case(text, "udp")) return Protocol::kUdp;
  if (equals_ignoring_case(text, "sctp")) return Protocol::kSctp;
  return std::nullopt;
}

std::optional<ServiceFacts> read_service(const api::Object& service) {
  const auto decoded = api::decode<objects::Service>(service);
  if (!decoded.ok()) return std::nullopt;
  const objects::ServiceSpec& spec = decoded->spec;
  ServiceFacts facts;
  facts.ports = facts::read_ports(spec.ports);
  if (spec.type == "ExternalName") {
    facts.kind = ServiceFacts::Kind::kExternal;
    // A resolver would take 10.0.0.1 for a name.
    if (parse_ip(spec.external_name)) return std::nullopt;
    const auto name = Name::parse(spec.external_name);
    if (!name) return std::nullopt;
    facts.external = std::string(name->wire());
    return facts;
  }
  if (spec.cluster_ip == "None") {
    facts.kind = ServiceFacts::Kind::kHeadless;
    facts.publishes_not_ready = spec.publish_not_ready;
    return facts;
  }
  std::vector<std::string_view> addresses = spec.cluster_ips;
  if (addresses.empty()) addresses.push_back(spec.cluster_ip);
  for (const std::string_view text : addresses) {
    if (const auto address = parse_ip(text)) facts.addresses.push_back(*address);
  }
  if (facts.addresses.empty()) return std::nullopt;
  return facts;
}

SliceFacts read_slice(const api::Object& slice) {
  SliceFacts facts;
  const auto decoded = api::decode<objects::EndpointSlice>(slice);
  if (!decoded.ok()) return facts;
  facts.ports = facts::read_ports(decoded->ports);
  if (decoded->address_type == "FQDN") return facts;
  size_t count = 0;
  for (const auto& endpoint : decoded->endpoints) {
    if (endpoint.conditions.ready) count += endpoint.addresses.size();
  }
  facts.endpoints.reserve(count);
  for (const auto& endpoint : decoded->endpoints) {
    if (!endpoint.conditions.ready || endpoint.hostname.size() > kMostLabel) continue;
    for (const std::string_view text : endpoint.addresses) {
      const auto address = parse_ip(text);
      if (!address) continue;
      facts.endpoints.push_back({.address = *address, .hostname = to_lower(endpoint.hostname)});
    }
  }
  return facts;
}

std::string_view service_of(const api::Object& slice) {
  const std::string_view* service = slice.metadata().label("kubernetes.io/service-name");
  return service == nullptr ? std::string_view() : *service;
}

std::optional<Time> trigger_of(const api::Object& slice) {
  const auto decoded = api::decode<objects::EndpointSlice>(slice);
  if (!decoded.ok() || decoded->metadata.annotations.trigger_time.empty()) return std::nullopt;
  const auto time = parse_time(decoded->metadata.annotations.trigger_time);
  return time.ok() ? std::optional<Time>(*time) : std::nullopt;
}

EndpointLabel::EndpointLabel(const EndpointFacts& endpoint) {
  if (!endpoint.hostname.empty()) {
    view_ = endpoint.hostname;
    return;
  }
  const bool v4 = endpoint.address.is_v4();
  const auto& all = endpoint.address.bytes;
  // What inet_ntop writes as ::0.1.0.2: a dot would end the label.
  const bool compatible =
      std::all_of(all.begin(), all.begin() + 12, [](uint8_t b) { return b == 0; });
  if (compatible && (all[12] | all[13]) != 0) {
    const auto end =
        fmt::format_to(buffer_, "--{:x}-{:x}", all[12] << 8 | all[13], all[14] << 8 | all[15]);
    view_ = {buffer_, static_cast<size_t>(end - buffer_)};
    return;
  }
  const uint8_t* bytes = all.data() + (v4 ? 12 : 0);
  if (inet_ntop(v4 ? AF_INET : AF_INET6, bytes, buffer_, sizeof buffer_ - 1) == nullptr) return;
  size_t size = std::strlen(buffer_);
  std::ranges::replace(buffer_, buffer_ + size, v4 ? '.' : ':', '-');
  // No label ends with a dash.
  if (buffer_[size - 1] == '-') buffer_[size++] = '0';
  view_ = {buffer_, size};
}

}  // namespace proa::dns

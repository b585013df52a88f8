#include "testkit/proxy/service_text.h"

#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/check.h"
#include "base/strings.h"

namespace proa::testkit {
namespace service_text {

IpAddress address_of(std::string_view text) {
  const auto address = parse_ip(text);
  CHECK(address.has_value());
  return *address;
}

std::vector<IpAddress> addresses_of(std::string_view list) {
  std::vector<IpAddress> all;
  for (const std::string_view part : split(list, ',')) all.push_back(address_of(part));
  std::sort(all.begin(), all.end());
  return all;
}

std::vector<IpPrefix> prefixes_of(std::string_view list) {
  std::vector<IpPrefix> all;
  for (const std::string_view part : split(list, ',')) {
    const auto prefix = parse_prefix(part);
    CHECK(prefix.has_value());
    all.push_back(*prefix);
  }
  return all;
}

// "10.0.0.1:80", "[fd00::1]:80"
std::pair<IpAddress, uint16_t> place_of(std::string_view text) {
  const size_t colon = text.rfind(':');
  CHECK(colon != text.npos);
  std::string_view host = text.substr(0, colon);
  if (host.starts_with('[')) host = host.substr(1, host.size() - 2);
  return {address_of(host), static_cast<uint16_t>(parse_uint(text.substr(colon + 1)).value())};
}

void set_endpoints(proxy::ServicePort& port, std::string_view list) {
  for (std::string_view part : split(list, ',')) {
    const bool local = part.ends_with('*');
    if (local) part.remove_suffix(1);
    const auto [address, number] = place_of(part);
    port.cluster_endpoints.push_back({address, number, local});
    if (local) port.local_endpoints.push_back({address, number, local});
  }
  std::sort(port.cluster_endpoints.begin(), port.cluster_endpoints.end());
  std::sort(port.local_endpoints.begin(), port.local_endpoints.end());
  port.has_endpoints = true;
}

void set_name(proxy::ServicePort& port, std::string_view text) {
  const auto halves = split_once(text, '/');
  CHECK(halves.has_value());
  port.name.name_space = halves->before;
  const auto named = split_once(halves->after, ':');
  port.name.service = named ? named->before : halves->after;
  if (named) port.name.port = named->after;
}

void set_word(proxy::ServicePort& port, std::string_view word) {
  if (word == "internal-local") {
    port.internal_local = true;
  } else if (word == "external-local") {
    port.external_local = true;
  } else if (word == "unreachable") {
    port.has_endpoints = true;
  } else {
    port.name.protocol = proxy::Protocol::kTcp;
    if (word == "udp") port.name.protocol = proxy::Protocol::kUdp;
    if (word == "sctp") port.name.protocol = proxy::Protocol::kSctp;
  }
}

void set_value(proxy::ServicePort& port, std::string_view key, std::string_view value) {
  if (key == "cluster") {
    std::tie(port.cluster_ip, port.port) = place_of(value);
    port.family = proxy::family_of(port.cluster_ip);
  } else if (key == "nodeport") {
    port.node_port = static_cast<uint16_t>(parse_uint(value).value());
  } else if (key == "external") {
    port.external_ips = addresses_of(value);
  } else if (key == "balancer") {
    port.load_balancer_ips = addresses_of(value);
  } else if (key == "sources") {
    port.source_ranges = prefixes_of(value);
  } else if (key == "affinity") {
    port.affinity_seconds = static_cast<uint32_t>(parse_uint(value).value());
  } else {
    CHECK(key == "endpoints");
    set_endpoints(port, value);
  }
}

}  // namespace service_text

proxy::ServicePortPtr parse_service_port(std::string_view text) {
  auto port = std::make_shared<proxy::ServicePort>();
  bool first = true;
  for (const std::string_view word : split(text, ' ')) {
    const auto pair = split_once(word, '=');
    if (std::exchange(first, false)) {
      service_text::set_name(*port, word);
    } else if (pair) {
      service_text::set_value(*port, pair->before, pair->after);
    } else {
      service_text::set_word(*port, word);
    }
  }
  if (!port->uses_cluster_endpoints()) port->cluster_endpoints.clear();
  if (!port->uses_local_endpoints()) port->local_endpoints.clear();
  return port;
}

proxy::NodeFacts parse_node_facts(std::string_view text) {
  proxy::NodeFacts node;
  node.name = "node";
  for (const std::string_view word : split(text, ' ')) {
    const auto pair = split_once(word, '=');
    if (!pair) {
      node.masquerade_all = node.masquerade_all || word == "masquerade-all";
    } else if (pair->before == "pods") {
      node.pod_ranges = service_text::prefixes_of(pair->after);
    } else if (pair->before == "services") {
      node.service_ranges = service_text::prefixes_of(pair->after);
    } else if (pair->before == "address") {
      node.addresses = service_text::addresses_of(pair->after);
    } else {
      CHECK(pair->before == "nodeports-at");
      node.all_node_port_addresses = false;
      node.node_port_addresses = service_text::addresses_of(pair->after);
    }
  }
  return node;
}

}  // namespace proa::testkit

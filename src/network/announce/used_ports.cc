#include "network/announce/used_ports.h"

#include <fmt/format.h>
#include <netinet/in.h>

#include <algorithm>

#include "kinds/core/services/announcements.h"
#include "network/announce/objects.h"

namespace proa::network {

std::set<std::string> wanted_ports(const api::Object& object) {
  std::set<std::string> ports;
  if (object.metadata().label(kinds::kAnnouncedLabel) != nullptr) return ports;
  const Result<announced::Service> service = api::decode<announced::Service>(object);
  if (!service || service->spec.type != "LoadBalancer" || service->spec.balancer_class) {
    return ports;
  }
  for (const announced::ServicePort& port : service->spec.ports) {
    ports.insert(fmt::format("{}/{}", port.number, port.protocol));
  }
  return ports;
}

std::set<std::string> used_ports(const std::set<std::string>& wanted,
                                 std::span<const netlink::Listener> listeners,
                                 std::span<const IpAddress> addresses) {
  std::set<std::string> used;
  for (const netlink::Listener& listener : listeners) {
    std::string port =
        fmt::format("{}/{}", listener.port, listener.protocol == IPPROTO_TCP ? "TCP" : "UDP");
    const auto hears = [&](const IpAddress& address) { return listener.hears(address); };
    if (wanted.contains(port) && std::any_of(addresses.begin(), addresses.end(), hears)) {
      used.insert(std::move(port));
    }
  }
  return used;
}

}  // namespace proa::network

#include "netlink/sockets/listeners.h"

#include <arpa/inet.h>
#include <linux/inet_diag.h>
#include <linux/sock_diag.h>
#include <netinet/in.h>
#include <netinet/tcp.h>

#include <cstring>
#include <optional>

#include "netlink/socket.h"

namespace proa::netlink {
namespace listeners {

constexpr Duration kPatience = std::chrono::seconds(10);

struct Kind {
  uint8_t family;
  uint8_t protocol;
  uint32_t states;
};
// A UDP socket that is connected to one peer is in another state.
constexpr Kind kKinds[] = {{AF_INET, IPPROTO_TCP, 1U << TCP_LISTEN},
                           {AF_INET6, IPPROTO_TCP, 1U << TCP_LISTEN},
                           {AF_INET, IPPROTO_UDP, 1U << TCP_CLOSE},
                           {AF_INET6, IPPROTO_UDP, 1U << TCP_CLOSE}};

IpAddress wildcard(bool v6) {
  IpAddress address;
  if (!v6) address.bytes[10] = address.bytes[11] = 0xff;
  return address;
}

std::optional<Listener> read(const Message& message, uint8_t protocol) {
  const auto found = message.fixed<inet_diag_msg>();
  if (!found) return std::nullopt;
  const bool v6 = found->idiag_family == AF_INET6;
  Listener listener{.protocol = protocol,
                    .address = wildcard(v6),
                    .port = ntohs(found->id.idiag_sport),
                    .v6_only = false};
  uint8_t* const place = listener.address.bytes.data() + (v6 ? 0 : 12);
  std::memcpy(place, found->id.idiag_src, v6 ? 16 : 4);
  const Attributes attributes = message.attributes<inet_diag_msg>();
  listener.v6_only = attributes.find(INET_DIAG_SKV6ONLY).as<uint8_t>().value_or(0) != 0;
  return listener;
}

}  // namespace listeners

bool Listener::hears(const IpAddress& to) const {
  if (address == to) return true;
  if (address == listeners::wildcard(false)) return to.is_v4();
  return address == listeners::wildcard(true) && !(v6_only && to.is_v4());
}

Result<std::vector<Listener>> find_listeners(Clock& clock) {
  Socket socket = TRY(Socket::open(NETLINK_SOCK_DIAG, clock));
  std::vector<Listener> all;
  for (const auto& [family, protocol, states] : listeners::kKinds) {
    Batch batch;
    batch.begin(SOCK_DIAG_BY_FAMILY, 0,
                inet_diag_req_v2{.sdiag_family = family,
                                 .sdiag_protocol = protocol,
                                 .idiag_ext = 0,
                                 .pad = 0,
                                 .idiag_states = states,
                                 .id = {}});
    TRY(socket.dump(batch, Until::after(clock, listeners::kPatience),
                    [&, protocol = protocol](const Message& message) -> Result<void> {
                      const auto listener = listeners::read(message, protocol);
                      if (listener && listener->port != 0) all.push_back(*listener);
                      return {};
                    }));
  }
  return all;
}

}  // namespace proa::netlink

#pragma once

#include <functional>

#include "base/net/ip_address.h"
#include "http/client/client.h"
#include "http/server/exchange.h"

namespace proa::kubelet {

// The protocol that a request for a tunnel switches to: bytes, both ways.
inline constexpr std::string_view kTunnelProtocol = "tcp";

// Connects to an address, then switches the request's connection to a tunnel there. `refuse` makes
// the response if that fails. On the loop of the exchange; `client` has that loop, and its
// destruction ends the tunnel.
void open_tunnel(const http::ExchangePtr& exchange, http::Client& client, const IpAddress& address,
                 int port, std::function<http::Response(const Status&)> refuse);

}  // namespace proa::kubelet

#include "kubelet/node/server/tunnel.h"

#include <utility>

namespace proa::kubelet {
namespace tunnel {

constexpr Duration kTimeout = std::chrono::seconds(10);

// The request's connection becomes one side of the tunnel, `socket` is the other.
void join(const http::ExchangePtr& exchange, http::Client& client,
          std::unique_ptr<http::Socket> socket) {
  const auto far = std::make_shared<std::unique_ptr<http::Socket>>(std::move(socket));
  exchange->upgrade(http::Headers{{"upgrade", std::string(kTunnelProtocol)}},
                    [far, &client](std::unique_ptr<http::Socket> near, const std::string& early) {
                      client.tunnels().add(std::move(near), early, std::move(*far), {});
                    });
}

}  // namespace tunnel

void open_tunnel(const http::ExchangePtr& exchange, http::Client& client, const IpAddress& address,
                 int port, std::function<http::Response(const Status&)> refuse) {
  http::Origin origin;
  origin.host = address.str();
  origin.port = port;
  client.tunnels().add(exchange->loop(), [&](http::Tunnels::End over) -> http::Tunnels::End {
    const auto connected = [exchange, &client, over = std::move(over), refuse = std::move(refuse)](
                               Result<std::unique_ptr<http::Socket>> socket) {
      over();  // releases the connector
      if (!socket) return exchange->respond(refuse(socket.status()));
      tunnel::join(exchange, client, std::move(*socket));
    };
    auto connector =
        http::Connector::start(exchange->loop(), origin, {.timeout = tunnel::kTimeout}, connected);
    return [connector = std::move(connector)]() mutable { connector.reset(); };
  });
}

}  // namespace proa::kubelet

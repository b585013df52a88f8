#include "apiserver/streaming/pod_tunnel.h"

#include <sys/socket.h>

#include <cerrno>
#include <utility>

#include "base/strings.h"

namespace proa::apiserver {
namespace pod_tunnel {

constexpr Duration kTimeout = std::chrono::seconds(10);

struct Pair {
  FileDescriptor ours;
  FileDescriptor far;
};

Result<Pair> make_pair() {
  int made[2];
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, made) != 0) {
    return errno_status("creating a socket pair", errno);
  }
  return Pair{.ours = FileDescriptor(made[0]), .far = FileDescriptor(made[1])};
}

// Joins the connection with one end of a pair; the other end is the caller's.
Result<FileDescriptor> join(http::Client& owner, std::unique_ptr<http::Socket> socket,
                            std::string_view early) {
  Pair pair = TRY(make_pair());
  auto far = http::Socket::adopt(socket->loop(), pair.far.release(), true, nullptr);
  if (far == nullptr) return Status(Reason::kServiceUnavailable, "opening a socket pair failed");
  owner.tunnels().add(std::move(socket), early, std::move(far), {});
  return std::move(pair.ours);
}

// For kubelets that open no tunnels (upstream's): perhaps there is a route.
void dial_directly(http::Client& owner, http::Loop& loop, http::Origin origin,
                   http::DialDone done) {
  origin.via.clear();
  origin.tls = false;  // of the connection that this one carries
  owner.tunnels().add(loop, [&](http::Tunnels::End over) -> http::Tunnels::End {
    const auto connected = [&owner, over = std::move(over),
                            done = std::move(done)](Result<std::unique_ptr<http::Socket>> socket) {
      Result<FileDescriptor> joined =
          socket ? join(owner, std::move(*socket), {}) : Result<FileDescriptor>(socket.status());
      over();  // releases the connector
      done(std::move(joined));
    };
    auto connector = http::Connector::start(loop, origin, {.timeout = kTimeout}, connected);
    return [connector = std::move(connector)]() mutable { connector.reset(); };
  });
}

}  // namespace pod_tunnel

std::string PodTunnel::str() const {
  return kubelet.host + "\n" + std::to_string(kubelet.port) + "\n" + target + "\n" + kubelet.peer;
}

std::optional<PodTunnel> PodTunnel::parse(std::string_view text) {
  const auto host = split_once(text, '\n');
  if (!host) return std::nullopt;
  const auto port = split_once(host->after, '\n');
  if (!port) return std::nullopt;
  const auto target = split_once(port->after, '\n');
  const auto number = parse_int(port->before);
  if (!target || !number) return std::nullopt;
  PodTunnel tunnel{.target = std::string(target->before)};
  tunnel.kubelet.tls = true;
  tunnel.kubelet.host = host->before;
  tunnel.kubelet.port = static_cast<int>(*number);
  tunnel.kubelet.peer = target->after;
  return tunnel;
}

http::Dial dial_pods(http::Client& kubelets) {
  return [&kubelets](http::Loop& loop, const http::Origin& origin, http::DialDone done) {
    std::optional<PodTunnel> tunnel = PodTunnel::parse(origin.via);
    CHECK(tunnel);
    http::ClientRequest request{.origin = std::move(tunnel->kubelet),
                                .method = "POST",
                                .target = std::move(tunnel->target)};
    request.headers.set("upgrade", "tcp");
    kubelets.upgrade(
        loop, std::move(request), pod_tunnel::kTimeout,
        [&kubelets, &loop, origin,
         done = std::move(done)](Result<http::Upgraded> upgraded) mutable {
          if (upgraded.is(Reason::kNotFound)) {
            return pod_tunnel::dial_directly(kubelets, loop, origin, std::move(done));
          }
          if (!upgraded) return done(upgraded.status());
          done(pod_tunnel::join(kubelets, std::move(upgraded->socket), upgraded->early));
        });
  };
}

}  // namespace proa::apiserver

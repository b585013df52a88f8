#include "http/server/listener.h"

#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>
#include <uv.h>

#include <cerrno>
#include <cstring>
#include <optional>

#include "base/check.h"
#include "base/log.h"

namespace proa::http {
namespace listener {

const Log kLog("http");

// Connections accepted per loop iteration, so that a storm of them does not starve others.
constexpr int kAcceptsATurn = 64;
// How long to wait when the process is out of file descriptors.
constexpr Duration kAcceptPause = std::chrono::milliseconds(100);
constexpr Duration kWarnInterval = std::chrono::seconds(10);
constexpr int kBacklog = 4096;

int port_of(int descriptor) {
  SocketAddress bound;
  return getsockname(descriptor, bound.raw(), &bound.size) == 0 ? bound.port() : 0;
}

// A socket that is bound and listens, or -1 with errno.
int bound_socket(const SocketAddress& address, bool both_families) {
  const int descriptor =
      ::socket(address.storage.ss_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
  if (descriptor < 0) return -1;
  const int on = 1;
  ::setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
  if (address.storage.ss_family == AF_INET6) {
    // Always said: what holds otherwise is a setting of the machine (net.ipv6.bindv6only).
    const int v6_only = both_families ? 0 : 1;
    ::setsockopt(descriptor, IPPROTO_IPV6, IPV6_V6ONLY, &v6_only, sizeof(v6_only));
  }
  if (::bind(descriptor, address.raw(), address.size) == 0 && ::listen(descriptor, kBacklog) == 0) {
    return descriptor;
  }
  const int error = errno;
  ::close(descriptor);
  errno = error;
  return -1;
}

int listening_socket(const Endpoint& where, const SocketAddress& address) {
  if (where.both_families && (where.address == "0.0.0.0" || where.address == "::")) {
    const auto all = to_socket_address({.address = "::", .port = where.port, .unix_path = {}});
    const int descriptor = all.ok() ? bound_socket(*all, true) : -1;
    if (descriptor >= 0) return descriptor;
    // A machine without IPv6 has its IPv4 addresses.
    if (errno != EAFNOSUPPORT && errno != EADDRNOTAVAIL) return -1;
  }
  return bound_socket(address, false);
}

}  // namespace listener

void close_descriptor(int descriptor) { ::close(descriptor); }

struct Listener::Handle {
  uv_poll_t poll{};
  Listener* owner = nullptr;
  std::optional<Timer> breather;
};

Listener::Listener(Loop& loop, Accepted accepted, std::function<void()> exhausted)
    : loop_(loop), accepted_(std::move(accepted)), exhausted_(std::move(exhausted)) {}

Listener::~Listener() { CHECK(handle_ == nullptr); }

Result<Endpoint> Listener::listen(const Endpoint& where) {
  const auto address = TRY(to_socket_address(where));
  const std::string what = "cannot listen on " + where.str();
  const bool is_unix = !where.unix_path.empty();
  if (is_unix) ::unlink(where.unix_path.c_str());  // left behind by one that was killed
  const int descriptor = listener::listening_socket(where, address);
  if (descriptor < 0) {
    const int error = errno;
    const Status failed = errno_status(what, error);
    if (error == EADDRINUSE) return Status(Reason::kAlreadyExists, failed.message());
    return failed;
  }
  descriptor_ = descriptor;
  unix_path_ = where.unix_path;
  Endpoint bound = where;
  if (!is_unix) bound.port = listener::port_of(descriptor);

  loop_.run_and_wait([this] {
    handle_ = new Handle;
    handle_->owner = this;
    handle_->poll.data = handle_;
    handle_->breather.emplace(loop_, [this] { resume(); });
    CHECK(uv_poll_init(loop_.raw(), &handle_->poll, descriptor_) == 0);
    resume();
  });
  return bound;
}

void Listener::resume() {
  uv_poll_start(&handle_->poll, UV_READABLE, [](uv_poll_t* poll, int, int) {
    static_cast<Handle*>(poll->data)->owner->accept_some();
  });
}

void Listener::warn(const char* why) {
  const Steady now = loop_.now();
  if (warned_ && now - *warned_ < listener::kWarnInterval) return;
  listener::kLog.warn("accepting connections failed", {{"error", why}});
  warned_ = now;
}

void Listener::accept_some() {
  for (int i = 0; i < listener::kAcceptsATurn; ++i) {
    SocketAddress peer;
    const int descriptor =
        ::accept4(descriptor_, peer.raw(), &peer.size, SOCK_NONBLOCK | SOCK_CLOEXEC);
    if (descriptor >= 0) {
      accepted_(descriptor, address_text(peer.raw()), !unix_path_.empty());
    } else if (errno == EMFILE || errno == ENFILE || errno == ENOMEM || errno == ENOBUFS) {
      warn(std::strerror(errno));
      if (exhausted_) exhausted_();
      uv_poll_stop(&handle_->poll);
      handle_->breather->start(listener::kAcceptPause);
      return;
    } else if (errno == EAGAIN || errno == EWOULDBLOCK) {
      return;
    }
    // Other errors concern that one connection, which is gone.
  }
}

void Listener::stop() {
  if (handle_ == nullptr) return;
  loop_.run_and_wait([this] {
    handle_->breather.reset();
    uv_poll_stop(&handle_->poll);
    uv_close(reinterpret_cast<uv_handle_t*>(&handle_->poll),
             [](uv_handle_t* handle) { delete static_cast<Handle*>(handle->data); });
    handle_ = nullptr;
  });
  ::close(descriptor_);
  if (!unix_path_.empty()) ::unlink(unix_path_.c_str());
}

}  // namespace proa::http

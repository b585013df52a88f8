#include "http/net/socket.h"

#include <netinet/tcp.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/check.h"
#include "base/threads/guarded.h"
#include "http/net/socket_handle.h"

namespace proa::http {
namespace socket {

constexpr size_t kReadSize = 64 * 1024;
// Bytes read at a time during a handshake: they are kept until its turn comes, and a peer can cause
// that on many connections. A flight is rarely larger.
constexpr size_t kHandshakeReadSize = 4 * 1024;
// Unsent bytes in the kernel (TCP_NOTSENT_LOWAT), else megabytes for a peer that does not read:
// enough until we are called again.
constexpr int kKernelUnsent = 128 * 1024;

// One read buffer per loop thread: idle connections own none.
char* read_buffer() {
  thread_local const std::unique_ptr<char[]> buffer(new char[kReadSize]);
  return buffer.get();
}

char* plaintext_buffer() {
  thread_local const std::unique_ptr<char[]> buffer(new char[Socket::kRecordSize]);
  return buffer.get();
}

}  // namespace socket

Socket::Socket(Loop& loop, Handle* handle, std::unique_ptr<TlsSession> tls)
    : loop_(loop), handle_(handle), tls_(std::move(tls)), handshake_turn_([this] {
        const auto alive = alive_;
        if (!tls_) tls_ = std::make_unique<TlsSession>(std::move(accepting_tls_), true);
        decrypt(std::exchange(handshake_bytes_, {}));
        if (!*alive) return;
        start_reading();
        if (!failed_ && events_ != nullptr && is_handshaking_server()) events_->on_handshake();
      }) {
  handle_->owner = this;
}

Socket::~Socket() {
  *alive_ = false;
  handle_->owner = nullptr;
  uv_close(handle_->raw(), [](uv_handle_t* handle) { delete static_cast<Handle*>(handle->data); });
}

std::unique_ptr<Socket> Socket::adopt(Loop& loop, int descriptor, bool is_unix,
                                      std::shared_ptr<const TlsContext> tls) {
  std::unique_ptr<Socket> made(new Socket(loop, Handle::make(loop, is_unix), nullptr));
  made->accepting_tls_ = std::move(tls);
  const int opened = is_unix ? uv_pipe_open(&made->handle_->pipe, descriptor)
                             : uv_tcp_open(&made->handle_->tcp, descriptor);
  if (opened != 0) {
    ::close(descriptor);
    return nullptr;
  }
  if (!is_unix) {
    uv_tcp_nodelay(&made->handle_->tcp, 1);
    ::setsockopt(descriptor, IPPROTO_TCP, TCP_NOTSENT_LOWAT, &socket::kKernelUnsent,
                 sizeof(socket::kKernelUnsent));
  }
  return made;
}

std::unique_ptr<Socket> Socket::connect(Loop& loop, const Endpoint& endpoint, Events& events,
                                        std::shared_ptr<const TlsContext> tls,
                                        std::string_view server_name, bool offer_http2) {
  std::unique_ptr<TlsSession> session;
  if (tls) session = std::make_unique<TlsSession>(std::move(tls), false, server_name, offer_http2);
  const bool is_unix = !endpoint.unix_path.empty();
  std::unique_ptr<Socket> made(new Socket(loop, Handle::make(loop, is_unix), std::move(session)));
  made->events_ = &events;
  made->connecting_ = true;

  struct Request {
    uv_connect_t connect{};
    Handle* handle = nullptr;
    std::string where;
  };
  auto* request = new Request{{}, made->handle_, endpoint.str()};
  request->connect.data = request;
  const auto connected = [](uv_connect_t* connect, int result) {
    const std::unique_ptr<Request> owned(static_cast<Request*>(connect->data));
    Socket* self = owned->handle->owner;
    if (self == nullptr) return;
    self->connecting_ = false;
    if (result != 0) return self->fail(socket::uv_failure("connecting to " + owned->where, result));
    self->begin_session();
  };
  int result = 0;
  if (is_unix) {
    uv_pipe_connect(&request->connect, &made->handle_->pipe, endpoint.unix_path.c_str(), connected);
  } else {
    const auto address = to_socket_address(endpoint);
    uv_tcp_nodelay(&made->handle_->tcp, 1);
    result = address.ok()
                 ? uv_tcp_connect(&request->connect, &made->handle_->tcp, address->raw(), connected)
                 : UV_EINVAL;
  }
  if (result != 0) {
    delete request;
    // Reported asynchronously, as every other failure: the caller does not hold the socket yet.
    made->fail_later(socket::uv_failure("connecting to " + endpoint.str(), result));
  }
  return made;
}

std::unique_ptr<Socket> Socket::connect_over(Loop& loop, int descriptor, Events& events,
                                             std::shared_ptr<const TlsContext> tls,
                                             std::string_view server_name, bool offer_http2) {
  std::unique_ptr<TlsSession> session;
  if (tls) session = std::make_unique<TlsSession>(std::move(tls), false, server_name, offer_http2);
  std::unique_ptr<Socket> made(new Socket(loop, Handle::make(loop, true), std::move(session)));
  made->events_ = &events;
  made->connecting_ = true;
  const int opened = uv_pipe_open(&made->handle_->pipe, descriptor);
  if (opened != 0) {
    ::close(descriptor);
    made->fail_later(socket::uv_failure("connecting", opened));
    return made;
  }
  loop.post([self = made.get(), alive = made->alive_] {
    if (*alive) self->begin_session();
  });
  return made;
}

void Socket::begin_session() {
  connecting_ = false;
  start_reading();
  if (tls_) return advance_handshake();
  flush();  // what was written before there was a connection
  events_->on_established();
}

void Socket::set_events(Events& events) {
  events_ = &events;
  if (!connecting_) start_reading();
}

void Socket::detach() {
  pause();
  paused_ = false;
  events_ = nullptr;
}

// From the loop: set_events and resume do not call back synchronously.
void Socket::deliver_held() {
  delivery_posted_ = false;
  if (paused_ || events_ == nullptr) return;
  const auto alive = alive_;
  if (const std::string bytes = std::exchange(held_, {}); !bytes.empty()) events_->on_data(bytes);
  if (!*alive || paused_ || events_ == nullptr) return;
  if (std::exchange(end_pending_, false)) events_->on_end();
  if (!*alive || paused_ || events_ == nullptr) return;
  if (const auto failure = std::exchange(failure_held_, std::nullopt))
    return events_->on_closed(*failure);
  start_reading();
}

void Socket::start_reading() {
  if (!held_.empty() || end_pending_ || failure_held_) {
    if (std::exchange(delivery_posted_, true)) return;
    loop_.post([this, alive = alive_] {
      if (*alive) deliver_held();
    });
    return;
  }
  if (events_ == nullptr || reading_ || paused_ || ended_ || failed_) return;
  if (handshake_turn_.waiting()) return;
  reading_ = true;
  uv_read_start(
      &handle_->stream,
      [](uv_handle_t* handle, size_t, uv_buf_t* buffer) {
        const auto* self = static_cast<Handle*>(handle->data)->owner;
        const bool handshaking = self != nullptr && self->is_handshaking_server();
        *buffer = uv_buf_init(socket::read_buffer(),
                              handshaking ? socket::kHandshakeReadSize : socket::kReadSize);
      },
      [](uv_stream_t* stream, ssize_t size, const uv_buf_t* buffer) {
        auto* self = static_cast<Handle*>(stream->data)->owner;
        if (self == nullptr || size == 0) return;
        if (size > 0) {
          // Libraries that parse the bytes may throw; that ends this connection only.
          const auto alive = self->alive_;
          const Result<void> done = guarded([&] {
            self->received({buffer->base, static_cast<size_t>(size)});
          });
          if (!done && *alive) self->fail(done.status());
        } else if (size == UV_EOF) {
          self->received_end();
        } else {
          self->fail(socket::uv_failure("reading", static_cast<int>(size)));
        }
      });
}

void Socket::received(std::string_view bytes) {
  if (is_handshaking_server()) {
    queue_handshake(bytes);
  } else if (tls_) {
    decrypt(bytes);
  } else {
    deliver(bytes);
  }
}

void Socket::deliver(std::string_view bytes) {
  if (events_ != nullptr && held_.empty()) return events_->on_data(bytes);
  held_.append(bytes);
}

void Socket::deliver_end() {
  ended_ = true;
  if (events_ != nullptr && held_.empty()) return events_->on_end();
  end_pending_ = true;
}

void Socket::received_end() {
  reading_ = false;
  uv_read_stop(&handle_->stream);
  // Without a close_notify the stream may be truncated: a failure, not an end.
  if (has_tls() && !ended_) {
    return fail({Reason::kServiceUnavailable, "connection cut off by the peer"});
  }
  if (!ended_) deliver_end();
}

void Socket::decrypt(std::string_view bytes) {
  const auto alive = alive_;
  tls_->receive(bytes);
  if (!tls_->established()) {
    advance_handshake();
    if (!*alive || failed_ || !tls_->established()) return;
  }
  // One buffer per thread, lent to on_data: no reentrance, since data arrives from the loop only.
  char* buffer = socket::plaintext_buffer();
  while (true) {
    auto size = tls_->read(buffer, kRecordSize);
    if (!size.ok()) {
      send_some();  // the alert that says why
      if (*alive) fail(size.status());
      return;
    }
    if (*size == 0) break;
    deliver({buffer, *size});
    if (!*alive || failed_) return;
  }
  if (!tls_->outgoing().empty()) send_some();  // key updates
  if (*alive && tls_->ended() && !ended_) deliver_end();
}

bool Socket::is_handshaking_server() const {
  return accepting_tls_ || (tls_ && tls_->is_server() && !tls_->established());
}

// A handshake costs as much as dozens of requests, and needs no authentication: it waits for its
// turn, and until then the peer is not read.
void Socket::queue_handshake(std::string_view bytes) {
  reading_ = false;
  uv_read_stop(&handle_->stream);
  handshake_bytes_.assign(bytes);
  const bool begun = bytes_sent_ > 0;  // the first flight, most of the work, is done
  loop_.queue_costly(begun ? Loop::Costly::kBegun : Loop::Costly::kNew, peer_address(),
                     handshake_turn_);
  if (events_ != nullptr) events_->on_handshake();
}

void Socket::advance_handshake() {
  const auto alive = alive_;
  auto result = tls_->handshake();
  send_some();  // the next flight, or the alert that says why
  if (!*alive || failed_) return;
  if (!result.ok()) return fail(result.status());
  if (!tls_->established()) return;
  flush();  // what was written before there was a connection
  if (*alive && events_ != nullptr) events_->on_established();
}

bool Socket::established() const {
  return !connecting_ && !accepting_tls_ && (!tls_ || tls_->established());
}
std::string_view Socket::alpn() const { return tls_ ? tls_->alpn() : std::string_view(); }
PeerCertificates Socket::peer_certificates() const {
  return tls_ ? tls_->peer_certificates() : PeerCertificates{};
}

std::string Socket::peer_address() const {
  if (handle_->is_unix) return {};
  SocketAddress peer;
  int size = sizeof(peer.storage);
  if (uv_tcp_getpeername(&handle_->tcp, peer.raw(), &size) != 0) return {};
  return address_text(peer.raw());
}

void Socket::pause() {
  paused_ = true;
  if (!reading_) return;
  reading_ = false;
  uv_read_stop(&handle_->stream);
}

void Socket::resume() {
  paused_ = false;
  if (!connecting_) start_reading();
}

void Socket::fail(const Status& why) {
  if (failed_) return;
  failed_ = true;
  queue_.clear();
  queued_ = 0;
  leave();
  if (reading_) uv_read_stop(&handle_->stream);
  reading_ = false;
  handshake_turn_.leave();
  if (events_ != nullptr && held_.empty() && !end_pending_) return events_->on_closed(why);
  failure_held_ = why;
}

// For failures inside of an owner's call: reported after it.
void Socket::fail_later(Status why) {
  loop_.post([this, alive = alive_, why = std::move(why)] {
    if (*alive) fail(why);
  });
}

}  // namespace proa::http

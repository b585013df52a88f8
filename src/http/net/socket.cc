#include "http/net/socket.h"

#include <netinet/tcp.h>
#include <sys/socket.h>
#include <unistd.h>
#include <uv.h>

#include <array>
#include <vector>

#include "base/check.h"

namespace proa::http {
namespace socket {

constexpr size_t kReadSize = 64 * 1024;
// Bytes read at a time during a handshake: they are kept until its turn comes, and a peer can cause
// that on many connections. A flight is rarely larger.
constexpr size_t kHandshakeReadSize = 4 * 1024;
constexpr size_t kRecordSize = 16 * 1024;  // the largest TLS record
constexpr size_t kEncryptAhead =
    64 * 1024;  // ciphertext that may wait for the kernel; plaintext is shared, this is not
constexpr size_t kMaxPieces = 64;
// Bytes sent per loop iteration: the kernel accepts megabytes at once, and many large responses
// would delay everybody else with the copying.
constexpr size_t kSendATurn = 256 * 1024;
// Unsent bytes in the kernel (TCP_NOTSENT_LOWAT), else megabytes for a peer that does not read:
// enough until we are called again.
constexpr int kKernelUnsent = 128 * 1024;

// One read buffer per loop thread: idle connections own none.
char* read_buffer() {
  thread_local const std::unique_ptr<char[]> buffer(new char[kReadSize]);
  return buffer.get();
}

char* plaintext_buffer() {
  thread_local const std::unique_ptr<char[]> buffer(new char[kRecordSize]);
  return buffer.get();
}

uv_buf_t buffer(const Bytes& bytes) {
  return uv_buf_init(const_cast<char*>(bytes.data()), static_cast<unsigned>(bytes.size()));
}

Status uv_failure(std::string_view what, int error) {
  return {Reason::kServiceUnavailable, std::string(what) + ": " + uv_strerror(error)};
}

}  // namespace socket

struct Socket::Handle {
  union {
    uv_stream_t stream;
    uv_tcp_t tcp;
    uv_pipe_t pipe;
  };
  Socket* owner = nullptr;
  bool is_unix = false;

  uv_handle_t* raw() { return reinterpret_cast<uv_handle_t*>(&stream); }

  static Handle* make(Loop& loop, bool is_unix) {
    auto* handle = new Handle{};
    handle->is_unix = is_unix;
    if (is_unix) {
      uv_pipe_init(loop.raw(), &handle->pipe, 0);
    } else {
      uv_tcp_init(loop.raw(), &handle->tcp);
    }
    handle->stream.data = handle;
    return handle;
  }
};

struct Socket::Write {
  uv_write_t request{};
  Handle* handle = nullptr;
  size_t size = 0;
  std::vector<Bytes> pieces;
};

Socket::Socket(Loop& loop, Handle* handle, std::unique_ptr<TlsSession> tls)
    : loop_(loop), handle_(handle), tls_(std::move(tls)), handshake_turn_([this] {
        const auto alive = alive_;
        decrypt(std::exchange(handshake_bytes_, {}));
        if (*alive) start_reading();
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
  std::unique_ptr<TlsSession> session;
  if (tls) session = std::make_unique<TlsSession>(std::move(tls), true);
  std::unique_ptr<Socket> made(new Socket(loop, Handle::make(loop, is_unix), std::move(session)));
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
    self->start_reading();
    if (self->tls_) {
      self->advance_handshake();
    } else {
      self->flush();  // what was written before there was a connection
      self->events_->on_established();
    }
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
          self->received({buffer->base, static_cast<size_t>(size)});
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
  if (tls_ && !ended_) return fail({Reason::kServiceUnavailable, "connection cut off by the peer"});
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
    auto size = tls_->read(buffer, socket::kRecordSize);
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
  return tls_ && tls_->is_server() && !tls_->established();
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

bool Socket::established() const { return !connecting_ && (!tls_ || tls_->established()); }
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

void Socket::write(Bytes bytes) {
  if (bytes.empty() || failed_) return;
  queued_ += bytes.size();
  queue_.push_back(std::move(bytes));
}

void Socket::flush() {
  if (failed_ || !established()) return;
  send_some();
}

// Small pieces share a record, so that ten frames of a few bytes cost one encryption and one
// packet.
void Socket::encrypt() {
  thread_local std::string record;
  while (!queue_.empty() && tls_->outgoing().size() < socket::kEncryptAhead) {
    std::string_view plaintext = queue_.front().view().substr(0, socket::kRecordSize);
    if (plaintext.size() < socket::kRecordSize && queue_.size() > 1) {
      record.clear();
      for (const auto& piece : queue_) {
        record.append(piece.view().substr(0, socket::kRecordSize - record.size()));
        if (record.size() == socket::kRecordSize) break;
      }
      plaintext = record;
    }
    if (auto written = tls_->write(plaintext); !written.ok()) return fail_later(written.status());
    queued_ -= plaintext.size();
    for (size_t taken = plaintext.size(); taken > 0;) {
      const size_t part = std::min(taken, queue_.front().size());
      queue_.front().remove_prefix(part);
      taken -= part;
      if (queue_.front().empty()) queue_.pop_front();
    }
  }
}

// The next pieces for the kernel.
std::vector<Bytes> Socket::next_pieces() {
  std::vector<Bytes> pieces;
  if (tls_) {
    if (tls_->established()) encrypt();
    if (!tls_->outgoing().empty()) pieces.emplace_back(std::exchange(tls_->outgoing(), {}));
    return pieces;
  }
  size_t room = socket::kSendATurn;
  while (!queue_.empty() && room > 0 && pieces.size() < socket::kMaxPieces) {
    Bytes& front = queue_.front();
    pieces.push_back(front.slice(0, room));
    const size_t taken = pieces.back().size();
    room -= taken;
    queued_ -= taken;
    front.remove_prefix(taken);
    if (front.empty()) queue_.pop_front();
  }
  return pieces;
}

void Socket::send_some() {
  size_t sent_now = 0;
  // One write at a time: later data goes out with the next, in larger records.
  while (!failed_ && !connecting_ && !send_posted_ && in_flight_ == 0) {
    if (sent_now >= socket::kSendATurn && !queue_.empty()) return send_later();
    std::vector<Bytes> pieces = next_pieces();
    if (failed_) return;
    if (pieces.empty()) {
      if (end_direction()) continue;
      return;
    }

    std::array<uv_buf_t, socket::kMaxPieces> buffers;
    size_t total = 0;
    for (size_t i = 0; i < pieces.size(); ++i) {
      buffers[i] = socket::buffer(pieces[i]);
      total += pieces[i].size();
    }
    const int result =
        uv_try_write(&handle_->stream, buffers.data(), static_cast<unsigned>(pieces.size()));
    if (result < 0 && result != UV_EAGAIN) return fail_later(socket::uv_failure("writing", result));
    size_t done = result > 0 ? static_cast<size_t>(result) : 0;
    bytes_sent_ += done;
    sent_now += done;
    if (done == total) continue;
    total -= done;
    size_t first = 0;
    while (done >= pieces[first].size()) done -= pieces[first++].size();
    pieces[first].remove_prefix(done);
    pieces.erase(pieces.begin(), pieces.begin() + static_cast<ptrdiff_t>(first));
    submit(std::move(pieces), total);
  }
}

void Socket::send_later() {
  send_posted_ = true;
  loop_.post([this, alive = alive_] {
    if (!*alive) return;
    send_posted_ = false;
    sent(0, 0);
  });
}

void Socket::submit(std::vector<Bytes> pieces, size_t size) {
  auto* write = new Write{{}, handle_, size, std::move(pieces)};
  write->request.data = write;
  std::array<uv_buf_t, socket::kMaxPieces> buffers;
  for (size_t i = 0; i < write->pieces.size(); ++i) buffers[i] = socket::buffer(write->pieces[i]);
  in_flight_ = size;
  const int result =
      uv_write(&write->request, &handle_->stream, buffers.data(),
               static_cast<unsigned>(write->pieces.size()), [](uv_write_t* request, int status) {
                 const std::unique_ptr<Write> owned(static_cast<Write*>(request->data));
                 if (Socket* self = owned->handle->owner) self->sent(owned->size, status);
               });
  if (result != 0) {
    delete write;
    fail_later(socket::uv_failure("writing", result));
  }
}

void Socket::sent(size_t size, int result) {
  in_flight_ = 0;
  if (result != 0) return fail(socket::uv_failure("writing", result));
  bytes_sent_ += size;
  send_some();
  if (!failed_ && unsent() <= kLowWater && events_ != nullptr) events_->on_drained();
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

void Socket::shutdown() {
  shutdown_wanted_ = true;
  flush();
}

bool Socket::end_direction() {
  if (!shutdown_wanted_ || !queue_.empty() || direction_ended_) return false;
  if (tls_ && !notified_) {
    notified_ = true;
    tls_->close_notify();
    return true;
  }
  direction_ended_ = true;
  auto* request = new uv_shutdown_t;
  const auto done = [](uv_shutdown_t* finished, int) { delete finished; };
  if (uv_shutdown(request, &handle_->stream, done) != 0) delete request;
  return false;
}

void Socket::fail(const Status& why) {
  if (failed_) return;
  failed_ = true;
  queue_.clear();
  queued_ = 0;
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

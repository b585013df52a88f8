#include "http/server/connection.h"

namespace proa::http {
namespace connection {

// What HTTP/2 clients with prior knowledge send first.
constexpr std::string_view kPreface = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";
// How long a closing connection reads what its peer still sends: if closed at once, the kernel
// would answer that with a reset, which can overtake our last response.
constexpr Duration kLinger = std::chrono::seconds(2);
// And how much. Whoever sends more than that is not listening.
constexpr size_t kLingerBytes = 16 * 1024 * 1024;

}  // namespace connection

Connection::Connection(std::unique_ptr<Socket> socket, std::string address,
                       ConnectionContext context)
    : loop_(socket->loop()),
      socket_(std::move(socket)),
      address_(std::move(address)),
      context_(std::move(context)),
      for_exchanges_(std::make_shared<const ExchangeContext>(ExchangeContext{
          context_.limits, context_.bodies, std::make_shared<BodyBudget::Account>()})),
      heads_(std::make_shared<HeadBudget::Account>()),
      last_progress_(loop_.now()),
      deadline_(loop_, [this] { check_deadline(); }),
      writing_(loop_, [this] { check_writing(); }) {}

Connection::~Connection() = default;

void Connection::start() {
  socket_->keep(context_.place);
  socket_->set_output(context_.output);
  expect_within(limits().handshake_timeout);
  socket_->set_events(*this);
  if (!socket_->has_tls()) on_established();
}

void Connection::on_established() {
  if (!is_open()) return;  // timed out while the end of the handshake was queued
  if (socket_->has_tls()) greeted();
  peer_ = std::make_shared<const Peer>(
      Peer{address_, socket_->peer_certificates(), socket_->has_tls()});
  if (socket_->has_tls()) choose_protocol(socket_->alpn() == "h2");
}

void Connection::choose_protocol(bool http2) {
  protocol_ = http2 ? make_http2(*this) : make_http1(*this);
  protocol_->start();
  if (draining_) protocol_->drain();
}

void Connection::on_data(std::string_view bytes) {
  if (!is_open()) return;  // closed while the bytes of one read were being delivered
  if (lingering_) return discard(bytes.size());
  const auto self = shared_from_this();
  if (use_ == ConnectionUse::kSilent) greeted();
  if (protocol_) return protocol_->on_data(bytes);
  first_bytes_.append(bytes);
  const size_t known = std::min(first_bytes_.size(), connection::kPreface.size());
  const bool may_be_http2 = first_bytes_.compare(0, known, connection::kPreface, 0, known) == 0;
  if (may_be_http2 && known < connection::kPreface.size()) return;
  choose_protocol(may_be_http2);
  const std::string first = std::exchange(first_bytes_, {});
  protocol_->on_data(first);
}

void Connection::on_end() {
  if (!is_open()) return;
  const auto self = shared_from_this();
  peer_ended_ = true;
  if (lingering_) return linger();
  if (!protocol_) return close();
  protocol_->on_end();
}

void Connection::on_drained() {
  if (!is_open()) return;
  const auto self = shared_from_this();
  if (lingering_) return linger();
  if (protocol_) protocol_->on_drained();
}

void Connection::on_closed(const Status&) { close(); }

ExchangePtr Connection::make_exchange(RequestHead head) {
  auto share = context_.heads->take(heads_, Exchange::memory_of(head));
  if (share == nullptr) return nullptr;
  return std::make_shared<Exchange>(loop_, OpenHead{std::move(head), std::move(share)}, peer_,
                                    for_exchanges_);
}

void Connection::drain() {
  const auto self = shared_from_this();
  draining_ = true;
  if (protocol_) {
    protocol_->drain();
  } else if (first_bytes_.empty()) {
    close();
  }
}

void Connection::close() {
  if (!is_open()) return;
  const auto self = shared_from_this();
  deadline_.stop();
  writing_.stop();
  // The socket is destroyed only after the callers inside of its events have returned.
  loop_.post([self, socket = std::shared_ptr<Socket>(std::move(socket_))] {});
  if (protocol_) protocol_->closed();
  context_.closed(*this);
}

void Connection::expect_within(std::optional<Duration> time) {
  if (lingering_) return;  // its time is short, whatever the protocol still does
  set_deadline(time);
}

void Connection::set_deadline(std::optional<Duration> time) {
  if (!is_open()) return;
  if (time) {
    deadline_.start(*time);
  } else {
    deadline_.stop();
  }
}

void Connection::check_deadline() {
  if (lingering_ || !protocol_) return close();
  const auto self = shared_from_this();
  protocol_->overdue();
}

void Connection::set_use(ConnectionUse use) {
  if (use == use_ || !is_open()) return;
  const ConnectionUse before = std::exchange(use_, use);
  context_.used(*this, before, use);
}

void Connection::greeted() {
  if (!is_open() || (use_ != ConnectionUse::kSilent && use_ != ConnectionUse::kGreeting)) return;
  last_progress_ = loop_.now();
  const ConnectionUse before = std::exchange(use_, ConnectionUse::kGreeting);
  context_.used(*this, before, use_);
}

bool Connection::may_yield() const {
  return is_open() && use_ != ConnectionUse::kBusy && socket_->unsent() == 0 &&
         !socket_->finishes_handshake();
}

bool Connection::is_stalled() const {
  return is_open() && behind_since_ && loop_.now() - *behind_since_ >= limits().stalled_time;
}

void Connection::yield_place() {
  const auto self = shared_from_this();
  if (protocol_ && !lingering_) protocol_->say_goodbye();
  close();
}

void Connection::watch_writing() {
  if (!is_open()) return;
  const bool behind = protocol_->unsent() > 0 || socket_->unsent() > 0;
  if (!behind) {
    behind_since_.reset();
  } else if (!behind_since_) {
    behind_since_ = loop_.now();
  }
  if (writing_watched_) return;
  progress_seen_ = protocol_->unsent() > 0 ? std::optional(protocol_->progress()) : std::nullopt;
  sent_seen_ = socket_->unsent() > 0 ? std::optional(socket_->bytes_sent()) : std::nullopt;
  if (!progress_seen_ && !sent_seen_) return;
  writing_watched_ = true;
  writing_.start(limits().write_timeout);
}

void Connection::check_writing() {
  writing_watched_ = false;
  if (protocol_->unsent() > 0 && protocol_->progress() == progress_seen_) return close();
  if (socket_->unsent() > 0 && socket_->bytes_sent() == sent_seen_) return close();
  watch_writing();
}

void Connection::close_gracefully() {
  if (!is_open() || lingering_) return;
  lingering_ = true;
  set_use(ConnectionUse::kIdle);
  socket_->shutdown();
  socket_->resume();
  linger();
}

void Connection::discard(size_t bytes) {
  discarded_ += bytes;
  if (discarded_ > connection::kLingerBytes) close();
}

// The linger time begins when our last byte is sent; until then the peer only has to read.
void Connection::linger() {
  if (socket_->unsent() > 0) {
    set_deadline(std::nullopt);
    watch_writing();
  } else if (peer_ended_) {
    close();
  } else {
    set_deadline(connection::kLinger);
  }
}

std::unique_ptr<Socket> Connection::release_socket() {
  auto released = std::move(socket_);
  released->detach();
  context_.place->left_server();
  deadline_.stop();
  writing_.stop();
  context_.closed(*this);
  return released;
}

}  // namespace proa::http

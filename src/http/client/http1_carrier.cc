#include "http/client/http1_carrier.h"

#include <utility>

namespace proa::http {
namespace http1_carrier {

// Buffered body bytes before flow control stops the peer.
constexpr size_t kUnreadBytes = 256 * 1024;

bool is_informational(int status) { return status >= 100 && status < 200; }

}  // namespace http1_carrier

Http1Carrier::Http1Carrier(ConnectionOwner& owner, const Origin& origin,
                           std::unique_ptr<Socket> socket, const ConnectionOptions& options)
    : PooledConnection(owner, origin, std::move(socket)),
      options_(options),
      parser_(Http1Parser::Kind::kResponses, options.http1, *this),
      idle_timer_(socket_->loop(), [this] { close(failure("idle timeout")); }) {
  socket_->set_events(*this);
  idle_timer_.start(options_.idle_timeout);
}

void Http1Carrier::start(std::shared_ptr<ClientCall> call) {
  CHECK(has_room());
  idle_timer_.stop();
  call_ = std::move(call);
  answer_begun_ = false;
  informational_count_ = 0;
  unread_ = unreported_ = 0;
  const ClientRequest& request = call_->request();
  parser_.next_message(request.method == "HEAD");
  declared_size_ = request.declared_size();
  socket_->write(print_request_head(request.head(Version::kHttp11)));
  if (!request.streams_body) {
    socket_->write(request.body);
  } else if (!request.body.empty()) {
    write_part(request.body);
    if (socket_ == nullptr) return;
  }
  socket_->flush();
  const auto kept = call_;
  kept->attach(*this, 0);
}

void Http1Carrier::retire() {
  retired_ = true;
  if (is_idle()) close(failure("retired"));
}

void Http1Carrier::close(const Status& why) {
  if (socket_ == nullptr) return;
  socket_.reset();
  idle_timer_.stop();
  const auto call = std::exchange(call_, nullptr);
  owner_.on_gone(*this);
  if (call) call->fail(why);
}

void Http1Carrier::send(ClientCall&, Bytes bytes) {
  if (socket_ == nullptr || bytes.empty()) return;
  unreported_ += bytes.size();
  write_part(std::move(bytes));
  if (socket_ == nullptr) return;
  socket_->flush();
  if (socket_->unsent() <= Socket::kLowWater) tell_sent();
}

void Http1Carrier::write_part(Bytes bytes) {
  if (!declared_size_) {
    socket_->write(print_chunk_size(bytes.size()));
    socket_->write(std::move(bytes));
    return socket_->write(Bytes::of_static("\r\n"));
  }
  // The peer would read more as the next request.
  if (bytes.size() > *declared_size_)
    return close(failure("the request body is longer than its Content-Length"));
  *declared_size_ -= bytes.size();
  socket_->write(std::move(bytes));
}

void Http1Carrier::finish(ClientCall&, Headers trailers) {
  if (socket_ == nullptr) return;
  if (declared_size_) {
    // The peer would take the next request for the rest of this one.
    if (*declared_size_ > 0) close(failure("the request body is shorter than its Content-Length"));
    return;
  }
  socket_->write(print_last_chunk(trailers));
  socket_->flush();
}

void Http1Carrier::consume(ClientCall&, size_t bytes) {
  unread_ -= std::min(bytes, unread_);
  if (socket_ != nullptr && unread_ < http1_carrier::kUnreadBytes) socket_->resume();
}

void Http1Carrier::abandon(ClientCall&) {
  // To reuse the connection, the rest of the response would have to be read: it can be endless.
  call_ = nullptr;
  close(failure("cancelled"));
}

void Http1Carrier::tell_sent() {
  const auto call = call_;
  if (call) call->sent(std::exchange(unreported_, 0));
}

void Http1Carrier::on_drained() { tell_sent(); }

void Http1Carrier::on_data(std::string_view bytes) {
  if (call_ == nullptr) return close(failure("unexpected response"));
  answer_begun_ = true;
  input_.append(bytes);
  parse();
}

void Http1Carrier::parse() {
  while (socket_ != nullptr && call_ != nullptr) {
    const auto taken = parser_.feed(input_);
    if (socket_ == nullptr) return;  // the call was cancelled in its event
    if (!taken.ok()) return close(failure("malformed response: " + taken.status().message()));
    input_.erase(0, *taken);
    if (!parser_.message_done()) return;
    if (!informational_) return answer_over();
    parser_.next_message(call_->request().method == "HEAD");
  }
}

void Http1Carrier::on_response(ResponseHead head) {
  informational_ = http1_carrier::is_informational(head.status) && head.status != 101;
  if (informational_ && ++informational_count_ > kMostInformational) {
    return close(failure("too many informational responses"));
  }
  if (informational_ || call_ == nullptr) return;
  // Kept alive during the event, in which the call may be cancelled.
  const auto call = call_;
  if (head.status == 101) return close(failure("unexpected protocol upgrade"));
  call->answer_head(std::move(head));
}

void Http1Carrier::on_body(std::string_view bytes) {
  const auto call = call_;
  if (!call || socket_ == nullptr || bytes.empty()) return;
  unread_ += bytes.size();
  if (unread_ >= http1_carrier::kUnreadBytes) socket_->pause();
  call->answer_body(bytes);
}

void Http1Carrier::on_message_end(Headers trailers) { trailers_ = std::move(trailers); }

void Http1Carrier::answer_over() {
  const bool reusable =
      parser_.keep_alive() && call_->finished_writing() && input_.empty() && !retired_;
  const auto call = std::exchange(call_, nullptr);
  Headers trailers = std::exchange(trailers_, {});
  call->detach();
  if (reusable) {
    ++served_;
    socket_->resume();
    idle_timer_.start(options_.idle_timeout);
    owner_.on_room(*this);
  } else {
    close(failure("closed after its response"));
  }
  call->answer_end(std::move(trailers));
}

void Http1Carrier::on_end() {
  if (call_ != nullptr && answer_begun_) {
    const auto ended = parser_.feed_end();
    if (socket_ == nullptr) return;
    if (ended.ok() && parser_.message_done() && call_ != nullptr && !informational_) {
      retired_ = true;
      return answer_over();
    }
  }
  lose(failure(answer_begun_ ? "connection closed in the middle of the response"
                             : "connection closed before the response"));
}

void Http1Carrier::on_closed(const Status& why) { lose(failure(why.message())); }

bool Http1Carrier::may_start_over() const {
  return call_ != nullptr && served_ > 0 && !answer_begun_ && call_->request().is_safe() &&
         call_->can_start_over();
}

void Http1Carrier::lose(const Status& why) {
  if (!may_start_over()) return close(why);
  const auto call = std::exchange(call_, nullptr);
  call->detach();
  close(why);
  owner_.start_over(call);
}

}  // namespace proa::http

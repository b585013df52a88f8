#include "http/client/http2_carrier.h"

#include <utility>

namespace proa::http {
namespace http2_carrier {

// Frames queued for the kernel; more stays in the session, where it can still be cancelled.
constexpr size_t kUnsentBytes = 256 * 1024;
constexpr size_t kOutputBytes = 64 * 1024;

constexpr uint32_t kRefusedStream = 0x7;
constexpr uint32_t kCancel = 0x8;

}  // namespace http2_carrier

Http2Carrier::Http2Carrier(ConnectionOwner& owner, const Origin& origin,
                           std::unique_ptr<Socket> socket, const ConnectionOptions& options)
    : PooledConnection(owner, origin, std::move(socket)),
      options_(options),
      session_(Http2Session::Role::kClient, options.http2, *this),
      timer_(socket_->loop(), [this] { timer_fired(); }) {
  socket_->set_events(*this);
  timer_.start(options_.idle_timeout);
  settle();
}

bool Http2Carrier::has_room() const {
  return socket_ != nullptr && !retired_ && session_.open_streams() < session_.peer_max_streams();
}

void Http2Carrier::start(std::shared_ptr<ClientCall> call) {
  CHECK(has_room());
  const ClientRequest& request = call->request();
  const bool end = !request.streams_body && request.body.empty();
  const auto stream = session_.request(request.head(Version::kHttp2), end);
  if (!stream.ok()) {
    // Out of stream ids, or closing: another connection takes the call.
    owner_.start_over(std::move(call));
    return retire();
  }
  calls_.emplace(*stream, call);
  if (std::exchange(idle_, false)) {
    pinged_ = false;
    timer_.start(options_.ping_after);
  }
  session_.send(*stream, request.body);
  if (!request.streams_body && !end) session_.end(*stream);
  was_full_ = !has_room();
  call->attach(*this, *stream);
  settle();
}

void Http2Carrier::retire() {
  retired_ = true;
  if (is_idle()) close(failure("retired"));
}

void Http2Carrier::close(const Status& why) {
  if (socket_ == nullptr) return;
  socket_.reset();
  timer_.stop();
  const auto calls = std::exchange(calls_, {});
  owner_.on_gone(*this);
  for (const auto& [stream, call] : calls) call->fail(why);
}

void Http2Carrier::lose(const Status& why) {
  // The peer may have closed this kept connection before. On a new one that cannot be, and a retry
  // would fail again.
  std::vector<std::shared_ptr<ClientCall>> unanswered;
  if (served_ > 0) {
    for (const auto& [stream, call] : calls_) {
      if (call->request().is_safe() && call->can_start_over()) unanswered.push_back(call);
    }
  }
  for (const auto& call : unanswered) {
    calls_.erase(call->stream());
    call->detach();
  }
  close(why);
  for (const auto& call : unanswered) owner_.start_over(call);
}

void Http2Carrier::send(ClientCall& call, Bytes bytes) {
  session_.send(call.stream(), std::move(bytes));
  settle();
}

void Http2Carrier::finish(ClientCall& call, Headers trailers) {
  session_.end(call.stream(), std::move(trailers));
  settle();
}

void Http2Carrier::consume(ClientCall& call, size_t bytes) {
  session_.consume(call.stream(), bytes);
  settle();
}

void Http2Carrier::abandon(ClientCall& call) {
  calls_.erase(call.stream());
  session_.reset(call.stream(), http2_carrier::kCancel);
  settle();
}

void Http2Carrier::on_data(std::string_view bytes) {
  received_ = true;
  if (std::exchange(pinged_, false) && !idle_) timer_.start(options_.ping_after);
  busy_ = true;
  const auto received = session_.receive(bytes);
  busy_ = false;
  if (received.ok()) return settle();
  send_frames();  // the GOAWAY that tells why
  close(failure("malformed response: " + received.status().message()));
}

void Http2Carrier::on_end() { lose(failure("connection closed before the response was complete")); }
void Http2Carrier::on_drained() { settle(); }
void Http2Carrier::on_closed(const Status& why) { lose(failure(why.message())); }

void Http2Carrier::settle() {
  if (busy_) return;
  send_frames();
  if (socket_ == nullptr) return;

  if (session_.finished()) return lose(failure("connection ended by the peer"));
  if (calls_.empty()) {
    if (retired_) return close(failure("retired"));
    if (!std::exchange(idle_, true)) timer_.start(options_.idle_timeout);
  }
  if (was_full_ && has_room()) {
    was_full_ = false;
    owner_.on_room(*this);
  }
}

void Http2Carrier::send_frames() {
  if (socket_ == nullptr) return;
  busy_ = true;
  while (socket_ != nullptr && session_.wants_output() &&
         socket_->unsent() < http2_carrier::kUnsentBytes) {
    std::string frames;
    session_.take_output(frames, http2_carrier::kOutputBytes);
    if (frames.empty() || socket_ == nullptr) break;
    socket_->write(std::move(frames));
  }
  busy_ = false;
  if (socket_ != nullptr) socket_->flush();
}

void Http2Carrier::timer_fired() {
  if (idle_) return close(failure("idle timeout"));
  if (std::exchange(received_, false)) return timer_.start(options_.ping_after);
  if (pinged_) return lose(failure("the peer does not respond to pings"));
  pinged_ = true;
  session_.ping();
  timer_.start(options_.ping_timeout);
  settle();
}

std::shared_ptr<ClientCall> Http2Carrier::find(StreamId stream) const {
  const auto found = calls_.find(stream);
  return found == calls_.end() ? nullptr : found->second;
}

void Http2Carrier::on_response(StreamId stream, ResponseHead head, bool) {
  if (const auto call = find(stream)) call->answer_head(std::move(head));
}

void Http2Carrier::on_body(StreamId stream, std::string_view bytes) {
  if (const auto call = find(stream)) call->answer_body(bytes);
}

void Http2Carrier::on_body_end(StreamId stream, Headers trailers) {
  const auto call = find(stream);
  if (!call) return;
  calls_.erase(stream);
  ++served_;
  // The response is complete: the rest of the request is not needed.
  if (!call->finished_writing()) session_.reset(stream, http2_carrier::kCancel);
  call->answer_end(std::move(trailers));
}

void Http2Carrier::on_sent(StreamId stream, size_t bytes) {
  if (const auto call = find(stream); call && call->request().streams_body) call->sent(bytes);
}

void Http2Carrier::on_stream_closed(StreamId stream, uint32_t error_code) {
  const auto call = find(stream);
  if (!call) return;
  calls_.erase(stream);
  call->detach();
  // Refused, or beyond the last stream of a GOAWAY: the peer has not processed it.
  if (error_code == http2_carrier::kRefusedStream && call->can_start_over())
    return owner_.start_over(call);
  call->fail(failure("the peer reset the stream with error " + std::to_string(error_code)));
}

void Http2Carrier::on_goaway(StreamId) { retired_ = true; }

}  // namespace proa::http

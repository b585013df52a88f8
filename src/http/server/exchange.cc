#include "http/server/exchange.h"

#include <algorithm>

#include "base/check.h"
#include "http/server/date.h"
#include "http/wire/gzip.h"

namespace proa::http {
namespace exchange {

bool forbids_body(int status) { return status < 200 || status == 204 || status == 304; }

void add_date(Headers& headers) {
  if (!headers.has("date")) headers.add("date", current_http_date());
}

}  // namespace exchange

Exchange::Exchange(Loop& loop, RequestHead request, std::shared_ptr<const Peer> peer,
                   std::shared_ptr<const ServerLimits> limits)
    : loop_(loop),
      request_(std::move(request)),
      peer_(std::move(peer)),
      limits_(std::move(limits)) {}

template <typename Task>
void Exchange::on_loop(Task task) {
  if (loop_.in_loop()) return task();
  loop_.post([self = shared_from_this(), task = std::move(task)]() mutable { task(); });
}

void Exchange::read_body(BodyDone done) {
  on_loop([this, done = std::move(done)]() mutable {
    body_done_ = std::move(done);
    deliver_body();
  });
}

void Exchange::stream_body(BodyPart part) {
  on_loop([this, part = std::move(part)]() mutable {
    body_part_ = std::move(part);
    deliver_body();
  });
}

void Exchange::consume(size_t bytes) {
  on_loop([this, bytes] {
    if (stream_ != nullptr) stream_->consume(bytes);
  });
}

void Exchange::body_arrived(std::string_view bytes) {
  if (too_large_) return stream_->consume(bytes.size());
  body_.append(bytes);
  deliver_body();
}

void Exchange::body_ended() {
  body_over_ = true;
  deliver_body();
}

void Exchange::deliver_body() {
  if (body_part_) return deliver_parts();
  if (!body_done_) return;
  // Buffered bytes count as read, else a body larger than the window would never arrive.
  if (stream_ != nullptr) stream_->consume(body_.size() - gathered_);
  gathered_ = body_.size();
  if (body_.size() > limits_->body_bytes) {
    too_large_ = true;
    body_.clear();
    std::exchange(body_done_, nullptr)(
        Status(Reason::kRequestEntityTooLarge, "the request is larger than the limit of " +
                                                   std::to_string(limits_->body_bytes) + " bytes"));
  } else if (body_over_) {
    std::exchange(body_done_, nullptr)(Bytes(std::exchange(body_, {})));
  } else if (closed_) {
    std::exchange(body_done_,
                  nullptr)(Status(Reason::kBadRequest, "the request body is incomplete"));
  }
}

void Exchange::deliver_parts() {
  // Kept alive while it runs: it may abort the exchange, which releases all callbacks.
  auto part = std::exchange(body_part_, nullptr);
  while (!body_.empty()) part(Bytes(std::exchange(body_, {})));
  if (body_over_) return part(std::nullopt);
  if (!closed_ && !body_part_) body_part_ = std::move(part);
}

void Exchange::respond(Response response) {
  // Compressed on the caller's thread: a worker for large responses.
  if (response.body.size() >= limits_->gzip_bytes && !response.headers.has("content-encoding") &&
      request_.headers.accepts("accept-encoding", "gzip")) {
    response.body = Bytes(gzip(response.body.view()));
    response.headers.set("content-encoding", "gzip");
    response.headers.add("vary", "Accept-Encoding");
  }
  on_loop([this, response = std::move(response)]() mutable { send_whole(std::move(response)); });
}

bool Exchange::is_bare(int status) const {
  return request_.method == "HEAD" || exchange::forbids_body(status);
}

void Exchange::send_whole(Response response) {
  if (stream_ == nullptr) return;
  CHECK(!head_sent_);
  head_sent_ = end_sent_ = true;
  if (!exchange::forbids_body(response.status)) {
    response.headers.set("content-length", std::to_string(response.body.size()));
  }
  exchange::add_date(response.headers);
  const bool empty =
      is_bare(response.status) || (response.body.empty() && response.trailers.empty());
  stream_->send_head({response.status, std::move(response.headers)}, empty);
  if (!empty) {
    unsent_.fetch_add(response.body.size(), std::memory_order_relaxed);
    stream_->send_body(std::move(response.body));
    stream_->send_end(std::move(response.trailers));
  }
  stream_->flush();
}

void Exchange::start(ResponseHead head) {
  on_loop([this, head = std::move(head)]() mutable {
    if (stream_ == nullptr) return;
    CHECK(!head_sent_);
    head_sent_ = true;
    exchange::add_date(head.headers);
    end_sent_ = is_bare(head.status);
    stream_->send_head(head, end_sent_);
    stream_->flush();
  });
}

void Exchange::write(Bytes bytes) {
  if (bytes.empty()) return;
  unsent_.fetch_add(bytes.size(), std::memory_order_relaxed);
  on_loop([this, bytes = std::move(bytes)]() mutable {
    if (stream_ == nullptr || end_sent_) {
      unsent_.fetch_sub(bytes.size(), std::memory_order_relaxed);
      return;
    }
    CHECK(head_sent_);
    // A client that does not read is disconnected; it can ask again.
    if (unsent() > limits_->unsent_bytes) return abort();
    stream_->send_body(std::move(bytes));
    stream_->flush();
  });
}

void Exchange::finish(Headers trailers) {
  on_loop([this, trailers = std::move(trailers)]() mutable {
    if (stream_ == nullptr || end_sent_) return;
    CHECK(head_sent_);
    end_sent_ = true;
    stream_->send_end(std::move(trailers));
    stream_->flush();
  });
}

void Exchange::on_drained(std::function<void()> drained) {
  on_loop([this, drained = std::move(drained)]() mutable { drained_ = std::move(drained); });
}

void Exchange::on_closed(std::function<void()> callback) {
  on_loop([this, callback = std::move(callback)]() mutable {
    if (closed_) return callback();
    on_closed_ = std::move(callback);
  });
}

void Exchange::on_draining(std::function<void()> callback) {
  on_loop([this, callback = std::move(callback)]() mutable {
    if (draining_) return callback();
    on_draining_ = std::move(callback);
  });
}

void Exchange::abort() {
  on_loop([this] {
    if (stream_ != nullptr) stream_->reset();
  });
}

void Exchange::upgrade(Headers headers, Upgraded upgraded) {
  on_loop([this, headers = std::move(headers), upgraded = std::move(upgraded)] {
    if (stream_ == nullptr) return;
    std::string early;
    auto socket = stream_->take_socket(headers, early);
    if (!socket.ok()) {
      return respond({400,
                      {{"content-type", "text/plain; charset=utf-8"}},
                      Bytes(socket.status().message() + "\n"),
                      {}});
    }
    head_sent_ = end_sent_ = true;
    upgraded(std::move(*socket), std::move(early));
  });
}

void Exchange::sent(size_t bytes) {
  const size_t before = unsent_.fetch_sub(bytes, std::memory_order_relaxed);
  if (drained_ && before > Socket::kLowWater && before - bytes <= Socket::kLowWater) {
    const auto drained = drained_;  // it may replace itself
    drained();
  }
}

void Exchange::draining() {
  if (std::exchange(draining_, true)) return;
  if (on_draining_) std::exchange(on_draining_, nullptr)();
}

void Exchange::closed() {
  if (std::exchange(closed_, true)) return;
  const auto self = shared_from_this();
  stream_ = nullptr;
  deliver_body();
  body_part_ = nullptr;
  drained_ = nullptr;
  on_draining_ = nullptr;
  if (on_closed_) std::exchange(on_closed_, nullptr)();
}

}  // namespace proa::http

#include "http/client/call.h"

#include <utility>

namespace proa::http {

ClientCall::ClientCall(Loop& loop, ClientRequest request, std::shared_ptr<CallEvents> events)
    : loop_(loop),
      request_(std::move(request)),
      events_(std::move(events)),
      finished_(!request_.streams_body) {}

void ClientCall::write(Bytes bytes) {
  CHECK(request_.streams_body);
  loop_.run([self = shared_from_this(), bytes = std::move(bytes)]() mutable {
    if (self->over() || self->finished_) return;
    if (self->carrier_ == nullptr) {
      self->written_.push_back(std::move(bytes));
    } else {
      self->sent_streamed_ = true;
      self->carrier_->send(*self, std::move(bytes));
    }
  });
}

void ClientCall::finish_writing(Headers trailers) {
  loop_.run([self = shared_from_this(), trailers = std::move(trailers)]() mutable {
    if (self->over() || self->finished_) return;
    self->finished_ = true;
    self->trailers_ = std::move(trailers);
    if (self->carrier_ != nullptr) self->carrier_->finish(*self, self->trailers_);
  });
}

void ClientCall::consume(size_t bytes) {
  loop_.run([self = shared_from_this(), bytes] {
    if (self->carrier_ != nullptr) self->carrier_->consume(*self, bytes);
  });
}

void ClientCall::cancel() {
  loop_.run([self = shared_from_this()] { self->cancel_now(); });
}

void ClientCall::cancel_now() {
  if (over()) return;
  // Released at the end: it may own our caller.
  const auto events = std::exchange(events_, nullptr);
  if (auto* carrier = std::exchange(carrier_, nullptr)) carrier->abandon(*this);
}

void ClientCall::begin() {
  if (const auto events = events_) events->on_start(shared_from_this());
}

void ClientCall::attach(Carrier& carrier, int32_t stream) {
  carrier_ = &carrier;
  stream_ = stream;
  ++attempts_;
  // on_sent events may write or cancel.
  while (carrier_ == &carrier && !written_.empty()) {
    sent_streamed_ = true;
    Bytes bytes = std::move(written_.front());
    written_.pop_front();
    carrier.send(*this, std::move(bytes));
  }
  if (carrier_ == &carrier && request_.streams_body && finished_) carrier.finish(*this, trailers_);
}

void ClientCall::answer_head(ResponseHead head) {
  answered_ = true;
  if (const auto events = events_) events->on_head(std::move(head));
}

void ClientCall::answer_body(std::string_view bytes) {
  if (const auto events = events_) events->on_body(bytes);
}

void ClientCall::answer_end(Headers trailers) {
  carrier_ = nullptr;
  if (const auto events = std::exchange(events_, nullptr)) events->on_end(std::move(trailers));
}

void ClientCall::fail(const Status& why) {
  carrier_ = nullptr;
  if (const auto events = std::exchange(events_, nullptr)) events->on_error(why);
}

void ClientCall::sent(size_t bytes) {
  if (const auto events = events_; events != nullptr && bytes > 0) events->on_sent(bytes);
}

}  // namespace proa::http

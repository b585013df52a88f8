#include "http/server/request_body.h"

#include <algorithm>

namespace proa::http {
namespace request_body {

// What a request takes besides its body, so that many empty ones count, too.
constexpr size_t kOverhead = 4 * 1024;
// The first share of a body of unknown length; it doubles as needed.
constexpr size_t kFirstShare = 60 * 1024;

struct Held {
  std::string text;
  BodyBudget::SharePtr share;
};

Status too_large(size_t limit) {
  return {Reason::kRequestEntityTooLarge,
          "the request is larger than the limit of " + std::to_string(limit) + " bytes"};
}

Status no_room() {
  StatusDetails details;
  details.retry_after_seconds = 1;
  return Status(Reason::kTooManyRequests, "Too many requests, please try again later.")
      .with_details(std::move(details));
}

}  // namespace request_body

RequestBody::RequestBody(Loop& loop, const ExchangeContext& context, Flow& flow)
    : loop_(loop), context_(context), flow_(flow) {
  restart_pace();
}

void RequestBody::restart_pace() {
  due_ = loop_.now() + context_.limits->body_timeout;
  since_ = 0;
}

void RequestBody::read(Announced announced, const std::shared_ptr<RequestBody>& self, Done done) {
  announced_ = std::move(announced);
  done_ = std::move(done);
  restart_pace();
  const bool empty = over_ && text_.empty();
  if (!empty && !closed_) claim(self);
  deliver();
}

void RequestBody::claim(const std::shared_ptr<RequestBody>& self) {
  const size_t limit = context_.limits->body_bytes;
  if (announced_.length.value_or(0) > limit) return fail(request_body::too_large(limit));
  size_t bytes = std::max(text_.size(), announced_.length.value_or(request_body::kFirstShare));
  if (over_) bytes = text_.size();
  // The one who returns a share may be on another thread.
  const auto when_granted = [&loop = loop_,
                             weak = std::weak_ptr(self)](BodyBudget::SharePtr share) {
    loop.post([weak, share = std::move(share)]() mutable {
      if (const auto body = weak.lock()) body->granted(std::move(share));
    });
  };
  BodyBudget::Answer answer =
      context_.bodies->take({context_.account, announced_.payer},
                            std::min(bytes, limit) + request_body::kOverhead, when_granted);
  waiting_ = std::move(answer.waiting);
  if (answer.share) {
    use_share(std::move(answer.share));
  } else if (!waiting_) {
    fail(request_body::no_room());
  } else if (unread_ > 0) {
    flow_.set_aside(unread_);
  }
}

void RequestBody::use_share(BodyBudget::SharePtr share) {
  share_ = std::move(share);
  text_.reserve(std::min(announced_.length.value_or(0), context_.limits->body_bytes));
  if (share_->bytes() > context_.limits->http2.stream_window) flow_.widen();
}

void RequestBody::granted(BodyBudget::SharePtr share) {
  if (!std::exchange(waiting_, nullptr)) return;
  use_share(std::move(share));
  restart_pace();
  deliver();
}

void RequestBody::stream(Part part) {
  part_ = std::move(part);
  if (!over_) flow_.widen();
  restart_pace();
  deliver();
}

void RequestBody::consumed(size_t bytes) {
  bytes = std::min(bytes, unread_);
  if (bytes == 0) return;
  unread_ -= bytes;
  // The peer's time did not run while our reader was behind.
  if (unread_ == 0) restart_pace();
  flow_.acknowledge(bytes);
}

void RequestBody::arrived(std::string_view bytes) {
  if (discards_) return flow_.acknowledge(bytes.size());
  unread_ += bytes.size();
  since_ += bytes.size();
  if (!done_ || since_ >= context_.limits->body_progress) restart_pace();
  text_.append(bytes);
  if (waiting_) return flow_.set_aside(bytes.size());
  deliver();
}

void RequestBody::ended() {
  over_ = true;
  deliver();
}

void RequestBody::closed() {
  closed_ = true;
  waiting_ = nullptr;
  deliver();
  part_ = nullptr;
}

bool RequestBody::is_ours_to_act() const { return !discards_ && !waiting_ && unread_ > 0; }

std::optional<Steady> RequestBody::due() const {
  if (closed_ || (over_ && !waiting_) || is_ours_to_act()) return std::nullopt;
  return due_;
}

bool RequestBody::late() {
  if (!done_) return false;
  fail(waiting_ ? request_body::no_room()
                : Status(Reason::kTimeout,
                         "Timeout: request did not complete within the allotted timeout"));
  return true;
}

void RequestBody::fail(const Status& why) {
  discards_ = true;
  restart_pace();
  waiting_ = nullptr;
  share_ = nullptr;
  text_ = {};
  if (const size_t unread = std::exchange(unread_, 0); unread > 0) flow_.acknowledge(unread);
  std::exchange(done_, nullptr)(why);
}

void RequestBody::deliver() {
  if (part_) return deliver_parts();
  if (!done_) return;
  const bool empty = over_ && text_.empty();
  const bool has_room = empty || share_ != nullptr;
  if (closed_ && !(over_ && has_room)) {
    return fail(Status(Reason::kBadRequest, "the request body is incomplete"));
  }
  if (!has_room) return;
  // Buffered bytes count as read, else a body larger than the window would never arrive.
  if (const size_t unread = std::exchange(unread_, 0); unread > 0) flow_.acknowledge(unread);
  const size_t limit = context_.limits->body_bytes;
  if (text_.size() > limit) return fail(request_body::too_large(limit));
  if (!empty && !keep_share()) return fail(request_body::no_room());
  if (!over_) return;
  auto held = std::make_shared<const request_body::Held>(
      request_body::Held{std::exchange(text_, {}), std::move(share_)});
  std::exchange(done_, nullptr)(Bytes(held->text, held));
}

// Bodies of unknown length grow.
bool RequestBody::keep_share() {
  const size_t needed = text_.size() + request_body::kOverhead;
  if (needed <= share_->bytes()) return true;
  const size_t most = context_.limits->body_bytes + request_body::kOverhead;
  return share_->grow(std::min(most, std::max(needed, 2 * share_->bytes())) - share_->bytes());
}

void RequestBody::deliver_parts() {
  // Kept alive while it runs: it may abort the exchange, which releases all callbacks.
  auto part = std::exchange(part_, nullptr);
  while (!text_.empty()) part(Bytes(std::exchange(text_, {})));
  if (over_) return part(std::nullopt);
  if (!closed_ && !part_) part_ = std::move(part);
}

}  // namespace proa::http

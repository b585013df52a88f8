#include "http/server/exchange.h"

#include <algorithm>

#include "base/check.h"
#include "base/log.h"
#include "base/strings.h"
#include "base/threads/guarded.h"
#include "http/server/date.h"
#include "http/wire/gzip.h"

namespace proa::http {
namespace exchange {

const Log kLog{"http"};
// What an open HTTP/2 request takes besides its head: the exchange, the stream here and that of
// nghttp2, what the handler keeps.
constexpr size_t kPerRequest = 3 * 1024;

bool forbids_body(int status) { return status < 200 || status == 204 || status == 304; }

// As announced; the parsers have checked it.
std::optional<size_t> body_length(const RequestHead& head) {
  const std::optional<int64_t> length = parse_int(head.headers.get("content-length"));
  if (!length || *length < 0) return std::nullopt;
  return static_cast<size_t>(*length);
}

void add_date(Headers& headers) {
  if (!headers.has("date")) headers.add("date", current_http_date());
}

class BothObservers final : public ResponseObserver {
 public:
  BothObservers(std::shared_ptr<ResponseObserver> first, std::shared_ptr<ResponseObserver> second)
      : first_(std::move(first)), second_(std::move(second)) {}

  void on_response(const Response& response) override {
    first_->on_response(response);
    second_->on_response(response);
  }
  void on_head(ResponseHead& head) override {
    first_->on_head(head);
    second_->on_head(head);
  }
  void on_part(const Bytes& bytes) override {
    first_->on_part(bytes);
    second_->on_part(bytes);
  }
  void on_thrown(const Status& why) override {
    first_->on_thrown(why);
    second_->on_thrown(why);
  }

 private:
  const std::shared_ptr<ResponseObserver> first_;
  const std::shared_ptr<ResponseObserver> second_;
};

}  // namespace exchange

Exchange::Exchange(Loop& loop, OpenHead head, std::shared_ptr<const Peer> peer,
                   std::shared_ptr<const ExchangeContext> context)
    : loop_(loop),
      head_(std::move(head)),
      peer_(std::move(peer)),
      context_(std::move(context)),
      body_(loop, *context_, *this) {}

// Handlers keep parts of the target besides.
size_t Exchange::memory_of(const RequestHead& head) {
  return exchange::kPerRequest + 2 * head.target.size() + head.memory();
}

void Exchange::release_headers() {
  on_loop([this] {
    head_.request.headers = {};
    head_.share->shrink(memory_of(head_.request));
  });
}

template <typename Task>
void Exchange::on_loop(Task task) {
  if (loop_.in_loop()) return task();
  loop_.post([self = shared_from_this(), task = std::move(task)]() mutable { task(); });
}

void Exchange::read_body(BodyDone done, std::string payer) {
  on_loop([this, done = std::move(done), payer = std::move(payer)]() mutable {
    const std::shared_ptr<RequestBody> self(shared_from_this(), &body_);
    body_.read({exchange::body_length(request()), std::move(payer)}, self, std::move(done));
  });
}

void Exchange::stream_body(BodyPart part) {
  on_loop([this, part = std::move(part)]() mutable { body_.stream(std::move(part)); });
}

void Exchange::consume(size_t bytes) {
  on_loop([this, bytes] { body_.consumed(bytes); });
}

void Exchange::acknowledge(size_t bytes) {
  if (stream_ != nullptr) stream_->consume(bytes);
}

void Exchange::set_aside(size_t bytes) {
  if (stream_ != nullptr) stream_->set_aside(bytes);
}

void Exchange::widen() {
  if (stream_ != nullptr) stream_->widen();
}

void Exchange::body_late() {
  const auto self = shared_from_this();
  if (!body_.late()) abort();
}

std::stop_token Exchange::stop_token() {
  if (!stop_) {
    stop_.emplace();
    if (is_closed()) stop_->request_stop();
  }
  return stop_->get_token();
}

void Exchange::observe(std::shared_ptr<ResponseObserver> observer) {
  if (observer_ != nullptr) {
    observer = std::make_shared<exchange::BothObservers>(std::move(observer_), std::move(observer));
  }
  observer_ = std::move(observer);
}

void Exchange::respond(Response response) {
  if (observer_ != nullptr) observer_->on_response(response);
  if (is_closed()) return;
  // Compressed on the caller's thread: a worker for large responses.
  if (response.body.size() >= context_->limits->gzip_bytes &&
      !response.headers.has("content-encoding") &&
      request().headers.accepts("accept-encoding", "gzip")) {
    response.body = Bytes(gzip(response.body.view()));
    response.headers.set("content-encoding", "gzip");
    response.headers.add("vary", "Accept-Encoding");
  }
  on_loop([this, response = std::move(response)]() mutable { send_whole(std::move(response)); });
}

bool Exchange::is_bare(int status) const {
  return request().method == "HEAD" || exchange::forbids_body(status);
}

void Exchange::complete(ResponseHead& head) const {
  for (const auto& [name, value] : more_fields_) head.headers.set(name, value);
  if (observer_ != nullptr) observer_->on_head(head);
}

void Exchange::keep(std::shared_ptr<const void> until_closed) {
  if (!is_closed()) kept_ = std::move(until_closed);
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
  ResponseHead head{response.status, std::move(response.headers)};
  complete(head);
  stream_->send_head(head, empty);
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
    complete(head);
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
    if (unsent() > context_->limits->unsent_bytes) return abort();
    if (observer_ != nullptr) observer_->on_part(bytes);
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
  on_loop([this, drained = std::move(drained)]() mutable {
    if (!is_closed()) drained_ = std::move(drained);
  });
}

void Exchange::on_closed(std::function<void()> callback) {
  on_loop([this, callback = std::move(callback)]() mutable {
    if (is_closed()) return callback();
    on_closed_ = std::move(callback);
  });
}

void Exchange::on_draining(std::function<void()> callback) {
  on_loop([this, callback = std::move(callback)]() mutable {
    if (draining_) return callback();
    if (!is_closed()) on_draining_ = std::move(callback);
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
    ResponseHead head{101, headers};
    complete(head);
    auto socket = stream_->take_socket(head.headers, early);
    if (!socket.ok()) {
      return respond({400,
                      {{"content-type", "text/plain; charset=utf-8"}},
                      Bytes(socket.status().message() + "\n"),
                      {}});
    }
    head_sent_ = end_sent_ = true;
    if (observer_ != nullptr) (*socket)->keep_also(observer_);
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
  if (closed_.exchange(true)) return;
  const auto self = shared_from_this();
  stream_ = nullptr;
  if (stop_) stop_->request_stop();
  body_.closed();
  drained_ = nullptr;
  on_draining_ = nullptr;
  kept_.reset();
  if (on_closed_) std::exchange(on_closed_, nullptr)();
}

namespace exchange {

void run_guarded(const ExchangePtr& exchange, const std::function<void()>& work) {
  const Result<void> handled = guarded(work);
  if (handled) return;
  exchange::kLog.error("handling a request failed", {{"error", handled.status()}});
  if (exchange->observer() != nullptr) exchange->observer()->on_thrown(handled.status());
  // Not a response: the handler may have passed the exchange on, to somebody who will answer.
  exchange->abort();
}

}  // namespace exchange

void call_handler(Handler& handler, const ExchangePtr& exchange) {
  exchange::run_guarded(exchange, [&] { handler.handle(exchange); });
}

void continue_later(const ExchangePtr& exchange, std::function<void()> work) {
  exchange->loop().post(
      [exchange, work = std::move(work)] { exchange::run_guarded(exchange, work); });
}

}  // namespace proa::http

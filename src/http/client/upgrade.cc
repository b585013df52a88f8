#include "http/client/upgrade.h"

#include <utility>

namespace proa::http {
namespace upgrade {

// Limits of an error body that is passed on, and of the part in a message.
constexpr size_t kRefusalBytes = 64 * 1024;
constexpr size_t kMessageBytes = 4096;

Reason reason_of(int code) {
  switch (code) {
    case 400:
      return Reason::kBadRequest;
    case 401:
      return Reason::kUnauthorized;
    case 403:
      return Reason::kForbidden;
    case 404:
      return Reason::kNotFound;
    case 405:
      return Reason::kMethodNotAllowed;
    case 409:
      return Reason::kConflict;
    case 410:
      return Reason::kGone;
    case 429:
      return Reason::kTooManyRequests;
    case 500:
      return Reason::kInternalError;
    case 503:
      return Reason::kServiceUnavailable;
    case 504:
      return Reason::kTimeout;
    default:
      return Reason::kUnknown;
  }
}

}  // namespace upgrade

UpgradeAttempt::UpgradeAttempt(Loop& loop, ClientRequest request, const Http1Limits& limits,
                               std::function<void()> over, UpgradeDone done, UpgradeRefused refused)
    : loop_(loop),
      request_(std::move(request)),
      over_(std::move(over)),
      done_(std::move(done)),
      refused_(std::move(refused)),
      parser_(Http1Parser::Kind::kResponses, limits, *this),
      timer_(loop, [this] {
        fail(Status(Reason::kTimeout, "upgrading at " + request_.origin.str() + ": timed out"));
      }) {}

void UpgradeAttempt::start(ConnectOptions options, Duration timeout) {
  timer_.start(timeout);
  Origin origin = request_.origin;
  origin.protocol = HttpProtocol::kHttp1;
  connector_ = Connector::start(loop_, origin, std::move(options),
                                [this](Result<std::unique_ptr<Socket>> result) {
                                  connector_.reset();
                                  if (!result.ok()) return fail(result.status());
                                  connected(std::move(*result));
                                });
}

void UpgradeAttempt::connected(std::unique_ptr<Socket> socket) {
  socket_ = std::move(socket);
  RequestHead head = request_.head(Version::kHttp11);
  head.headers.set("connection", "Upgrade");
  socket_->write(print_request_head(head));
  socket_->set_events(*this);
  socket_->flush();
}

void UpgradeAttempt::on_data(std::string_view bytes) {
  input_.append(bytes);
  while (socket_ != nullptr && !switched_) {
    const auto taken = parser_.feed(input_);
    if (!taken.ok()) {
      return fail(
          Status(Reason::kServiceUnavailable,
                 request_.origin.str() + ": malformed response: " + taken.status().message()));
    }
    input_.erase(0, *taken);
    if (refusal_.size() > upgrade::kRefusalBytes) return refuse();
    if (!parser_.message_done()) return;
    if (head_->status == 101) {
      if (!switched_as_asked()) return refuse();
      switched_ = true;
      // Posted: one read may have brought more than this piece, and all of it is passed on.
      socket_->pause();
      loop_.post([self = shared_from_this()] { self->hand_over(); });
    } else if (head_->status < 200) {
      if (++informational_ > kMostInformational) {
        return fail(Status(Reason::kServiceUnavailable, "too many informational responses"));
      }
      parser_.next_message();
    } else {
      return refuse();
    }
  }
}

bool UpgradeAttempt::switched_as_asked() const {
  const std::string_view wanted = request_.headers.get("upgrade");
  return head_->headers.has_token("connection", "upgrade") &&
         head_->headers.has_token("upgrade", wanted);
}

void UpgradeAttempt::on_end() {
  ended_ = true;
  if (switched_) return;
  if (head_ && head_->status >= 200) return refuse();
  fail(Status(Reason::kServiceUnavailable,
              request_.origin.str() + ": connection closed before the response"));
}

void UpgradeAttempt::on_closed(const Status& why) { fail(why.in(request_.origin.str())); }

void UpgradeAttempt::on_response(ResponseHead head) { head_ = std::move(head); }

void UpgradeAttempt::on_body(std::string_view bytes) {
  refusal_.append(bytes.substr(
      0, upgrade::kRefusalBytes + 1 - std::min(refusal_.size(), upgrade::kRefusalBytes)));
}

void UpgradeAttempt::on_message_end(Headers) {}

void UpgradeAttempt::refuse() {
  const int code = head_->status;
  if (refused_) {
    Response answer{code, std::move(head_->headers), Bytes(std::move(refusal_)), {}};
    socket_.reset();
    end();
    return std::exchange(refused_, nullptr)(std::move(answer));
  }
  std::string message = request_.origin.str() + ": upgrade refused: " + std::to_string(code) + " " +
                        std::string(status_text(code));
  if (!refusal_.empty()) message += ": " + refusal_.substr(0, upgrade::kMessageBytes);
  // A 101 to another protocol, a success or a redirect must not be acted on.
  const bool is_failure = code >= 400;
  fail(is_failure ? Status(upgrade::reason_of(code), code, std::move(message))
                  : Status(Reason::kServiceUnavailable, std::move(message)));
}

void UpgradeAttempt::hand_over() {
  if (socket_ == nullptr) return;
  finish(Upgraded{std::move(*head_), std::move(socket_), std::move(input_), ended_});
}

void UpgradeAttempt::fail(const Status& why) {
  socket_.reset();
  connector_.reset();
  finish(why);
}

void UpgradeAttempt::finish(Result<Upgraded> result) {
  end();
  if (const auto done = std::exchange(done_, nullptr)) done(std::move(result));
}

void UpgradeAttempt::end() {
  timer_.stop();
  // The callback may release us, perhaps inside of our own timer or event.
  loop_.post([self = shared_from_this()] {});
  if (const auto over = std::exchange(over_, nullptr)) over();
}

}  // namespace proa::http

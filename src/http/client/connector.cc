#include "http/client/connector.h"

#include <utility>

namespace proa::http {
namespace connector {

// What fits into sockaddr_un with its NUL; longer paths would be truncated silently.
constexpr size_t kMaxUnixPath = 107;

}  // namespace connector

std::shared_ptr<Connector> Connector::start(Loop& loop, const Origin& origin,
                                            ConnectOptions options, Done done) {
  std::shared_ptr<Connector> made(new Connector(loop, origin, std::move(options), std::move(done)));
  made->begin();
  return made;
}

Connector::Connector(Loop& loop, const Origin& origin, ConnectOptions options, Done done)
    : loop_(loop),
      origin_(origin),
      options_(std::move(options)),
      done_(std::move(done)),
      timer_(loop, [this] {
        finish(
            Status(Reason::kServiceUnavailable, "connecting to " + origin_.str() + ": timed out"));
      }) {}

void Connector::begin() {
  timer_.start(options_.timeout);
  if (!origin_.via.empty()) return begin_dial();
  if (!origin_.unix_path.empty()) {
    if (origin_.unix_path.size() > connector::kMaxUnixPath) {
      last_failure_ =
          Status(Reason::kServiceUnavailable, "connecting to " + origin_.str() + ": path too long");
    } else {
      addresses_.push_back({{}, 0, origin_.unix_path});
    }
    // Asynchronously, as in all other cases: the caller does not hold us yet.
    loop_.post([weak = weak_from_this()] {
      if (const auto self = weak.lock()) self->try_next();
    });
    return;
  }
  resolve(loop_, origin_.host, origin_.port,
          [weak = weak_from_this()](Result<std::vector<Endpoint>> found) {
            const auto self = weak.lock();
            if (!self) return;
            if (!found.ok()) return self->finish(found.status());
            self->addresses_ = std::move(*found);
            self->try_next();
          });
}

void Connector::begin_dial() {
  // Asynchronously, as in all other cases.
  loop_.post([weak = weak_from_this()] {
    const auto self = weak.lock();
    if (!self || !self->done_) return;
    if (!self->options_.dial) {
      return self->finish(Status(Reason::kServiceUnavailable,
                                 "connecting to " + self->origin_.str() + ": no way there"));
    }
    self->options_.dial(self->loop_, self->origin_, [weak](Result<FileDescriptor> opened) {
      if (const auto dialing = weak.lock()) dialing->dialed(std::move(opened));
    });
  });
}

void Connector::dialed(Result<FileDescriptor> opened) {
  if (!done_) return;
  if (!opened) return finish(opened.status().in("connecting to " + origin_.str()));
  const Result<std::shared_ptr<const void>> place = take_place();
  if (!place) return finish(place.status());
  const Result<std::shared_ptr<const TlsContext>> tls = tls_context();
  if (!tls) return finish(tls.status());
  addresses_ = {{origin_.host, origin_.port, {}}};
  next_ = 1;
  socket_ = Socket::connect_over(loop_, opened->release(), *this, *tls, tls_name(),
                                 origin_.protocol != HttpProtocol::kHttp1);
  socket_->keep(*place);
}

Result<std::shared_ptr<const void>> Connector::take_place() {
  const auto arrival = options_.count ? options_.count->add("") : ConnectionCount::Arrival();
  if (arrival.crowd == ConnectionCount::Crowd::kNone) return {arrival.place};
  return Status(Reason::kServiceUnavailable,
                "connecting to " + origin_.str() + ": too many connections are open");
}

Result<std::shared_ptr<const TlsContext>> Connector::tls_context() const {
  if (!origin_.tls) return {nullptr};
  if (options_.tls.context) return {options_.tls.context};
  return Status(Reason::kServiceUnavailable, "TLS is not configured for " + origin_.str());
}

std::string_view Connector::tls_name() const {
  return origin_.server_name.empty() ? origin_.host : origin_.server_name;
}

void Connector::skip_refused() {
  if (!options_.check_address) return;
  for (; next_ < addresses_.size(); ++next_) {
    const Result<void> allowed = options_.check_address(origin_, addresses_[next_].address);
    if (allowed) return;
    last_failure_ = allowed.status().in("connecting to " + origin_.str());
  }
}

void Connector::try_next() {
  if (!done_) return;
  skip_refused();
  if (next_ == addresses_.size()) {
    return finish(last_failure_.value_or(
        Status(Reason::kServiceUnavailable, "connecting to " + origin_.str() + ": no address")));
  }
  const Result<std::shared_ptr<const void>> place = take_place();
  if (!place) return finish(place.status());
  const Result<std::shared_ptr<const TlsContext>> tls = tls_context();
  if (!tls) return finish(tls.status());
  socket_ = Socket::connect(loop_, addresses_[next_++], *this, *tls, tls_name(),
                            origin_.protocol != HttpProtocol::kHttp1);
  socket_->keep(*place);
}

void Connector::finish(Result<std::unique_ptr<Socket>> result) {
  timer_.stop();
  // The callback may release us, perhaps inside of our own timer or event.
  loop_.post([self = shared_from_this()] {});
  if (const auto done = std::exchange(done_, nullptr)) done(std::move(result));
}

void Connector::on_established() {
  if (options_.tls.check && socket_->has_tls()) {
    const Result<void> trusted = options_.tls.check(origin_, *socket_);
    if (!trusted) return finish(trusted.status().in("connecting to " + origin_.str()));
  }
  finish(std::move(socket_));
}

void Connector::on_end() { on_closed(Status(Reason::kServiceUnavailable, "closed by the peer")); }

void Connector::on_closed(const Status& why) {
  const bool names_target = why.message().rfind("connecting to", 0) == 0;
  last_failure_ = names_target ? why : why.in("connecting to " + addresses_[next_ - 1].str());
  socket_.reset();
  try_next();
}

}  // namespace proa::http

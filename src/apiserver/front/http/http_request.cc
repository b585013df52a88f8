#include "apiserver/front/http/http_request.h"

#include <algorithm>
#include <atomic>

#include "apiserver/access/authz/attributes.h"
#include "apiserver/front/paths/path_handler.h"
#include "apiserver/front/paths/pretty.h"
#include "apiserver/request/verbs.h"
#include "base/strings.h"

namespace proa::apiserver {
namespace http_request {

std::atomic<uint64_t> requests{0};

}  // namespace http_request

Result<std::shared_ptr<HttpRequest>> HttpRequest::read(http::ExchangePtr exchange) {
  http_request::requests.fetch_add(1, std::memory_order_relaxed);
  http::Target target = TRY(http::parse_target(exchange->request().target));
  return std::shared_ptr<HttpRequest>(new HttpRequest(std::move(exchange), std::move(target)));
}

uint64_t HttpRequest::count() { return http_request::requests.load(std::memory_order_relaxed); }

HttpRequest::HttpRequest(http::ExchangePtr exchange, http::Target target)
    : exchange_(std::move(exchange)),
      target_(std::move(target)),
      path_(sent_path_of(target_)),
      method_(to_lower(head().method)),
      timeout_(kLongest) {}

Credentials HttpRequest::credentials() const {
  return {.peer = exchange_->peer(), .headers = head().headers, .path = path_};
}

bool HttpRequest::pretty() const { return wants_pretty(head(), target_); }

Result<void> HttpRequest::find_route() {
  route_ = TRY(apiserver::find_route(target_));
  if (!route_) return is_long_running() ? Result<void>() : read_timeout();
  verb_ = verb_of(head().method, *route_, asks_for_watch(target_));
  // The query of a subresource may belong to a proxied server.
  if (verb_ && route_->subresource.empty() && selects(*verb_)) {
    selecting_ = read_list_options(target_);
  }
  return is_long_running() ? Result<void>() : read_timeout();
}

bool HttpRequest::is_long_running() const {
  // As upstream's BasicLongRunningRequestCheck: profiles last as long as the client wants.
  if (!route_) return path_.starts_with("/debug/pprof/");
  if (verb_ == api::Verb::kWatch) return true;
  constexpr std::string_view kStreams[] = {"attach", "exec", "proxy", "log", "portforward"};
  return std::find(std::begin(kStreams), std::end(kStreams), route_->subresource) !=
         std::end(kStreams);
}

Result<void> HttpRequest::read_timeout() {
  const std::string* text = target_.find("timeout");
  if (text == nullptr || text->empty()) return {};
  const Result<Duration> timeout = parse_duration(*text);
  if (!timeout) {
    return Status(Reason::kBadRequest,
                  "invalid timeout specified in the request URL - " + timeout.status().message());
  }
  // Zero: none of the client's own.
  if (*timeout > Duration::zero()) timeout_ = std::min(timeout_, *timeout);
  return {};
}

bool HttpRequest::enter(InFlight::Place place) {
  place_ = std::move(place);
  return static_cast<bool>(place_);
}

Attributes HttpRequest::attributes(const User& user) const {
  if (!route_) return attributes_of(method_, path_, user);
  const bool readable = selecting_ && selecting_->ok();
  return attributes_of(verb_, *route_, readable ? &**selecting_ : nullptr, user);
}

}  // namespace proa::apiserver

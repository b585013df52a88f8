#include "apiserver/front/http/http_request.h"

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
      path_(path_of(target_)),
      method_(to_lower(head().method)) {}

Credentials HttpRequest::credentials() const {
  return {.peer = exchange_->peer(), .headers = head().headers, .path = path_};
}

bool HttpRequest::pretty() const { return wants_pretty(head(), target_); }

Result<void> HttpRequest::find_route() {
  route_ = TRY(apiserver::find_route(target_));
  if (!route_) return {};
  verb_ = verb_of(head().method, *route_, asks_for_watch(target_));
  // The query of a subresource may belong to a proxied server.
  if (verb_ && route_->subresource.empty() && selects(*verb_)) {
    selecting_ = read_list_options(target_);
  }
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

#include "apiserver/front/http/front.h"

#include "apiserver/access/authz/attributes.h"
#include "apiserver/representation/status.h"
#include "apiserver/request/route.h"
#include "base/strings.h"

namespace proa::apiserver {
namespace front {

void refuse(const http::ExchangePtr& exchange, const Status& status) {
  exchange->respond(status_response(status, exchange->request().headers.get("accept")));
}

Status too_busy() {
  return {Reason::kTooManyRequests,
          "The server has received too many requests and has asked us to try again later"};
}

Status unknown_caller() { return {Reason::kUnauthorized, "Unauthorized"}; }

bool names_somebody_else(const http::Headers& headers) {
  return headers.has("impersonate-user") || headers.has("impersonate-group") ||
         headers.has("impersonate-uid") || headers.has_prefix("impersonate-extra-");
}

}  // namespace front

// A request taken apart. It looks into the exchange, which outlives it.
struct Front::Asked {
  static Result<Asked> read(const http::Exchange& exchange) {
    const http::RequestHead& head = exchange.request();
    Asked asked{.head = head, .target = TRY(http::parse_target(head.target))};
    asked.path = path_of(asked.target);
    asked.verb = to_lower(head.method);
    return asked;
  }

  // The route looks into the target, so it is found when the target is where it stays.
  Result<void> find() {
    route = TRY(find_route(target));
    return {};
  }

  Credentials credentials(const http::Exchange& exchange) const {
    return {.peer = exchange.peer(), .headers = head.headers, .path = path};
  }

  Attributes attributes(const User& user, Selected& selected) const {
    if (route) return attributes_of(head.method, *route, target, user, selected);
    return attributes_of(verb, path, user);
  }

  const http::RequestHead& head;
  http::Target target;
  std::optional<Route> route = std::nullopt;
  std::string path = {};  // as its handlers see it
  std::string verb = {};  // on a path
};

void Front::handle(http::ExchangePtr exchange) {
  Result<Asked> asked = Asked::read(*exchange);
  if (!asked) return front::refuse(exchange, asked.status());
  Caller caller = authentication_.authenticate(asked->credentials(*exchange));
  if (caller.may_wait) return decide_later(exchange, std::move(caller));
  if (caller.user == nullptr) return front::refuse(exchange, front::unknown_caller());
  if (const Result<void> found = asked->find(); !found) {
    return front::refuse(exchange, found.status());
  }
  const std::optional<Result<UserPtr>> user = decide_now(*asked, caller.user);
  if (!user) return decide_later(exchange, std::move(caller));
  answer(exchange, *asked, *user, caller.warnings);
}

std::optional<Result<UserPtr>> Front::decide_now(const Asked& asked, const UserPtr& caller) {
  // Then others are asked about, too.
  if (front::names_somebody_else(asked.head.headers)) return std::nullopt;
  Selected selected;
  const Attributes attributes = asked.attributes(*caller, selected);
  const std::optional<Verdict> verdict = authorizer_.authorize_now(attributes);
  if (!verdict) return std::nullopt;
  if (!verdict->allowed()) return Result<UserPtr>(forbidden(attributes, verdict->reason));
  return Result<UserPtr>(caller);
}

Result<UserPtr> Front::decide(const Asked& asked, const UserPtr& caller) {
  UserPtr user = caller;
  Selected selected;
  Attributes attributes = asked.attributes(*user, selected);
  std::optional<Impersonated> other =
      TRY(impersonation_.impersonate(asked.head.headers, attributes));
  if (other) {
    user = std::move(other->user);
    attributes.user = user.get();
  }
  const Verdict verdict = authorizer_.authorize(attributes);
  if (!verdict.allowed()) return forbidden(attributes, verdict.reason);
  return user;
}

void Front::decide_later(const http::ExchangePtr& exchange, Caller caller) {
  const bool taken = pool_.submit([this, exchange, caller = std::move(caller)]() mutable {
    Result<Asked> asked = Asked::read(*exchange);
    if (!asked) return front::refuse(exchange, asked.status());
    if (caller.may_wait) authentication_.finish(caller, asked->credentials(*exchange));
    if (caller.user == nullptr) return front::refuse(exchange, front::unknown_caller());
    if (const Result<void> found = asked->find(); !found) {
      return front::refuse(exchange, found.status());
    }
    Result<UserPtr> user = decide(*asked, caller.user);
    exchange->loop().post(
        [this, exchange, user = std::move(user), warnings = std::move(caller.warnings)] {
          Result<Asked> again = Asked::read(*exchange);
          if (!again || !again->find()) return;  // it could be read before
          answer(exchange, *again, user, warnings);
        });
  });
  if (!taken) front::refuse(exchange, front::too_busy());
}

void Front::answer(const http::ExchangePtr& exchange, const Asked& asked,
                   const Result<UserPtr>& user, const std::vector<std::string>& warnings) {
  if (!user) return front::refuse(exchange, user.status());
  if (asked.route) {
    resources_.handle(exchange, asked.target, *asked.route, **user, warnings);
    return;
  }
  for (PathHandler* paths : paths_) {
    if (auto response = paths->answer(asked.head, asked.target)) {
      exchange->respond(std::move(*response));
      return;
    }
  }
  for (const std::shared_ptr<const ExtraPath>& extra : extra_) {
    if (asked.path.starts_with(extra->prefix)) return answer_later(exchange, extra, *user);
  }
  front::refuse(exchange, {Reason::kNotFound, "the server could not find the requested resource"});
}

void Front::answer_later(const http::ExchangePtr& exchange, std::shared_ptr<const ExtraPath> path,
                         UserPtr user) {
  const bool taken =
      pool_.submit([exchange, path = std::move(path), user = std::move(user)]() mutable {
        const Result<Asked> asked = Asked::read(*exchange);
        if (!asked) return front::refuse(exchange, asked.status());
        exchange->respond(path->answer(asked->head, asked->target, *user));
      });
  if (!taken) front::refuse(exchange, front::too_busy());
}

}  // namespace proa::apiserver

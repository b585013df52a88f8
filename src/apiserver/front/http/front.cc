#include "apiserver/front/http/front.h"

#include "apiserver/access/authz/attributes.h"
#include "apiserver/access/authz/authorization_metrics.h"
#include "apiserver/front/paths/pretty.h"
#include "apiserver/representation/status.h"
#include "apiserver/request/failures.h"
#include "apiserver/streaming/aggregation/aggregation.h"
#include "base/threads/guarded.h"

namespace proa::apiserver {
namespace front {

// A step of a trace, under upstream's name.
constexpr std::string_view kAuthorization = "authorization";

void refuse(http::Exchange& exchange, const Status& status) {
  exchange.respond(status_response(status, exchange.request().headers.get("accept")));
}

// `extra`: headers besides the usual ones.
void refuse(const HttpRequest& request, const Status& status, const http::Headers& extra = {}) {
  http::Response response = status_response(status, request.head().headers.get("accept"));
  for (const auto& [name, value] : extra) response.headers.add(name, value);
  if (request.pretty()) make_pretty(response);
  request.exchange().respond(std::move(response));
}

Status unknown_caller() { return {Reason::kUnauthorized, "Unauthorized"}; }

bool is_of(const ExtraPath& extra, std::string_view path) {
  return extra.prefix.ends_with('/') ? path.starts_with(extra.prefix) : path == extra.prefix;
}

bool impersonates(const http::Headers& headers) {
  return headers.has("impersonate-user") || headers.has("impersonate-group") ||
         headers.has("impersonate-uid") || headers.has_prefix("impersonate-extra-");
}

}  // namespace front

void Front::handle(http::ExchangePtr exchange) {
  const Result<HttpRequestPtr> read = HttpRequest::read(exchange);
  if (!read) return front::refuse(*exchange, read.status());
  const HttpRequestPtr& request = *read;
  Caller caller = authentication_.authenticate(request->credentials());
  if (caller.may_wait) return authenticate_later(request, std::move(caller));
  authenticated(request, std::move(caller));
}

void Front::authenticate_later(const HttpRequestPtr& request, Caller caller) {
  const auto finish = [this, request, caller = std::move(caller)]() mutable {
    const auto finished = guarded([&] { authentication_.finish(caller, request->credentials()); });
    if (!finished) return front::refuse(*request, finished.status());
    caller.may_wait = false;
    http::continue_later(request->exchange_ptr(),
                         [this, request, caller = std::move(caller)]() mutable {
                           authenticated(request, std::move(caller));
                         });
  };
  if (!request->enter(in_flight_.take(InFlight::Kind::kAuthenticating, false)))
    return request->exchange().respond(too_many_requests_response());
  submit_to(pools_.authentication, request, finish);
}

void Front::authenticated(const HttpRequestPtr& request, Caller caller) {
  request->leave();
  if (caller.user == nullptr) return refuse_unknown(request);
  if (const Result<void> found = request->find_route(); !found) {
    return front::refuse(*request, found.status());
  }
  if (auditor_ == nullptr) return received(request, std::move(caller));
  const auto kind =
      request->is_long_running() ? audit::RequestKind::kLongRunning : audit::RequestKind::kOrdinary;
  http::Exchange& exchange = request->exchange();
  request->set_audit(
      auditor_->begin(exchange, request->attributes(*caller.user), caller.user, kind));
  exchange.observe(request->audit());
  // Shared: what is moved into it is needed if it is not called.
  const auto kept = std::make_shared<Caller>(std::move(caller));
  const auto proceed = [this, request, kept](bool stored) {
    if (request->exchange().is_closed()) return;
    http::continue_later(request->exchange_ptr(), [this, request, kept, stored] {
      if (stored) return received(request, std::move(*kept));
      request->exchange().respond(audit::not_stored_response(request->head().target));
    });
  };
  if (auditor_->receive(request->audit(), proceed)) received(request, std::move(*kept));
}

void Front::refuse_unknown(const HttpRequestPtr& request) {
  // Also malformed paths are refused as such only to those who are known.
  if (auditor_ != nullptr && request->find_route()) {
    Attributes attributes = request->attributes(*nobody());
    attributes.user = nullptr;
    request->set_audit(auditor_->begin(request->exchange(), attributes, nullptr,
                                       audit::RequestKind::kUnauthenticated));
    request->exchange().observe(request->audit());
  }
  front::refuse(*request, front::unknown_caller());
}

// After authentication, as upstream: who calls decides whether its trace is continued.
void Front::begin_trace(HttpRequest& request, const User& caller) {
  const std::string_view audit_id = request.audit() == nullptr
                                        ? request.head().headers.get("audit-id")
                                        : std::string_view(request.audit()->request().audit_id);
  request.set_trace(tracer_->begin(request.exchange(), request.route(), caller, audit_id));
  if (request.trace() != nullptr) request.exchange().observe(request.trace());
}

void Front::received(const HttpRequestPtr& request, Caller caller) {
  if (tracer_ != nullptr) begin_trace(*request, *caller.user);
  const std::optional<Result<UserPtr>> user = decide_now(*request, caller.user);
  if (!user) return decide_later(request, std::move(caller));
  answer(request, *user, std::move(caller));
}

std::optional<Result<UserPtr>> Front::decide_now(const HttpRequest& request,
                                                 const UserPtr& caller) {
  // Impersonation needs further authorization and runs on the pool.
  if (front::impersonates(request.head().headers)) return std::nullopt;
  const Attributes attributes = request.attributes(*caller);
  const TraceStep step(request.trace().get(), front::kAuthorization);
  const Steady begin = attempts_ == nullptr ? Steady() : attempts_->begin();
  const std::optional<Verdict> verdict = authorizer_.authorize_now(attributes);
  if (!verdict) return std::nullopt;
  if (attempts_ != nullptr) attempts_->end(begin, verdict->decision);
  if (request.audit() != nullptr)
    request.audit()->note_decision(verdict->allowed(), verdict->reason);
  if (!verdict->allowed()) return Result<UserPtr>(forbidden(attributes, verdict->reason));
  return Result<UserPtr>(caller);
}

Result<UserPtr> Front::decide(const HttpRequest& request, const UserPtr& caller) {
  const TraceStep step(request.trace().get(), front::kAuthorization);
  UserPtr user = caller;
  Attributes attributes = request.attributes(*user);
  std::optional<Impersonated> other =
      TRY(impersonation_.impersonate(request.head().headers, attributes));
  if (other) {
    user = std::move(other->user);
    attributes.user = user.get();
    if (request.audit() != nullptr)
      request.audit()->impersonates(user, std::move(other->constraint));
  }
  const Steady begin = attempts_ == nullptr ? Steady() : attempts_->begin();
  const Verdict verdict = authorizer_.authorize(attributes);
  if (attempts_ != nullptr) attempts_->end(begin, verdict.decision);
  if (request.audit() != nullptr) request.audit()->note_decision(verdict.allowed(), verdict.reason);
  if (!verdict.allowed()) return forbidden(attributes, verdict.reason);
  return user;
}

void Front::decide_later(const HttpRequestPtr& request, Caller caller) {
  const bool exempt = is_master(*caller.user);
  const auto decide_and_answer = [this, request, caller = std::move(caller)]() mutable {
    Result<UserPtr> user = guarded([&] { return decide(*request, caller.user); });
    http::continue_later(request->exchange_ptr(), [this, request, user = std::move(user),
                                                   caller = std::move(caller)]() mutable {
      answer(request, user, std::move(caller));
    });
  };
  submit(request, in_flight_.take(InFlight::Kind::kDeciding, exempt), decide_and_answer);
}

void Front::submit(const HttpRequestPtr& request, InFlight::Place place,
                   std::function<void()> task) {
  if (!request->enter(std::move(place)))
    return request->exchange().respond(too_many_requests_response());
  submit(request, std::move(task));
}

void Front::submit(const HttpRequestPtr& request, std::function<void()> task) {
  submit_to(pools_.workers, request, std::move(task));
}

void Front::submit_to(WorkerPool& pool, const HttpRequestPtr& request, std::function<void()> task) {
  const bool taken = pool.submit([request, task = std::move(task)] {
    if (!request->exchange().is_closed()) task();
  });
  if (!taken) request->exchange().respond(too_many_requests_response());
}

void Front::answer(const HttpRequestPtr& request, const Result<UserPtr>& user, Caller caller) {
  request->leave();
  if (!user) {
    if (!front::impersonates(request->head().headers)) gate_.name_flow(*request, *caller.user);
    // As upstream's RespondWithError: the message may repeat what the client sent.
    return front::refuse(*request, user.status(), {{"x-content-type-options", "nosniff"}});
  }
  ExtensionApiPtr extension =
      aggregation_ == nullptr ? nullptr : aggregation_->find(request->target());
  if (extension != nullptr) {
    return pass(
        request, *user,
        [this, request, user = *user, extension = std::move(extension),
         warnings = std::move(caller.warnings)] { forward(request, user, extension, warnings); });
  }
  if (request->route()) return resources_.handle(request, *user, std::move(caller.warnings));
  pass(request, *user, [this, request, user = *user] { answer_path(request, user); });
}

template <typename Run>
void Front::pass(const HttpRequestPtr& request, const UserPtr& user, Run run) {
  gate_.pass(request, *user, nullptr, std::move(run),
             [request](std::optional<http::Response> response) {
               if (response) request->exchange().respond(std::move(*response));
             });
}

void Front::forward(const HttpRequestPtr& request, const UserPtr& user,
                    const std::shared_ptr<const ExtensionApi>& extension,
                    std::vector<std::string> warnings) {
  // A watch has begun with that.
  if (request->is_long_running()) {
    request->set_ticket(nullptr);
  } else {
    gate_.hold_until_sent(*request, request->timeout());
  }
  const Duration timeout = request->is_long_running() ? Duration::zero() : request->timeout();
  aggregation_->forward({.exchange = request->exchange_ptr(),
                         .target = request->target(),
                         .user = user,
                         .timeout = timeout,
                         .warnings = std::move(warnings)},
                        *extension);
}

void Front::answer_path(const HttpRequestPtr& request, const UserPtr& user) {
  for (PathHandler* paths : paths_) {
    if (paths->takes_long(request->target())) {
      return answer_later(request, user, [request, paths]() -> Result<void> {
        paths->answer_long(request->exchange_ptr(), request->target());
        return {};
      });
    }
    if (auto response = paths->answer(request->head(), request->target())) {
      request->exchange().respond(std::move(*response));
      return;
    }
  }
  for (const std::shared_ptr<const ExtraPath>& extra : extra_) {
    if (!front::is_of(*extra, request->path())) continue;
    return answer_later(request, user, [request, extra, user]() -> Result<void> {
      request->exchange().respond(extra->answer(request->head(), request->target(), *user));
      return {};
    });
  }
  request->exchange().respond(text_response(404, "404 page not found\n"));
}

void Front::answer_later(const HttpRequestPtr& request, const UserPtr& user,
                         std::function<Result<void>()> answer) {
  auto task = [request, answer = std::move(answer)] {
    const Result<void> done = guarded(answer);
    if (done) return;
    if (request->audit() != nullptr) request->audit()->panicked(done.status());
    front::refuse(*request, done.status());
  };
  if (request->is_long_running()) return submit(request, std::move(task));
  const std::string& method = request->head().method;
  const bool reads = method == "GET" || method == "HEAD";
  const auto kind = reads ? InFlight::Kind::kReadOnly : InFlight::Kind::kMutating;
  submit(request, in_flight_.take(kind, is_master(*user)), std::move(task));
}

}  // namespace proa::apiserver

#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "apiserver/access/authn/chain.h"
#include "apiserver/access/authn/impersonation.h"
#include "apiserver/access/authz/authorizer.h"
#include "apiserver/front/audit/auditor.h"
#include "apiserver/front/http/gate.h"
#include "apiserver/front/http/http_request.h"
#include "apiserver/front/http/resource_front.h"
#include "apiserver/front/paths/extra_path.h"
#include "apiserver/front/paths/path_handler.h"
#include "apiserver/front/tracing/tracer.h"
#include "base/threads/pool.h"
#include "http/server/exchange.h"

namespace proa::apiserver {

class Aggregation;
class AuthorizationAttempts;
struct ExtensionApi;

// The HTTP front end: authenticates, authorizes and dispatches by path. Requests are processed on
// their loop's thread; only authenticators and authorizers that call other servers run on the pool.
class Front final : public http::Handler {
 public:
  struct Pools {
    WorkerPool& workers;
    // For authentication that waits for another server: anybody can cause that, with any token, so
    // it must not take the threads of those who are known.
    WorkerPool& authentication;
  };

  // All arguments outlive it, and the pools are drained before it is destroyed. `paths` are tried
  // in order. `aggregation`: for requests that other servers answer; null: there are none.
  Front(Authentication& authentication, Authorizer& authorizer, Pools pools, InFlight& in_flight,
        Gate& gate, ResourceFront& resources, std::vector<PathHandler*> paths,
        Aggregation* aggregation)
      : authentication_(authentication),
        authorizer_(authorizer),
        impersonation_(authorizer),
        pools_(pools),
        in_flight_(in_flight),
        gate_(gate),
        resources_(resources),
        paths_(std::move(paths)),
        aggregation_(aggregation) {}

  void handle(http::ExchangePtr exchange) override;

  // REQUIRES: no request has been handled yet.
  void add(ExtraPath path) { extra_.push_back(std::make_shared<const ExtraPath>(std::move(path))); }
  // The same. Null: requests are not audited, which costs nothing.
  void audit_by(std::shared_ptr<audit::Auditor> auditor) { auditor_ = std::move(auditor); }
  // The same. Null: requests are not traced.
  void trace_by(std::shared_ptr<tracing::Tracer> tracer) { tracer_ = std::move(tracer); }
  // The same; it outlives this. Null: decisions are not counted.
  void count_by(AuthorizationAttempts* attempts) { attempts_ = attempts; }

 private:
  // The stages of a request, in order. Each may end it, or go on later.
  void authenticate_later(const HttpRequestPtr& request, Caller caller);
  void authenticated(const HttpRequestPtr& request, Caller caller);
  void refuse_unknown(const HttpRequestPtr& request);
  void received(const HttpRequestPtr& request, Caller caller);
  void begin_trace(HttpRequest& request, const User& caller);
  // Returns the user that the request acts as; fails with kForbidden if it may not make the
  // request. Nullopt if deciding would block.
  std::optional<Result<UserPtr>> decide_now(const HttpRequest& request, const UserPtr& caller);
  Result<UserPtr> decide(const HttpRequest& request, const UserPtr& caller);
  void decide_later(const HttpRequestPtr& request, Caller caller);
  void answer(const HttpRequestPtr& request, const Result<UserPtr>& user, Caller caller);
  // Requests that are not about resources of this server, once they have a seat.
  template <typename Run>
  void pass(const HttpRequestPtr& request, const UserPtr& user, Run run);
  void forward(const HttpRequestPtr& request, const UserPtr& user,
               const std::shared_ptr<const ExtensionApi>& extension,
               std::vector<std::string> warnings);
  void answer_path(const HttpRequestPtr& request, const UserPtr& user);
  // Runs `answer`, which responds, on the pool.
  void answer_later(const HttpRequestPtr& request, const UserPtr& user,
                    std::function<Result<void>()> answer);
  // Runs the task on the pool, unless the client has gone by then; responds with 429 if too much is
  // in progress.
  void submit(const HttpRequestPtr& request, InFlight::Place place, std::function<void()> task);
  // For long-running requests, which need no place.
  void submit(const HttpRequestPtr& request, std::function<void()> task);
  static void submit_to(WorkerPool& pool, const HttpRequestPtr& request,
                        std::function<void()> task);

  Authentication& authentication_;
  Authorizer& authorizer_;
  Impersonation impersonation_;
  const Pools pools_;
  InFlight& in_flight_;
  Gate& gate_;
  ResourceFront& resources_;
  const std::vector<PathHandler*> paths_;
  Aggregation* const aggregation_;
  std::vector<std::shared_ptr<const ExtraPath>> extra_;
  std::shared_ptr<audit::Auditor> auditor_;
  std::shared_ptr<tracing::Tracer> tracer_;
  AuthorizationAttempts* attempts_ = nullptr;
};

}  // namespace proa::apiserver

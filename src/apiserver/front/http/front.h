#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "apiserver/access/authn/chain.h"
#include "apiserver/access/authn/impersonation.h"
#include "apiserver/access/authz/authorizer.h"
#include "apiserver/front/audit/auditor.h"
#include "apiserver/front/http/http_request.h"
#include "apiserver/front/http/resource_front.h"
#include "apiserver/front/paths/extra_path.h"
#include "apiserver/front/paths/path_handler.h"
#include "base/threads/pool.h"
#include "http/server/exchange.h"

namespace proa::apiserver {

class Aggregation;

// The HTTP front end: authenticates, authorizes and dispatches by path. Requests are processed on
// their loop's thread; only authenticators and authorizers that call other servers run on the pool.
class Front final : public http::Handler {
 public:
  // All arguments outlive it, and the pool is drained before it is destroyed. `paths` are tried in
  // order. `aggregation`: for requests that other servers answer; null: there are none.
  Front(Authentication& authentication, Authorizer& authorizer, WorkerPool& pool,
        InFlight& in_flight, ResourceFront& resources, std::vector<PathHandler*> paths,
        Aggregation* aggregation)
      : authentication_(authentication),
        authorizer_(authorizer),
        impersonation_(authorizer),
        pool_(pool),
        in_flight_(in_flight),
        resources_(resources),
        paths_(std::move(paths)),
        aggregation_(aggregation) {}

  void handle(http::ExchangePtr exchange) override;

  // REQUIRES: no request has been handled yet.
  void add(ExtraPath path) { extra_.push_back(std::make_shared<const ExtraPath>(std::move(path))); }
  // The same. Null: requests are not audited, which costs nothing.
  void audit_by(std::shared_ptr<audit::Auditor> auditor) { auditor_ = std::move(auditor); }

 private:
  // The stages of a request, in order. Each may end it, or go on later.
  void authenticate_later(const HttpRequestPtr& request, Caller caller);
  void authenticated(const HttpRequestPtr& request, Caller caller);
  void refuse_unknown(const HttpRequestPtr& request);
  void received(const HttpRequestPtr& request, Caller caller);
  // Returns the user that the request acts as; fails with kForbidden if it may not make the
  // request. Nullopt if deciding would block.
  std::optional<Result<UserPtr>> decide_now(const HttpRequest& request, const UserPtr& caller);
  Result<UserPtr> decide(const HttpRequest& request, const UserPtr& caller);
  void decide_later(const HttpRequestPtr& request, Caller caller);
  void answer(const HttpRequestPtr& request, const Result<UserPtr>& user,
              std::vector<std::string> warnings);
  // Runs `answer`, which responds, on the pool.
  void answer_later(const HttpRequestPtr& request, const UserPtr& user,
                    std::function<Result<void>()> answer);
  // Runs the task on the pool, unless the client has gone by then; responds with 429 if too much is
  // in progress.
  void submit(const HttpRequestPtr& request, InFlight::Place place, std::function<void()> task);

  Authentication& authentication_;
  Authorizer& authorizer_;
  Impersonation impersonation_;
  WorkerPool& pool_;
  InFlight& in_flight_;
  ResourceFront& resources_;
  const std::vector<PathHandler*> paths_;
  Aggregation* const aggregation_;
  std::vector<std::shared_ptr<const ExtraPath>> extra_;
  std::shared_ptr<audit::Auditor> auditor_;
};

}  // namespace proa::apiserver

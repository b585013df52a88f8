#pragma once

#include <memory>
#include <vector>

#include "apiserver/access/authn/chain.h"
#include "apiserver/access/authn/impersonation.h"
#include "apiserver/access/authz/authorizer.h"
#include "apiserver/front/http/resource_front.h"
#include "apiserver/front/paths/extra_path.h"
#include "apiserver/front/paths/path_handler.h"
#include "base/threads/pool.h"
#include "http/server/exchange.h"

namespace proa::apiserver {

// The API by HTTP: who asks, whether he may, who answers. Every request begins here, on its loop's
// thread, and goes on there; only where somebody else has to be asked who that is, or what he may
// do, that happens on the pool.
class Front final : public http::Handler {
 public:
  // Everything outlives it, and the pool is empty before it goes. `paths` are asked in their order.
  Front(Authentication& authentication, Authorizer& authorizer, WorkerPool& pool,
        ResourceFront& resources, std::vector<PathHandler*> paths)
      : authentication_(authentication),
        authorizer_(authorizer),
        impersonation_(authorizer),
        pool_(pool),
        resources_(resources),
        paths_(std::move(paths)) {}

  void handle(http::ExchangePtr exchange) override;

  // REQUIRES: nothing is handled yet.
  void add(ExtraPath path) { extra_.push_back(std::make_shared<const ExtraPath>(std::move(path))); }

 private:
  struct Asked;
  // As whom the caller may do what he asks for: 403 otherwise. Nullopt when that takes its time.
  std::optional<Result<UserPtr>> decide_now(const Asked& asked, const UserPtr& caller);
  Result<UserPtr> decide(const Asked& asked, const UserPtr& caller);
  void decide_later(const http::ExchangePtr& exchange, Caller caller);
  void answer(const http::ExchangePtr& exchange, const Asked& asked, const Result<UserPtr>& user,
              const std::vector<std::string>& warnings);
  void answer_later(const http::ExchangePtr& exchange, std::shared_ptr<const ExtraPath> path,
                    UserPtr user);

  Authentication& authentication_;
  Authorizer& authorizer_;
  Impersonation impersonation_;
  WorkerPool& pool_;
  ResourceFront& resources_;
  const std::vector<PathHandler*> paths_;
  std::vector<std::shared_ptr<const ExtraPath>> extra_;
};

}  // namespace proa::apiserver

#pragma once

#include <memory>
#include <optional>
#include <string>

#include "apiserver/access/authn/chain.h"
#include "apiserver/access/authz/authorizer.h"
#include "apiserver/request/options.h"
#include "apiserver/request/route.h"
#include "base/result.h"
#include "http/server/exchange.h"

namespace proa::apiserver {

// A request by HTTP, parsed once. All stages share it, on whatever thread they run, one after the
// other.
class HttpRequest {
 public:
  // kBadRequest for a target that can't be read.
  static Result<std::shared_ptr<HttpRequest>> read(http::ExchangePtr exchange);
  // How many were read, in this process: a test holds it to one a request.
  static uint64_t count();

  http::Exchange& exchange() const { return *exchange_; }
  const http::ExchangePtr& exchange_ptr() const { return exchange_; }
  const http::RequestHead& head() const { return exchange_->request(); }
  const http::Target& target() const { return target_; }
  const std::string& path() const { return path_; }

  Credentials credentials() const;

  // Finds out which resource the path names, and reads the query of verbs that select: access
  // control looks at both. kBadRequest for paths that no resource can have. REQUIRES: once.
  Result<void> find_route();
  // Nullopt: not a path of a resource. REQUIRES, as the next three: find_route().
  const std::optional<Route>& route() const { return route_; }
  // Nullopt: no verb of the API.
  std::optional<api::Verb> verb() const { return verb_; }
  // Of list, watch and deletecollection; nullopt for other verbs.
  const std::optional<Result<ListOptions>>& selecting() const { return selecting_; }
  // What access control is asked. Views into this and `user`.
  Attributes attributes(const User& user) const;

 private:
  HttpRequest(http::ExchangePtr exchange, http::Target target);

  const http::ExchangePtr exchange_;
  const http::Target target_;
  const std::string path_;    // as its handlers see it
  const std::string method_;  // in lower case: the verb on a path
  std::optional<Route> route_;
  std::optional<api::Verb> verb_;
  std::optional<Result<ListOptions>> selecting_;
};

using HttpRequestPtr = std::shared_ptr<HttpRequest>;

}  // namespace proa::apiserver

#pragma once

#include <memory>
#include <optional>
#include <string>

#include "apiserver/access/authn/chain.h"
#include "apiserver/access/authz/authorizer.h"
#include "apiserver/front/audit/record.h"
#include "apiserver/front/fairness/ticket.h"
#include "apiserver/front/http/in_flight.h"
#include "apiserver/front/tracing/tracer.h"
#include "apiserver/request/options.h"
#include "apiserver/request/route.h"
#include "base/result.h"
#include "base/time.h"
#include "http/server/exchange.h"

namespace proa::apiserver {

// An HTTP request, parsed once. Shared by all stages, which run in sequence on different threads.
class HttpRequest {
 public:
  // Fails with kBadRequest if the target is malformed.
  static Result<std::shared_ptr<HttpRequest>> read(http::ExchangePtr exchange);
  // The number of requests parsed in this process; a test checks that it is one per request.
  static uint64_t count();

  http::Exchange& exchange() const { return *exchange_; }
  const http::ExchangePtr& exchange_ptr() const { return exchange_; }
  const http::RequestHead& head() const { return exchange_->request(); }
  const http::Target& target() const { return target_; }
  const std::string& path() const { return path_; }

  Credentials credentials() const;
  // Whether the client wants indented JSON.
  bool pretty() const;

  // Parses the resource path, and the query of verbs with selectors: access control needs both.
  // Fails with kBadRequest for malformed paths, or if the parameter `timeout` is no duration.
  // REQUIRES: called once.
  Result<void> find_route();
  // Nullopt: not a resource path. REQUIRES, as the next five: find_route().
  const std::optional<Route>& route() const { return route_; }
  // Nullopt: not an API verb.
  std::optional<api::Verb> verb() const { return verb_; }
  // For list, watch and deletecollection; nullopt for other verbs.
  const std::optional<Result<ListOptions>>& selecting() const { return selecting_; }
  // Watches, streams and profiles: they have no timeout.
  bool is_long_running() const;
  // Upstream's --request-timeout for requests other than watches and streams.
  static constexpr Duration kLongest = std::chrono::seconds(60);
  // How long it may take: what the client asks for, but not more than kLongest.
  Duration timeout() const { return timeout_; }
  // The attributes for authorization. Refers to this and `user`.
  Attributes attributes(const User& user) const;

  // Its audit; null: it is not audited.
  const audit::RecordPtr& audit() const { return audit_; }
  void set_audit(audit::RecordPtr record) { audit_ = std::move(record); }

  // Its trace; null: it is not traced.
  const std::shared_ptr<tracing::RequestTrace>& trace() const { return trace_; }
  void set_trace(std::shared_ptr<tracing::RequestTrace> trace) { trace_ = std::move(trace); }

  // What holds its seats, while it is executed; null: none.
  const fairness::TicketPtr& ticket() const { return ticket_; }
  void set_ticket(fairness::TicketPtr ticket) { ticket_ = std::move(ticket); }
  // For who holds the seats longer than this lives.
  fairness::TicketPtr take_ticket() { return std::move(ticket_); }

  // Keeps a place until the last stage has ended; the place of an earlier stage is given back.
  // False if it is none.
  bool enter(InFlight::Place place);
  // Gives the place back before the request ends: its body may take long to arrive.
  void leave() { place_ = {}; }

 private:
  HttpRequest(http::ExchangePtr exchange, http::Target target);

  Result<void> read_timeout();

  const http::ExchangePtr exchange_;
  const http::Target target_;
  const std::string path_;    // decoded, with the slashes at its end
  const std::string method_;  // in lower case: the verb of non-resource requests
  std::optional<Route> route_;
  std::optional<api::Verb> verb_;
  std::optional<Result<ListOptions>> selecting_;
  Duration timeout_;
  InFlight::Place place_;
  fairness::TicketPtr ticket_;
  audit::RecordPtr audit_;
  std::shared_ptr<tracing::RequestTrace> trace_;
};

using HttpRequestPtr = std::shared_ptr<HttpRequest>;

}  // namespace proa::apiserver

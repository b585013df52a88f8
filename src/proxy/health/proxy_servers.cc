#include "proxy/health/proxy_servers.h"

#include <algorithm>

#include "base/log.h"

namespace proa::proxy {
namespace proxy_servers {

const Log kLog{"proxy"};
// Of eight.
constexpr size_t kShare = 1;
// Load balancers and operators have a few each.
constexpr size_t kMostConnections = 512;

std::string_view path_of(const http::ExchangePtr& exchange) {
  const std::string_view target = exchange->request().target;
  return target.substr(0, target.find('?'));
}

void answer(const http::ExchangePtr& exchange, int status, std::string_view type,
            std::string body) {
  exchange->respond(
      {.status = status,
       .headers = {{"content-type", std::string(type)}, {"x-content-type-options", "nosniff"}},
       .body = Bytes(std::move(body)),
       .trailers = {}});
}

void answer_not_found(const http::ExchangePtr& exchange) {
  answer(exchange, 404, "text/plain; charset=utf-8", "404 page not found\n");
}

}  // namespace proxy_servers

http::ServerLimits open_limits(const Capacity& capacity) {
  http::ServerLimits limits = http::limits_for(capacity, proxy_servers::kShare);
  limits.connections = std::min(limits.connections, proxy_servers::kMostConnections);
  limits.connections_per_address =
      std::min(limits.connections_per_address, std::max<size_t>(1, limits.connections / 4 * 3));
  limits.silent_connections =
      std::min(limits.silent_connections, std::max<size_t>(1, limits.connections / 2));
  return limits;
}

class ProxyServers::Health final : public http::Handler {
 public:
  explicit Health(const Context& context) : context_(context) {}
  void handle(http::ExchangePtr exchange) override {
    const std::string_view path = proxy_servers::path_of(exchange);
    if (path == "/healthz") {
      http::Response response = context_.health.healthz();
      context_.metrics.answered_healthz(response.status);
      exchange->respond(std::move(response));
    } else if (path == "/livez") {
      http::Response response = context_.health.livez();
      context_.metrics.answered_livez(response.status);
      exchange->respond(std::move(response));
    } else {
      proxy_servers::answer_not_found(exchange);
    }
  }

 private:
  const Context& context_;
};

class ProxyServers::Operator final : public http::Handler {
 public:
  explicit Operator(const Context& context) : context_(context) {}
  void handle(http::ExchangePtr exchange) override {
    const std::string_view path = proxy_servers::path_of(exchange);
    if (path == "/metrics") {
      proxy_servers::answer(exchange, 200, "text/plain; version=0.0.4; charset=utf-8",
                            context_.metrics.text());
    } else if (path == "/healthz") {
      proxy_servers::answer(exchange, 200, "text/plain; charset=utf-8", "ok");
    } else if (path == "/proxyMode") {
      proxy_servers::answer(exchange, 200, "text/plain; charset=utf-8",
                            std::string(name_of(context_.mode)));
    } else {
      proxy_servers::answer_not_found(exchange);
    }
  }

 private:
  const Context& context_;
};

ProxyServers::ProxyServers(Context context)
    : context_(std::move(context)),
      health_(std::make_unique<Health>(context_)),
      operator_(std::make_unique<Operator>(context_)),
      health_server_(context_.loops, *health_, open_limits(process_capacity())),
      operator_server_(context_.loops, *operator_, open_limits(process_capacity())) {}

ProxyServers::~ProxyServers() = default;

bool ProxyServers::listen(http::Server& server, const http::Endpoint& where, bool& done,
                          std::string_view what) {
  if (done || where.port == 0) return true;
  const auto at = server.listen(where);
  done = at.ok();
  if (!done && !warned_) {
    proxy_servers::kLog.warn("listening failed; it is tried again",
                             {{"for", what}, {"at", where.str()}, {"error", at.status()}});
  }
  return done;
}

bool ProxyServers::listen() {
  const bool health = listen(health_server_, context_.healthz, health_listens_, "health");
  const bool metrics = listen(operator_server_, context_.metrics_at, operator_listens_, "metrics");
  warned_ = !health || !metrics;
  return !warned_;
}

}  // namespace proa::proxy

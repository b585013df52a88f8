#pragma once

#include <memory>
#include <string>

#include "base/process/capacity.h"
#include "http/server/server.h"
#include "proxy/health/proxy_health.h"
#include "proxy/metrics.h"

namespace proa::proxy {

// Of a server without authentication: a small part of what the process may use, since others are in
// the same process.
http::ServerLimits open_limits(const Capacity& capacity);

// The proxy's own HTTP servers: health for load balancers (/healthz, /livez), metrics for the
// operator (/metrics, /healthz, /proxyMode). A port that is in use is tried again: the process
// that has it may be the one that this one replaces.
class ProxyServers {
 public:
  struct Context {
    http::LoopGroup& loops;
    const ProxyHealth& health;
    ProxyMetrics& metrics;
    Mode mode;
    http::Endpoint healthz;  // no port: not served
    http::Endpoint metrics_at;
  };
  // REQUIRES: everything outlives it.
  explicit ProxyServers(Context context);
  ~ProxyServers();
  ProxyServers(const ProxyServers&) = delete;
  ProxyServers& operator=(const ProxyServers&) = delete;

  // Listens where it does not yet. False if that failed somewhere, which the log says once.
  bool listen();
  // That of health, for ports of Services.
  http::Server& health_server() { return health_server_; }

 private:
  class Health;
  class Operator;
  bool listen(http::Server& server, const http::Endpoint& where, bool& done, std::string_view what);

  const Context context_;
  std::unique_ptr<http::Handler> health_;
  std::unique_ptr<http::Handler> operator_;
  http::Server health_server_;
  http::Server operator_server_;
  bool health_listens_ = false;
  bool operator_listens_ = false;
  bool warned_ = false;
};

}  // namespace proa::proxy

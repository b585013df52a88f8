#pragma once

#include <memory>

#include "base/metrics/metrics.h"
#include "http/server/server.h"

namespace proa::dns {

// Serves /metrics and /health of DNS on this machine, at CoreDNS's port.
class MetricsServer {
 public:
  // REQUIRES: both outlive it.
  MetricsServer(http::LoopGroup& loops, const Metrics& metrics);
  ~MetricsServer();
  MetricsServer(const MetricsServer&) = delete;
  MetricsServer& operator=(const MetricsServer&) = delete;

  // At all addresses. Zero: at a free port. Returns the port.
  Result<int> listen(int port);

 private:
  class Pages;

  const std::unique_ptr<Pages> pages_;
  http::Server server_;
};

}  // namespace proa::dns

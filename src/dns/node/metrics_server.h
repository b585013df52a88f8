#pragma once

#include <memory>
#include <vector>

#include "base/metrics/metrics.h"
#include "base/net/ip_address.h"
#include "dns/server/access.h"
#include "http/server/server.h"

namespace proa::dns {

// Serves /metrics and /health of DNS, at CoreDNS's port, to those who may ask DNS and to the rest
// of the cluster.
class MetricsServer {
 public:
  // REQUIRES: all outlive it.
  MetricsServer(http::LoopGroup& loops, const Metrics& metrics, Access& access);
  ~MetricsServer();
  MetricsServer(const MetricsServer&) = delete;
  MetricsServer& operator=(const MetricsServer&) = delete;

  // At all addresses. Zero: at a free port. Returns the port.
  Result<int> listen(int port);
  // The pods and nodes of the cluster; nobody before. From any thread.
  void set_cluster(std::vector<IpPrefix> ranges);

 private:
  class Pages;

  const std::unique_ptr<Pages> pages_;
  http::Server server_;
};

}  // namespace proa::dns

#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "client/key.h"
#include "http/server/server.h"
#include "proxy/changes/tracker.h"
#include "proxy/health/proxy_health.h"

namespace proa::proxy {

// The health check ports of Services: load balancers ask there whether this node has endpoints.
// Anybody can connect, and users make as many such Services as they like: all are listened at by
// one server, with one limit. For one thread, not a loop's.
class ServiceHealth {
 public:
  // Called when a port cannot be listened at, at one of the addresses or more.
  using Failed = std::function<void(const client::Key&, uint16_t port, const Status&)>;
  // REQUIRES: server and health outlive it.
  ServiceHealth(http::Server& server, const ProxyHealth& health, Failed failed);
  ~ServiceHealth();
  ServiceHealth(const ServiceHealth&) = delete;
  ServiceHealth& operator=(const ServiceHealth&) = delete;

  // Zero of each family stands for all of its addresses.
  static std::vector<IpAddress> everywhere();

  // Listens for exactly these. What failed is tried again the next time. A Service is served at
  // those of the addresses that are of its families.
  void set(const std::map<client::Key, Tracker::Health>& wanted,
           const std::vector<IpAddress>& addresses);

 private:
  class Answers;

  http::Server& server_;
  const ProxyHealth& health_;
  const Failed failed_;
  std::vector<IpAddress> addresses_;
  std::map<client::Key, std::unique_ptr<Answers>> servers_;
};

}  // namespace proa::proxy

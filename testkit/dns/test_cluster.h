#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>

#include "base/clock.h"
#include "dns/cluster/lookup.h"
#include "dns/server/tcp_server.h"
#include "dns/server/udp_server.h"

namespace proa::testkit {

// Puts Namespaces, Services and EndpointSlices of a YAML stream into the index.
void load_cluster(std::string_view yaml, dns::Index& index);

// Answers by a function: who the names outside are asked of.
class FakeForwarder final : public dns::Forwarder {
 public:
  // Writes the answer's records; returns its code.
  using Answer = std::function<dns::Rcode(const dns::Query& query, dns::Writer& writer)>;
  explicit FakeForwarder(Answer answer) : answer_(std::move(answer)) {}

  size_t cached(const dns::Query& query, std::span<uint8_t> response) override;
  void ask(const dns::Query& query, Reply reply) override;

  bool caches = false;  // everything
  bool silent = false;  // never answers

 private:
  const Answer answer_;
};

// A server on 127.0.0.1 at a port that is free, by UDP and TCP.
class TestDnsServer {
 public:
  explicit TestDnsServer(dns::ClusterState& cluster, dns::Forwarder* forwarder = nullptr,
                         size_t threads = 1, Duration idle = std::chrono::seconds(10));

  dns::ServerStatistics& statistics() { return statistics_; }
  dns::Handler& handler() { return handler_; }
  dns::TcpServer& tcp() { return *tcp_; }
  uint16_t udp_port() const { return udp_->port(); }
  uint16_t tcp_port() const { return tcp_->port(); }
  const IpAddress& address() const { return address_; }

 private:
  const IpAddress address_;
  SystemClock clock_;
  dns::ServerStatistics statistics_;
  dns::Access access_{clock_};
  dns::Handler handler_;
  std::unique_ptr<dns::UdpServer> udp_;
  std::unique_ptr<dns::TcpServer> tcp_;
};

}  // namespace proa::testkit

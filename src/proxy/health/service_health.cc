#include "proxy/health/service_health.h"

#include <fmt/format.h>

#include <array>
#include <atomic>

#include "base/process/capacity.h"

namespace proa::proxy {

// Answers for one Service. Counts are read on loops' threads.
class ServiceHealth::Answers final : public http::Handler {
 public:
  Answers(http::LoopGroup& loops, client::Key key, const Tracker::Health& wanted,
          const ProxyHealth& health)
      : key_(std::move(key)),
        port_(wanted.port),
        v6_(wanted.v6),
        health_(health),
        server_(loops, *this, http::limits_for(process_capacity())) {
    set(wanted);
  }

  uint16_t port() const { return port_; }
  bool serves(const Tracker::Health& wanted) const {
    return port_ == wanted.port && v6_ == wanted.v6;
  }
  void set(const Tracker::Health& wanted) {
    for (size_t i = 0; i < counts_.size(); ++i) counts_[i] = wanted.local_ready[i];
  }
  Result<void> listen(const std::string& address) {
    TRY(server_.listen({.address = address, .port = port_}));
    return {};
  }

  void handle(http::ExchangePtr exchange) override {
    const auto peer = parse_ip(exchange->peer().address);
    const size_t count = counts_[!peer || peer->is_v4() ? 0 : 1];
    const bool healthy = health_.healthy();
    std::string body = fmt::format(
        "{{\n\t\"service\": {{\n\t\t\"namespace\": \"{}\",\n\t\t\"name\": \"{}\"\n\t}},\n"
        "\t\"localEndpoints\": {},\n\t\"serviceProxyHealthy\": {}\n}}",
        key_.name_space, key_.name, count, healthy);
    exchange->respond({.status = count != 0 && healthy ? 200 : 503,
                       .headers = {{"content-type", "application/json"},
                                   {"x-content-type-options", "nosniff"},
                                   {"x-load-balancing-endpoint-weight", fmt::format("{}", count)}},
                       .body = Bytes(std::move(body)),
                       .trailers = {}});
  }

 private:
  const client::Key key_;
  const uint16_t port_;
  const bool v6_;
  const ProxyHealth& health_;
  std::array<std::atomic<size_t>, 2> counts_;  // per Family
  http::Server server_;                        // last: it calls handle()
};

ServiceHealth::ServiceHealth(http::LoopGroup& loops, const ProxyHealth& health, Failed failed)
    : loops_(loops), health_(health), failed_(std::move(failed)) {}

ServiceHealth::~ServiceHealth() = default;

Result<std::unique_ptr<ServiceHealth::Answers>> ServiceHealth::listen(
    const client::Key& key, const Tracker::Health& health) {
  auto answers = std::make_unique<Answers>(loops_, key, health, health_);
  // The IPv6 wildcard is that of both families.
  if (addresses_.empty()) TRY(answers->listen(health.v6 ? "::" : "0.0.0.0"));
  for (const IpAddress& address : addresses_) {
    if (address.is_v4() || health.v6) TRY(answers->listen(address.str()));
  }
  return answers;
}

void ServiceHealth::set(const std::map<client::Key, Tracker::Health>& wanted,
                        const std::vector<IpAddress>& addresses) {
  if (addresses != addresses_) servers_.clear();
  addresses_ = addresses;
  std::erase_if(servers_, [&wanted](const auto& server) {
    const auto found = wanted.find(server.first);
    return found == wanted.end() || !server.second->serves(found->second);
  });
  for (const auto& [key, health] : wanted) {
    if (const auto found = servers_.find(key); found != servers_.end()) {
      found->second->set(health);
      continue;
    }
    auto made = listen(key, health);
    if (made.ok()) {
      servers_[key] = std::move(*made);
    } else {
      failed_(key, health.port, made.status());
    }
  }
}

}  // namespace proa::proxy

#include "proxy/health/service_health.h"

#include <fmt/format.h>

#include <array>
#include <atomic>

namespace proa::proxy {
namespace service_health {

// fe80::/10. One would have to name the link, too.
bool is_of_link(const IpAddress& address) {
  return !address.is_v4() && address.bytes[0] == 0xfe && (address.bytes[1] & 0xc0) == 0x80;
}

}  // namespace service_health

// Answers for one Service. Counts are read on loops' threads.
class ServiceHealth::Answers final : public http::Handler {
 public:
  Answers(http::Server& server, client::Key key, const Tracker::Health& wanted,
          const std::vector<IpAddress>& addresses, const ProxyHealth& health)
      : server_(server),
        key_(std::move(key)),
        port_(wanted.port),
        families_(wanted.families),
        health_(health) {
    for (const IpAddress& address : addresses) {
      const bool of_family = families_[static_cast<size_t>(family_of(address))];
      if (of_family && !service_health::is_of_link(address)) missing_.push_back(address);
    }
    set(wanted);
  }
  ~Answers() override { server_.stop(*this); }
  Answers(const Answers&) = delete;
  Answers& operator=(const Answers&) = delete;

  bool serves(const Tracker::Health& wanted) const {
    return port_ == wanted.port && families_ == wanted.families;
  }
  void set(const Tracker::Health& wanted) {
    for (size_t i = 0; i < counts_.size(); ++i) counts_[i] = wanted.local_ready[i];
  }
  // At addresses where it does not yet.
  Result<void> listen() {
    Result<void> outcome;
    std::erase_if(missing_, [&](const IpAddress& address) {
      const auto done = server_.listen_for(*this, {.address = address.str(), .port = port_});
      if (!done) outcome = done.status();
      return done.ok();
    });
    return outcome;
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
  http::Server& server_;
  const client::Key key_;
  const uint16_t port_;
  const std::array<bool, 2> families_;
  const ProxyHealth& health_;
  std::vector<IpAddress> missing_;
  std::array<std::atomic<size_t>, 2> counts_;  // per Family
};

ServiceHealth::ServiceHealth(http::Server& server, const ProxyHealth& health, Failed failed)
    : server_(server), health_(health), failed_(std::move(failed)) {}

ServiceHealth::~ServiceHealth() = default;

std::vector<IpAddress> ServiceHealth::everywhere() {
  return {parse_ip("0.0.0.0").value(), parse_ip("::").value()};
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
    std::unique_ptr<Answers>& answers = servers_[key];
    if (answers == nullptr) {
      answers = std::make_unique<Answers>(server_, key, health, addresses_, health_);
    }
    answers->set(health);
    const Result<void> listening = answers->listen();
    if (!listening) failed_(key, health.port, listening.status());
  }
}

}  // namespace proa::proxy

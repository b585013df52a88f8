#include <algorithm>

#include "controllers/network/balancers/address_pool.h"
#include "controllers/network/balancers/address_source.h"
#include "controllers/network/balancers/load_balancer.h"

namespace proa::controllers {
namespace pool_addresses {

using client::Key;

class PoolAddresses final : public AddressSource {
 public:
  PoolAddresses(const ControllerContext& context, std::vector<IpPrefix> ranges)
      : services_(context.informers.of("", "services")),
        nodes_(context.informers.of("", "nodes")),
        pool_(std::move(ranges),
              [this](const IpAddress& address) { return is_of_a_node(address); }) {}

  void listen(client::WorkQueue& queue) override { static_cast<void>(queue); }

  void caches_filled() override {
    std::vector<api::ObjectPtr> services = services_.cache().find(kServed, "");
    // Should two have the same address, the older one keeps it.
    std::stable_sort(services.begin(), services.end(), [](const auto& a, const auto& b) {
      return balancer_facts(*a).created < balancer_facts(*b).created;
    });
    for (const api::ObjectPtr& service : services) {
      pool_.adopt(Key::of(*service), balancer_facts(*service).addresses);
    }
  }

  std::vector<Key> expand(const Key& key) override {
    static_cast<void>(key);
    return {};
  }

  Answer addresses_of(const api::Object& service) override {
    const BalancerFacts& facts = balancer_facts(service);
    const Result<std::vector<std::string>> assigned = pool_.assign({.service = Key::of(service),
                                                                    .families = facts.families,
                                                                    .requested = facts.requested_ip,
                                                                    .current = facts.addresses});
    if (assigned) return {.addresses = *assigned};
    // What it has already keeps working.
    return {.addresses = kept_of(facts), .problem = assigned.status().message()};
  }

  void release(const Key& service) override { pool_.release(service); }
  std::vector<Key> take_waiting() override { return pool_.take_waiting(); }
  bool is_announced() const override { return true; }

 private:
  // Without addresses from before the pool.
  std::vector<std::string> kept_of(const BalancerFacts& facts) const {
    return facts.announced ? facts.addresses : std::vector<std::string>{};
  }
  bool is_of_a_node(const IpAddress& address) const {
    for (const api::ObjectPtr& node : nodes_.cache().list()) {
      const std::vector<IpAddress>& own = forwarder_of(*node).addresses;
      if (std::find(own.begin(), own.end(), address) != own.end()) return true;
    }
    return false;
  }

  client::Informer& services_;
  client::Informer& nodes_;
  AddressPool pool_;
};

}  // namespace pool_addresses

std::unique_ptr<AddressSource> make_pool_addresses(const ControllerContext& context,
                                                   std::vector<IpPrefix> ranges) {
  return std::make_unique<pool_addresses::PoolAddresses>(context, std::move(ranges));
}

}  // namespace proa::controllers

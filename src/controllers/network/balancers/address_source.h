#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/net/ip_address.h"
#include "controllers/framework/controller.h"

namespace proa::controllers {

// Where the addresses of load balancers come from. Used by several threads.
class AddressSource {
 public:
  // Services of ours, in the index of this name under the empty value.
  static constexpr const char* kServed = "network-load-balancer";

  struct Answer {
    std::vector<std::string> addresses = {};
    // Why some or all are missing; empty: none is.
    std::string problem = {};
    // What of the Service is not followed, though it has its addresses; empty: nothing.
    std::string ignored = {};
  };

  virtual ~AddressSource() = default;
  // Adds handlers for what the addresses depend on besides the Service itself. Keys without a
  // namespace are for expand().
  virtual void listen(client::WorkQueue& queue) = 0;
  virtual void caches_filled() {}
  // The Services that a key without a namespace stands for.
  virtual std::vector<client::Key> expand(const client::Key& key) = 0;
  virtual Answer addresses_of(const api::Object& service) = 0;
  // The Service needs no address any more.
  virtual void release(const client::Key& service) = 0;
  // Services to look at again, because of what the last calls changed.
  virtual std::vector<client::Key> take_waiting() { return {}; }
  // Whether nodes have to announce the addresses, which no interface has.
  virtual bool is_announced() const = 0;
};

// The addresses of the nodes.
std::unique_ptr<AddressSource> make_node_addresses(const ControllerContext& context);
// Addresses of a pool.
std::unique_ptr<AddressSource> make_pool_addresses(const ControllerContext& context,
                                                   std::vector<IpPrefix> ranges);

}  // namespace proa::controllers

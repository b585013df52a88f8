#pragma once

#include <functional>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/net/ip_address.h"
#include "base/result.h"
#include "base/threads/mutex.h"
#include "client/key.h"
#include "controllers/network/service_facts.h"

namespace proa::controllers {

// Parses the flag --load-balancer-pool: "192.0.2.0/24,2001:db8::/64". Empty for "nodes" and "".
Result<std::vector<IpPrefix>> parse_load_balancer_pool(std::string_view flag);

// Which Service has which address of a pool. Thread-safe.
class AddressPool {
 public:
  // Addresses of the ranges that are not to be given out, such as those of nodes.
  using IsReserved = std::function<bool(const IpAddress&)>;

  AddressPool(std::vector<IpPrefix> ranges, IsReserved is_reserved)
      : ranges_(std::move(ranges)), is_reserved_(std::move(is_reserved)) {}

  struct Request {
    client::Key service;
    std::vector<IpFamily> families;
    std::string requested = {};             // an address; empty: any
    std::vector<std::string> current = {};  // from the Service's status
  };
  // One address per family that the pool has ranges of, in the order of the families; the current
  // ones where possible. On failure the Service keeps what it has, and is told by take_waiting()
  // when addresses were released.
  Result<std::vector<std::string>> assign(const Request& request) EXCLUDES(mutex_);
  // Takes the current addresses, if they are free: before the first assign().
  void adopt(const client::Key& service, std::span<const std::string> current) EXCLUDES(mutex_);
  void release(const client::Key& service) EXCLUDES(mutex_);
  // Services to try again, because addresses were released since the last call.
  std::vector<client::Key> take_waiting() EXCLUDES(mutex_);

 private:
  Result<void> check_family(const Request& request) const;
  Result<IpAddress> choose(const Request& request, IpFamily family) const REQUIRES(mutex_);
  std::optional<IpAddress> first_free(IpFamily family) const REQUIRES(mutex_);
  Result<IpAddress> choose_requested(const Request& request, const IpAddress& address) const
      REQUIRES(mutex_);
  bool is_free(const IpAddress& address, const client::Key& service) const REQUIRES(mutex_);
  bool contains(const IpAddress& address) const;
  bool has_family(IpFamily family) const;
  std::string describe() const;
  void set(const client::Key& service, const std::set<IpAddress>& addresses) REQUIRES(mutex_);

  const std::vector<IpPrefix> ranges_;
  const IsReserved is_reserved_;
  Mutex mutex_;
  std::map<IpAddress, client::Key> holders_ GUARDED_BY(mutex_);
  std::map<client::Key, std::set<IpAddress>> held_ GUARDED_BY(mutex_);
  std::set<client::Key> waiting_ GUARDED_BY(mutex_);
  bool released_ GUARDED_BY(mutex_) = false;
};

}  // namespace proa::controllers

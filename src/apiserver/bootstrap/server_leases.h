#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/net/ip_address.h"
#include "base/result.h"
#include "base/time.h"
#include "store/store.h"

namespace proa::apiserver {

// Which servers of a shared store are alive: each has an entry there that ends unless the server
// renews it. Upstream's servers keep theirs under the same keys.
class ServerLeases {
 public:
  // Of the entries of all servers.
  static constexpr std::string_view kPrefix = "/registry/masterleases/";
  static constexpr Duration kRenewal = std::chrono::seconds(10);
  static constexpr Duration kLifetime = std::chrono::seconds(15);

  // REQUIRES: store and clock outlive it.
  ServerLeases(store::Store& store, Clock& clock, const IpAddress& own)
      : store_(store), clock_(clock), own_(own) {}

  Result<void> renew();
  // The addresses of live servers of this one's family, in order; its own is always among them.
  Result<std::vector<IpAddress>> live() const;
  // Tells the other servers that this one ends. Waits a second at most: an entry that stays ends by
  // itself.
  void release();

 private:
  std::string key() const;

  store::Store& store_;
  Clock& clock_;
  const IpAddress own_;
};

}  // namespace proa::apiserver

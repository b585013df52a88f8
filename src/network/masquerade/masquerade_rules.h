#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/result.h"
#include "netlink/nft/kept_table.h"
#include "netlink/nft/monitor.h"
#include "netlink/socket.h"
#include "network/masquerade/masquerade_table.h"
#include "network/model/options.h"

namespace proa::network {

// The masquerading in the kernel, and the guard of the tunnel: a table of nf_tables per family,
// written by netlink; by iptables(8) for families that this kernel's nf_tables do not have. Used by
// one thread, in the network namespace of the thread that opens it.
class MasqueradeRules {
 public:
  // REQUIRES: `clock` outlives it.
  static Result<MasqueradeRules> open(const NetworkOptions& options, Clock& clock);

  // Makes the rules those of `wanted`. Sends what differs from the last call, all of it when others
  // have changed it. The first call removes what releases that used iptables(8) left. Without
  // nf_tables there is no guard.
  Result<void> set(const Masquerade& wanted, const std::optional<TunnelGuard>& guard = {});
  // Removes all of it, and what the portmap plugin left of this network.
  Result<void> remove();

  // Readable when others have changed rules; -1 if the kernel does not report it.
  int descriptor() const { return monitor_ ? monitor_->descriptor() : -1; }
  // Reads the reports. True if set() has something to do.
  bool disturbed();

 private:
  struct FamilyTable {
    bool v6 = false;
    netlink::nft::KeptTable kept = {};
  };

  MasqueradeRules(const NetworkOptions& options, netlink::Socket socket, Clock& clock)
      : options_(options), socket_(std::move(socket)), clock_(&clock) {}
  Until deadline() const;
  Result<void> write_by_programs(const Masquerade& wanted);
  Result<void> remove_older();
  Result<bool> has_older(bool v6);
  bool has_table(bool v6) const;

  NetworkOptions options_;
  netlink::Socket socket_;
  Clock* clock_;
  std::optional<netlink::nft::Monitor> monitor_;
  std::vector<FamilyTable> tables_;
  std::optional<Masquerade> by_programs_;  // the last that iptables(8) wrote
  bool older_removed_ = false;
};

}  // namespace proa::network

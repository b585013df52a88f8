#pragma once

#include <string>
#include <vector>

#include "base/clock.h"
#include "base/files.h"
#include "base/net/ip_address.h"
#include "netlink/route/routing.h"

namespace proa::dns {

// The addresses of the cluster's DNS on this machine: on the link lo, so that pods reach them here
// and nowhere else. They stay when the process ends, as pods do. A file names those that were
// added, so that only these are removed. Used by one thread.
class LoopbackAddresses {
 public:
  // In the network namespace of the thread. REQUIRES: both outlive it.
  static Result<LoopbackAddresses> open(Files& files, Clock& clock, std::string record);

  // Adds what is missing.
  Result<void> ensure(const std::vector<IpAddress>& addresses);
  // Removes what the record names, and the record.
  Result<void> remove();

 private:
  LoopbackAddresses(Files& files, std::string record, netlink::Routing routing)
      : files_(&files), record_(std::move(record)), routing_(std::move(routing)) {}
  Result<std::vector<IpAddress>> recorded() const;

  Files* files_;
  std::string record_;
  netlink::Routing routing_;
};

// The same for commands. Nothing without a record.
Result<void> remove_loopback_addresses(Files& files, Clock& clock, const std::string& record);

}  // namespace proa::dns

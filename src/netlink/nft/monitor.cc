#include "netlink/nft/monitor.h"

#include <linux/netfilter/nfnetlink.h>
#include <linux/netlink.h>

#include <algorithm>

#include "netlink/nft/listing.h"

namespace proa::netlink::nft {

Result<Monitor> Monitor::open(std::vector<TableName> tables, Clock& clock) {
  Socket socket = TRY(Socket::listen(NETLINK_NETFILTER, {NFNLGRP_NFTABLES}, clock));
  // Reports about a first start are megabytes, which would not fit the socket's buffer.
  TRY(socket.ignore_own_process());
  return Monitor(std::move(tables), std::move(socket), clock);
}

bool Monitor::disturbed() {
  bool seen = false;
  const auto look = [&](const Message& message) -> Result<void> {
    seen = seen || std::any_of(tables_.begin(), tables_.end(),
                               [&](const TableName& table) { return is_about(message, table); });
    return {};
  };
  const bool lost = !socket_.receive(Until::after(*clock_, Duration(0)), look).ok();
  return seen || lost;
}

}  // namespace proa::netlink::nft

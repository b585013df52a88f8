#include "netlink/nft/monitor.h"

#include <arpa/inet.h>
#include <linux/filter.h>
#include <linux/netfilter/nfnetlink.h>
#include <linux/netlink.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstddef>

#include "netlink/nft/listing.h"

namespace proa::netlink::nft {

namespace monitor {

// The kernel drops the reports about our own changes: those of a first start are megabytes, which
// would not fit the socket's buffer. All messages of a datagram have the same sender.
Result<void> ignore_sender(int descriptor, uint32_t port) {
  constexpr uint32_t kAll = 0xffffffff;
  // Filters load numbers in network order.
  std::array<sock_filter, 4> program = {{
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(nlmsghdr, nlmsg_pid)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, htonl(port), 0, 1),
      BPF_STMT(BPF_RET | BPF_K, 0),
      BPF_STMT(BPF_RET | BPF_K, kAll),
  }};
  const sock_fprog filter{.len = program.size(), .filter = program.data()};
  if (setsockopt(descriptor, SOL_SOCKET, SO_ATTACH_FILTER, &filter, sizeof filter) != 0) {
    return errno_status("setting the filter of a netlink socket", errno);
  }
  return {};
}

}  // namespace monitor

Result<Monitor> Monitor::open(std::vector<TableName> tables, const Socket& ours, Clock& clock) {
  Socket socket = TRY(Socket::listen(NETLINK_NETFILTER, {NFNLGRP_NFTABLES}, clock));
  TRY(monitor::ignore_sender(socket.descriptor(), ours.port()));
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

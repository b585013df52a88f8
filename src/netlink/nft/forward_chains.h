#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "netlink/socket.h"

namespace proa::netlink::nft {

// A base chain at the hook forward, of any program: it decides on packets that this machine
// forwards. Each such chain can drop a packet, whatever the others say.
struct ForwardChain {
  uint8_t family = 0;  // of its table, by the kernel's numbers (NFPROTO_INET and so on)
  std::string table;
  std::string name;
  // Packets that no rule accepts: by its policy, or by a last rule without conditions.
  bool drops = false;

  // "inet filter forward"
  std::string str() const;
  // Whether packets of the IP family pass it.
  bool is_for(bool v6) const;
  bool operator==(const ForwardChain&) const = default;
};

// Those that IP packets pass, also inside of a bridge.
Result<std::vector<ForwardChain>> list_forward_chains(Socket& socket, const Until& until);

// Whether a notification (NFNLGRP_NFTABLES) may change what list_forward_chains() returned, or is
// about rules of one of these chains.
bool concerns_forwarding(const Message& notification, std::span<const ForwardChain> known);

// Whether a notification says that a chain of that name, or a rule of it, was deleted.
bool deletes_from_chain(const Message& notification, std::string_view chain);

}  // namespace proa::netlink::nft

#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "netlink/socket.h"

namespace proa::netlink::nft {

// A base chain, of any program, that packets pass which this machine forwards or takes: at the
// hooks forward, input, prerouting and postrouting, or at the ingress of a link. Each such chain
// can drop a packet, whatever the others say.
struct ForwardChain {
  uint8_t family = 0;  // of its table, by the kernel's numbers (NFPROTO_INET and so on)
  std::string table;
  std::string name;
  // Packets that no rule with conditions accepts: by its policy, or by a rule without conditions,
  // also of a chain that such a rule leads to.
  bool drops = false;
  bool input = false;                      // at the hook input: forwarded packets do not pass it
  std::vector<std::string> devices = {};   // at an ingress: the links; else none
  std::vector<std::string> leads_to = {};  // the chains that decided about `drops`, too

  // "inet filter forward"
  std::string str() const;
  // Whether packets of the IP family pass it.
  bool is_for(bool v6) const;
  bool operator==(const ForwardChain&) const = default;
};

// Those that IP packets from elsewhere pass, also inside of a bridge.
Result<std::vector<ForwardChain>> list_forward_chains(Socket& socket, const Until& until);

// Whether a notification (NFNLGRP_NFTABLES) may change what list_forward_chains() returned, or is
// about rules of one of these chains.
bool concerns_forwarding(const Message& notification, std::span<const ForwardChain> known);

// Whether a notification says that a chain of that name, or a rule of it, was deleted.
bool deletes_from_chain(const Message& notification, std::string_view chain);

}  // namespace proa::netlink::nft

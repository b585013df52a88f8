#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/net/ip_address.h"

namespace proa::controllers::nodes {

// A cluster CIDR split into node CIDRs of one size (upstream's CidrSet). For one thread at a time.
class CidrSet {
 public:
  // `piece_bits`: prefix length of a node CIDR. REQUIRES: not shorter than that of the network.
  CidrSet(const IpPrefix& network, unsigned piece_bits);

  // Allocates the next free CIDR; released ones come last. Nullopt if none is left.
  std::optional<std::string> take();
  // Marks a CIDR as used, even if it already is. False if it is not part of the network.
  bool occupy(std::string_view piece);
  void give_back(std::string_view piece);
  // Excludes CIDRs that overlap with this network.
  void exclude(const IpPrefix& other);

  size_t size() const { return used_.size(); }

 private:
  std::optional<size_t> index_of(const IpAddress& address) const;
  std::optional<size_t> index_of(std::string_view piece) const;
  std::string piece(size_t index) const;

  const IpPrefix network_;
  const unsigned piece_bits_;
  std::vector<bool> used_;
  size_t next_ = 0;
};

// Parses "10.244.0.0/16" or "10.244.0.0/16,fd00:10:244::/48". Nullopt if a network is invalid or
// cannot be split. `v4_piece_bits`: for IPv4; IPv6 node CIDRs are /64.
std::optional<std::vector<CidrSet>> parse_cidr_sets(std::string_view networks,
                                                    unsigned v4_piece_bits);

}  // namespace proa::controllers::nodes

#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "api/validation/ip_address.h"

namespace proa::controllers::nodes {

// One of the cluster's networks for pods, cut into pieces of one size, of which nodes get one each.
// For one thread at a time.
class PodNetworks {
 public:
  // `piece_bits`: the length of a piece's prefix. REQUIRES: not shorter than the network's.
  PodNetworks(const api::IpPrefix& network, unsigned piece_bits);

  // The next one that nobody has; those that were given back come last. Nullopt: none is left.
  std::optional<std::string> take();
  // False when it is none of this network's pieces. One that is taken already stays so: whoever
  // asks knows better.
  bool occupy(std::string_view piece);
  void give_back(std::string_view piece);
  // No piece that overlaps with this network is given out.
  void exclude(const api::IpPrefix& other);

  size_t size() const { return used_.size(); }

 private:
  std::optional<size_t> index_of(const api::IpAddress& address) const;
  std::optional<size_t> index_of(std::string_view piece) const;
  std::string piece(size_t index) const;

  const api::IpPrefix network_;
  const unsigned piece_bits_;
  std::vector<bool> used_;
  size_t next_ = 0;
};

// Of a flag's value, "10.244.0.0/16" or "10.244.0.0/16,fd00:10:244::/48". Nullopt when one of them
// can't be read, or can't be cut. `v4_piece_bits`: of IPv4; pieces of IPv6 are /64.
std::optional<std::vector<PodNetworks>> parse_pod_networks(std::string_view networks,
                                                           unsigned v4_piece_bits);

}  // namespace proa::controllers::nodes

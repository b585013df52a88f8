#include "controllers/node/cidr_set.h"

#include <algorithm>

#include "base/check.h"
#include "base/strings.h"

namespace proa::controllers::nodes {
namespace cidr_set {

constexpr unsigned kV6PieceBits = 64;
// Maximum number of node CIDRs; of larger networks only the beginning is used.
constexpr unsigned kMostIndexBits = 20;

// Offset of the address bits: IPv4 is stored at the end.
unsigned first_bit(const IpPrefix& network) { return network.v6 ? 0 : 96; }

bool bit_at(const IpAddress& address, unsigned bit) {
  return (address.bytes[bit / 8] >> (7 - bit % 8) & 1) != 0;
}

void set_bit(IpAddress& address, unsigned bit) {
  address.bytes[bit / 8] = static_cast<uint8_t>(address.bytes[bit / 8] | 1U << (7 - bit % 8));
}

}  // namespace cidr_set

CidrSet::CidrSet(const IpPrefix& network, unsigned piece_bits)
    : network_(network), piece_bits_(piece_bits) {
  CHECK(piece_bits >= network.bits);
  used_.resize(size_t{1} << std::min(piece_bits - network.bits, cidr_set::kMostIndexBits));
}

std::optional<size_t> CidrSet::index_of(const IpAddress& address) const {
  if (!network_.contains(address)) return std::nullopt;
  size_t index = 0;
  const unsigned first = cidr_set::first_bit(network_);
  for (unsigned bit = network_.bits; bit < piece_bits_; ++bit) {
    index = index << 1 | (cidr_set::bit_at(address, first + bit) ? 1 : 0);
    if (index >= used_.size()) return std::nullopt;
  }
  return index;
}

std::optional<size_t> CidrSet::index_of(std::string_view piece) const {
  const std::optional<IpPrefix> prefix = parse_prefix(piece);
  if (!prefix || prefix->v6 != network_.v6 || prefix->bits != piece_bits_) return std::nullopt;
  return index_of(prefix->base());
}

std::string CidrSet::piece(size_t index) const {
  IpPrefix piece{.address = network_.base(), .bits = piece_bits_, .v6 = network_.v6};
  const unsigned end = cidr_set::first_bit(network_) + piece_bits_;
  for (unsigned bit = 0; index != 0; ++bit, index >>= 1) {
    if ((index & 1) != 0) cidr_set::set_bit(piece.address, end - 1 - bit);
  }
  return piece.str();
}

std::optional<std::string> CidrSet::take() {
  for (size_t tried = 0; tried < used_.size(); ++tried) {
    const size_t index = (next_ + tried) % used_.size();
    if (used_[index]) continue;
    used_[index] = true;
    next_ = (index + 1) % used_.size();
    return piece(index);
  }
  return std::nullopt;
}

bool CidrSet::occupy(std::string_view piece) {
  if (const std::optional<size_t> index = index_of(piece)) {
    used_[*index] = true;
    return true;
  }
  // A CIDR of another size, from before a change of the flags.
  const std::optional<IpPrefix> prefix = parse_prefix(piece);
  if (!prefix || !overlap(network_, *prefix)) return false;
  exclude(*prefix);
  return true;
}

void CidrSet::give_back(std::string_view piece) {
  if (const std::optional<size_t> index = index_of(piece)) used_[*index] = false;
}

void CidrSet::exclude(const IpPrefix& other) {
  if (!overlap(network_, other)) return;
  if (other.bits <= network_.bits) {
    used_.assign(used_.size(), true);
    return;
  }
  const std::optional<size_t> first = index_of(other.base());
  if (!first) return;
  const unsigned free_bits = other.bits < piece_bits_ ? piece_bits_ - other.bits : 0;
  const size_t count =
      free_bits >= cidr_set::kMostIndexBits ? used_.size() : size_t{1} << free_bits;
  for (size_t i = *first; i < std::min(used_.size(), *first + count); ++i) used_[i] = true;
}

std::optional<std::vector<CidrSet>> parse_cidr_sets(std::string_view networks,
                                                    unsigned v4_piece_bits) {
  std::vector<CidrSet> parsed;
  for (const std::string_view text : split(networks, ',')) {
    const std::optional<IpPrefix> prefix = parse_prefix(trim(text));
    if (!prefix) return std::nullopt;
    const unsigned bits = prefix->v6 ? cidr_set::kV6PieceBits : v4_piece_bits;
    if (bits < prefix->bits || bits > (prefix->v6 ? 128U : 32U)) return std::nullopt;
    parsed.push_back(CidrSet(*prefix, bits));
  }
  return parsed;
}

}  // namespace proa::controllers::nodes

#include "netlink/nft/set_types.h"

#include <linux/netfilter/nf_tables.h>

#include <algorithm>
#include <array>

namespace proa::netlink::nft {

namespace set_types {

// A concatenation is a number of six bits for each part.
constexpr unsigned kBits = 6;
constexpr uint32_t kMask = (1U << kBits) - 1;

uint32_t number_of(Family family, Type type) {
  switch (type) {
    case Type::kAddress:
      return family == Family::kIp6 ? 8 : 7;
    case Type::kProtocol:
      return 12;
    case Type::kPort:
      return 13;
    case Type::kMark:
      return 19;
    case Type::kClass:
      return 23;
    case Type::kAddress6:
      return 8;
    case Type::kMac:
      return 9;
    case Type::kLink:
      return 41;
  }
  return 0;
}

}  // namespace set_types

uint32_t type_number(Family family, const std::vector<Type>& types) {
  uint32_t number = 0;
  for (const Type type : types) {
    number = number << set_types::kBits | set_types::number_of(family, type);
  }
  return number;
}

std::optional<std::vector<Type>> types_of_number(Family family, uint32_t number) {
  // What is an address of the table's family is found first.
  constexpr std::array kAll = {Type::kAddress, Type::kProtocol, Type::kPort, Type::kMark,
                               Type::kClass,   Type::kAddress6, Type::kMac,  Type::kLink};
  std::vector<Type> types;
  for (; number != 0; number >>= set_types::kBits) {
    const auto found = std::find_if(kAll.begin(), kAll.end(), [&](Type type) {
      return set_types::number_of(family, type) == (number & set_types::kMask);
    });
    if (found == kAll.end()) return std::nullopt;
    types.push_back(*found);
  }
  std::reverse(types.begin(), types.end());
  return types;
}

uint32_t set_flags(const Set& set) {
  uint32_t flags = 0;
  if (set.values != Set::Values::kNone) flags |= NFT_SET_MAP;
  if (set.ranges) flags |= NFT_SET_INTERVAL;
  if (set.dynamic) flags |= NFT_SET_EVAL | NFT_SET_TIMEOUT;
  return flags;
}

}  // namespace proa::netlink::nft

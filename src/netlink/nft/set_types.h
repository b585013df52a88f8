#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "netlink/nft/ruleset.h"

// Types of keys and values as nft numbers them, for the kernel to keep: it shows them to nft, and
// itself looks at lengths only.

namespace proa::netlink::nft {

// NFTA_SET_KEY_TYPE, NFTA_SET_DATA_TYPE
uint32_t type_number(Family family, const std::vector<Type>& types);
// Nullopt if it is none of ours.
std::optional<std::vector<Type>> types_of_number(Family family, uint32_t number);

// NFTA_SET_FLAGS
uint32_t set_flags(const Set& set);

}  // namespace proa::netlink::nft

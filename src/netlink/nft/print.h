#pragma once

#include <string>

#include "netlink/nft/ruleset.h"

// nft's language, as `nft list table` writes it; for tests and logs.

namespace proa::netlink::nft {

// "ip daddr @cluster-ips reject"
std::string print(Family family, const Rule& rule);
// "10.0.0.1 . tcp . 80 : goto pick-2"
std::string print(Family family, const Set& set, const Element& element);
// "dstnat - 10"
std::string print_priority(const Hook& hook);
// The table with one element a line, sorted.
std::string print(const Table& table);

}  // namespace proa::netlink::nft

#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "netlink/nft/ruleset.h"
#include "netlink/socket.h"

// What the kernel has.

namespace proa::netlink::nft {

struct TableListing {
  std::vector<Set> sets;
  // Sets whose types or flags are none of those that Set can express.
  std::vector<std::string> foreign_sets;
  std::vector<Chain> chains;  // without rules
  bool drops = false;         // what reaches the end of some chain
};

// Nullopt if there is no such table.
Result<std::optional<TableListing>> list_table(Socket& socket, const TableName& table,
                                               const Until& until);

// The elements of a set. kNotFound if there is no such set.
Result<std::vector<Element>> list_elements(Socket& socket, const TableName& table, const Set& set,
                                           const Until& until);

// Whether a notification (NFNLGRP_NFTABLES) is about this table: its objects, elements, or itself.
bool is_about(const Message& notification, const TableName& table);

}  // namespace proa::netlink::nft

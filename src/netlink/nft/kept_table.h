#pragma once

#include <optional>

#include "netlink/nft/ruleset.h"
#include "netlink/socket.h"

namespace proa::netlink::nft {

// A table that is ours alone. Remembers what the kernel has, and sends what differs. Used by one
// thread at a time.
class KeptTable {
 public:
  // In one transaction: packets see the old rules or the new ones. With other chains, the table is
  // replaced; with the same, elements of sets that differ are. A table without chains is removed.
  // On failure, what the kernel has counts as unknown. REQUIRES: always the same name; sets have
  // no other meaning while chains are the same.
  Result<void> set(Socket& socket, Table wanted, const Until& until);
  Result<void> remove(Socket& socket, const TableName& name, const Until& until);
  // Others may have changed it: all of it is sent next.
  void forget() { written_.reset(); }
  // What the kernel has, as far as is known.
  const std::optional<Table>& written() const { return written_; }

 private:
  Result<void> write_elements(Socket& socket, const Table& wanted, const Until& until) const;

  std::optional<Table> written_;
};

}  // namespace proa::netlink::nft

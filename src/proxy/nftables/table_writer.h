#pragma once

#include <string>
#include <vector>

#include "netlink/nft/listing.h"
#include "netlink/nft/transaction.h"
#include "proxy/nftables/table_state.h"

// What brings the kernel's table to the wanted state, as parts of a transaction.

namespace proa::proxy::nftables {

// What differs. All rules are written again, for they are few; elements only where they differ.
// Returns the chains that are without use then; they can be deleted in a transaction of their own.
// kConflict if the kernel's table has sets of another layout: it must be written anew.
Result<std::vector<UnusedChain>> write_difference(nft::Transaction& transaction,
                                                  const nft::Table& wanted,
                                                  const nft::TableListing& found,
                                                  netlink::Socket& socket, const Until& until);

void write_change(nft::Transaction& transaction, const nft::TableName& table,
                  const TableChange& change);

// Before kernel 6.2, chains that elements led to are busy for a while: a failure of the transaction
// does no harm.
void write_deletion(nft::Transaction& transaction, const nft::TableName& table,
                    const std::vector<UnusedChain>& chains);

}  // namespace proa::proxy::nftables

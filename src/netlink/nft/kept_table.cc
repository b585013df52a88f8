#include "netlink/nft/kept_table.h"

#include <algorithm>
#include <tuple>
#include <utility>
#include <vector>

#include "netlink/nft/transaction.h"

namespace proa::netlink::nft {
namespace kept_table {

bool is_before(const Element& a, const Element& b) {
  return std::tie(a.key, a.ends_range) < std::tie(b.key, b.ends_range);
}

// Those of `all` that `others` does not have with the same value, sorted.
std::vector<Element> without(std::vector<Element> all, std::vector<Element> others) {
  std::ranges::sort(all, is_before);
  std::ranges::sort(others, is_before);
  std::erase_if(all, [&](const Element& one) {
    const auto found = std::ranges::lower_bound(others, one, is_before);
    return found != others.end() && *found == one;
  });
  return all;
}

}  // namespace kept_table

Result<void> KeptTable::set(Socket& socket, Table wanted, const Until& until) {
  const bool alike = written_ && written_->chains == wanted.chains;
  if (alike && wanted.chains.empty()) return {};
  // Where that fails it was deleted behind our back a moment ago: all of it is written.
  if (!alike || !write_elements(socket, wanted, until).ok()) {
    written_.reset();
    Transaction transaction;
    if (wanted.chains.empty()) {
      transaction.remove_table(wanted.name);
    } else {
      transaction.replace_table(wanted);
    }
    TRY(std::move(transaction).commit(socket, until));
  }
  written_ = std::move(wanted);
  return {};
}

// REQUIRES: the same chains, and so the same sets.
Result<void> KeptTable::write_elements(Socket& socket, const Table& wanted,
                                       const Until& until) const {
  Transaction transaction;
  for (size_t i = 0; i < wanted.sets.size(); ++i) {
    const FilledSet& before = written_->sets[i];
    const FilledSet& after = wanted.sets[i];
    transaction.delete_elements(wanted.name, after.set,
                                kept_table::without(before.elements, after.elements));
    transaction.add_elements(wanted.name, after.set,
                             kept_table::without(after.elements, before.elements));
  }
  return std::move(transaction).commit(socket, until);
}

Result<void> KeptTable::remove(Socket& socket, const TableName& name, const Until& until) {
  return set(socket, {name, {}, {}}, until);
}

}  // namespace proa::netlink::nft

#include "proxy/nftables/table_writer.h"

#include <algorithm>
#include <string_view>
#include <unordered_map>
#include <utility>

namespace proa::proxy::nftables {

namespace table_writer {

using nft::Chain;
using nft::Element;

bool contains(const std::vector<Chain>& chains, const std::string& name) {
  return std::any_of(chains.begin(), chains.end(),
                     [&](const Chain& chain) { return chain.name == name; });
}

// All the same sets, and no others.
bool same_sets(const nft::Table& wanted, const nft::TableListing& found) {
  if (!found.foreign_sets.empty() || found.sets.size() != wanted.sets.size()) return false;
  return std::all_of(wanted.sets.begin(), wanted.sets.end(), [&](const nft::FilledSet& filled) {
    return std::find(found.sets.begin(), found.sets.end(), filled.set) != found.sets.end();
  });
}

void write_chains(nft::Transaction& transaction, const nft::TableName& table,
                  const std::vector<Chain>& chains) {
  for (const Chain& chain : chains) transaction.add_chain(table, chain);
  for (const Chain& chain : chains) transaction.add_rules(table, chain);
}

// What the kernel has and what is wanted, by key.
TableChange::Elements difference(const std::vector<Element>& wanted, std::vector<Element> found) {
  std::unordered_map<std::string_view, const Element*> missing;
  missing.reserve(wanted.size());
  for (const Element& element : wanted) missing.emplace(element.key, &element);
  TableChange::Elements difference;
  for (Element& element : found) {
    const auto match = missing.find(element.key);
    if (match != missing.end() && *match->second == element) {
      missing.erase(match);
    } else {
      difference.removed.push_back(std::move(element));
    }
  }
  for (const auto& [key, element] : missing) difference.added.push_back(*element);
  return difference;
}

}  // namespace table_writer

Result<std::vector<UnusedChain>> write_difference(nft::Transaction& transaction,
                                                  const nft::Table& wanted,
                                                  const nft::TableListing& found,
                                                  netlink::Socket& socket, const Until& until) {
  if (!table_writer::same_sets(wanted, found)) {
    return Status(Reason::kConflict, "the sets of table " + wanted.name.name + " differ");
  }
  std::vector<UnusedChain> unused;
  for (const nft::Chain& chain : found.chains) {
    if (chain.hook) {
      // The kernel does not change hooks of a chain; rules cannot refer to it.
      transaction.delete_chain(wanted.name, chain.name);
      continue;
    }
    transaction.flush_chain(wanted.name, chain.name);
    if (!table_writer::contains(wanted.chains, chain.name)) unused.push_back({chain.name});
  }
  table_writer::write_chains(transaction, wanted.name, wanted.chains);
  for (const nft::FilledSet& filled : wanted.sets) {
    if (filled.set.dynamic) continue;
    std::vector<nft::Element> elements =
        TRY(nft::list_elements(socket, wanted.name, filled.set, until));
    const TableChange::Elements difference =
        table_writer::difference(filled.elements, std::move(elements));
    transaction.delete_elements(wanted.name, filled.set, difference.removed);
    transaction.add_elements(wanted.name, filled.set, difference.added);
  }
  return unused;
}

void write_change(nft::Transaction& transaction, const nft::TableName& table,
                  const TableChange& change) {
  for (const nft::Chain& chain : change.new_chains) {
    transaction.add_chain(table, chain);
    // One that was busy when it was to be deleted.
    transaction.flush_chain(table, chain.name);
  }
  for (const nft::Chain& chain : change.new_chains) transaction.add_rules(table, chain);
  for (size_t id = 0; id < kSets; ++id) {
    const nft::Set& set = set_of(static_cast<SetId>(id));
    transaction.delete_elements(table, set, change.sets[id].removed);
    transaction.add_elements(table, set, change.sets[id].added);
  }
}

void write_deletion(nft::Transaction& transaction, const nft::TableName& table,
                    const std::vector<UnusedChain>& chains) {
  for (const UnusedChain& chain : chains) {
    if (!chain.verdict) continue;
    transaction.delete_elements(table, set_of(chain.verdict->set), {&chain.verdict->element, 1});
  }
  // They may lead to each other.
  for (const UnusedChain& chain : chains) transaction.flush_chain(table, chain.name);
  for (const UnusedChain& chain : chains) transaction.delete_chain(table, chain.name);
}

}  // namespace proa::proxy::nftables

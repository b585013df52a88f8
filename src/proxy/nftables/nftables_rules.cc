#include "proxy/nftables/nftables_rules.h"

#include <linux/netlink.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "proxy/nftables/table_writer.h"

namespace proa::proxy::nftables {

namespace nftables_rules {

// A transaction of 100,000 elements takes a second on a slow machine.
constexpr Duration kMostWait = std::chrono::seconds(30);

// Elements may expire between their listing and their deletion, which then fails.
constexpr int kAttemptsToForget = 5;

bool contains_chain(const TableChange& change, const std::string& name) {
  return std::any_of(change.new_chains.begin(), change.new_chains.end(),
                     [&](const nft::Chain& chain) { return chain.name == name; });
}

}  // namespace nftables_rules

Result<std::vector<Family>> usable_families(Clock& clock) {
  netlink::Socket socket = TRY(netlink::Socket::open(NETLINK_NETFILTER, clock));
  std::vector<Family> usable;
  std::optional<Status> refused;
  for (const Family family : {Family::kV4, Family::kV6}) {
    const auto done = nft::check_usable(socket, table_of(family).family,
                                        Until::after(clock, nftables_rules::kMostWait));
    if (done.ok()) {
      usable.push_back(family);
    } else {
      refused = done.status();
    }
  }
  if (usable.empty()) return refused->in("the kernel has no nf_tables for this process");
  return usable;
}

Result<std::unique_ptr<NftablesRules>> NftablesRules::open(Clock& clock,
                                                           std::span<const Family> families) {
  netlink::Socket socket = TRY(netlink::Socket::open(NETLINK_NETFILTER, clock));
  std::vector<nft::TableName> tables;
  tables.reserve(families.size());
  for (const Family family : families) tables.push_back(table_of(family));
  nft::Monitor monitor = TRY(nft::Monitor::open(std::move(tables), clock));
  return std::unique_ptr<NftablesRules>(
      new NftablesRules(clock, std::move(socket), std::move(monitor), families));
}

NftablesRules::NftablesRules(Clock& clock, netlink::Socket socket, nft::Monitor monitor,
                             std::span<const Family> families)
    : clock_(clock), socket_(std::move(socket)), monitor_(std::move(monitor)) {
  for (const Family family : families) tables_.push_back({TableState(family), {}});
}

Until NftablesRules::deadline() const { return Until::after(clock_, nftables_rules::kMostWait); }

Result<void> NftablesRules::replace(const NodeFacts& node, std::span<const ServicePortPtr> all) {
  std::vector<nft::Table> wanted;
  wanted.reserve(tables_.size());
  for (FamilyTable& table : tables_) {
    table.state.assign(node, all);
    wanted.push_back(table.state.table());
  }
  // The differences may be outdated, or the table is not there.
  if (!replace_differences(wanted).ok()) return replace_tables(wanted);
  delete_unused_chains();
  for (const FamilyTable& table : tables_) {
    const std::set<Memory> valid = table.state.memories();
    TRY(forget(table.state.family(),
               [&](const Memory& memory) { return !valid.contains(memory); }));
  }
  return {};
}

Result<void> NftablesRules::replace_differences(std::span<const nft::Table> wanted) {
  nft::Transaction transaction;
  for (size_t i = 0; i < wanted.size(); ++i) {
    const std::optional<nft::TableListing> found =
        TRY(nft::list_table(socket_, wanted[i].name, deadline()));
    if (!found) return Status(Reason::kConflict, "the table does not exist");
    tables_[i].unused_chains =
        TRY(write_difference(transaction, wanted[i], *found, socket_, deadline()));
  }
  return std::move(transaction).commit(socket_, deadline());
}

Result<void> NftablesRules::replace_tables(std::span<const nft::Table> wanted) {
  nft::Transaction transaction;
  for (const nft::Table& table : wanted) transaction.replace_table(table);
  for (FamilyTable& table : tables_) table.unused_chains.clear();
  return std::move(transaction).commit(socket_, deadline());
}

Result<void> NftablesRules::apply(std::span<const Change> changes) {
  nft::Transaction transaction;
  std::vector<std::set<Memory>> forgotten;
  for (FamilyTable& table : tables_) {
    TableChange change = table.state.change(changes);
    forgotten.push_back(std::move(change.forgotten));
    write_change(transaction, table_of(table.state.family()), change);
    std::erase_if(table.unused_chains, [&](const UnusedChain& chain) {
      return nftables_rules::contains_chain(change, chain.name);
    });
    for (UnusedChain& chain : change.unused_chains) {
      table.unused_chains.push_back(std::move(chain));
    }
  }
  TRY(std::move(transaction).commit(socket_, deadline()));
  delete_unused_chains();
  for (size_t i = 0; i < tables_.size(); ++i) {
    if (forgotten[i].empty()) continue;
    TRY(forget(tables_[i].state.family(),
               [&](const Memory& memory) { return forgotten[i].contains(memory); }));
  }
  return {};
}

Result<void> NftablesRules::forget(Family family, const IsStale& stale) {
  for (int attempt = 1;; ++attempt) {
    auto done = try_to_forget(family, stale);
    if (done.ok() || attempt == nftables_rules::kAttemptsToForget) return done;
  }
}

Result<void> NftablesRules::try_to_forget(Family family, const IsStale& stale) {
  const nft::TableName name = table_of(family);
  const nft::Set& set = set_of(SetId::kAffinity);
  std::vector<nft::Element> elements = TRY(nft::list_elements(socket_, name, set, deadline()));
  const size_t address = nft::length_of(name.family, {nft::Type::kAddress});
  std::erase_if(elements, [&](const nft::Element& element) {
    const auto* endpoint = std::get_if<nft::Data>(&element.value);
    if (endpoint == nullptr || element.key.size() < address) return true;
    return !stale({element.key.substr(address), *endpoint});
  });
  nft::Transaction transaction;
  transaction.delete_elements(name, set, elements);
  return std::move(transaction).commit(socket_, deadline());
}

void NftablesRules::delete_unused_chains() {
  nft::Transaction transaction;
  for (const FamilyTable& table : tables_) {
    write_deletion(transaction, table_of(table.state.family()), table.unused_chains);
  }
  if (transaction.empty() || !std::move(transaction).commit(socket_, deadline()).ok()) return;
  for (FamilyTable& table : tables_) table.unused_chains.clear();
}

Result<void> NftablesRules::remove() {
  nft::Transaction transaction;
  for (FamilyTable& table : tables_) {
    transaction.remove_table(table_of(table.state.family()));
    table.unused_chains.clear();
  }
  return std::move(transaction).commit(socket_, deadline());
}

}  // namespace proa::proxy::nftables

#include "policy/apply/kernel_rules.h"

#include <linux/netlink.h>

#include <optional>

#include "netlink/nft/listing.h"

namespace proa::policy {
namespace kernel_rules {

// A transaction of 100,000 elements takes a second on a slow machine.
constexpr Duration kMostWait = std::chrono::seconds(30);

Until deadline(const Clock& clock) { return Until::after(clock, kMostWait); }

void append(std::vector<std::string>& to, std::vector<std::string> more) {
  for (std::string& one : more) to.push_back(std::move(one));
}

void write(nft::Transaction& transaction, const nft::TableName& table, const TableChange& change) {
  for (const nft::Set& set : change.new_sets) transaction.add_set(table, set);
  for (const nft::Chain& chain : change.new_chains) transaction.add_chain(table, chain);
  for (const nft::Chain& chain : change.new_chains) transaction.add_rules(table, chain);
  for (const TableChange::Elements& elements : change.elements) {
    transaction.delete_elements(table, elements.set, elements.removed);
    transaction.add_elements(table, elements.set, elements.added);
  }
}

}  // namespace kernel_rules

Result<KernelRules> KernelRules::open(const std::string& table, const std::string& bridge,
                                      Clock& clock) {
  netlink::Socket socket = TRY(netlink::Socket::open(NETLINK_NETFILTER, clock));
  std::vector<FamilyTable> tables;
  std::vector<nft::TableName> names;
  std::optional<Status> refused;
  for (const nft::Family family : kFamilies) {
    const auto usable = nft::check_usable(socket, family, kernel_rules::deadline(clock));
    if (!usable.ok()) {
      refused = usable.status();
      continue;
    }
    names.push_back({family, table});
    tables.push_back({TableState(names.back(), bridge)});
  }
  if (tables.empty()) return refused->in("the kernel has no nf_tables for this process");
  nft::Monitor monitor = TRY(nft::Monitor::open(std::move(names), clock));
  return KernelRules(clock, std::move(socket), std::move(monitor), std::move(tables));
}

Result<void> KernelRules::replace(const PolicyModel& model) {
  nft::Transaction transaction;
  for (FamilyTable& table : tables_) {
    transaction.replace_table(table.state.table(model));
    table.old_chains.clear();
    table.old_sets.clear();
  }
  return std::move(transaction).commit(socket_, kernel_rules::deadline(*clock_));
}

Result<void> KernelRules::apply(const PolicyModel& model, const ModelChange& change) {
  nft::Transaction transaction;
  for (FamilyTable& table : tables_) {
    TableChange one = table.state.change(model, change);
    kernel_rules::write(transaction, table.state.name(), one);
    kernel_rules::append(table.old_chains, std::move(one.old_chains));
    kernel_rules::append(table.old_sets, std::move(one.old_sets));
  }
  if (!transaction.empty()) {
    TRY(std::move(transaction).commit(socket_, kernel_rules::deadline(*clock_)));
  }
  delete_unused();
  return {};
}

// In a transaction of its own: before kernel 6.2, chains that elements led to are busy for a while.
// What fails is tried again with the next change.
void KernelRules::delete_unused() {
  nft::Transaction transaction;
  for (const FamilyTable& table : tables_) {
    const nft::TableName& name = table.state.name();
    // They may lead to each other.
    for (const std::string& chain : table.old_chains) transaction.flush_chain(name, chain);
    for (const std::string& chain : table.old_chains) transaction.delete_chain(name, chain);
    for (const std::string& set : table.old_sets) transaction.delete_set(name, set);
  }
  if (transaction.empty()) return;
  if (!std::move(transaction).commit(socket_, kernel_rules::deadline(*clock_)).ok()) return;
  for (FamilyTable& table : tables_) {
    table.old_chains.clear();
    table.old_sets.clear();
  }
}

Result<bool> remove_policy_rules(const std::string& table, Clock& clock) {
  auto opened = netlink::Socket::open(NETLINK_NETFILTER, clock);
  if (!opened.ok()) return false;  // a kernel without netfilter has no rules
  netlink::Socket& socket = *opened;
  nft::Transaction transaction;
  for (const nft::Family family : kFamilies) {
    const auto found = nft::list_table(socket, {family, table}, kernel_rules::deadline(clock));
    // A kernel without the family has no rules of it.
    if (found.ok() && found->has_value()) transaction.remove_table({family, table});
  }
  if (transaction.empty()) return false;
  TRY(std::move(transaction).commit(socket, kernel_rules::deadline(clock)));
  return true;
}

}  // namespace proa::policy

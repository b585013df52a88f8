#include "netlink/nft/transaction.h"

// Before the kernel's headers, which then leave out what both define.
#include <arpa/inet.h>
#include <netinet/in.h>

#include <linux/netfilter.h>
#include <linux/netfilter/nf_tables.h>
#include <linux/netfilter/nfnetlink.h>

#include <utility>

#include "netlink/nft/expressions.h"
#include "netlink/nft/set_types.h"

namespace proa::netlink::nft {

namespace transaction {

// Attributes that hold lists end before their length no longer fits 16 bits; an element takes much
// less than the difference.
constexpr size_t kMostBytesOfList = 60 * 1024;

constexpr uint16_t type_of(uint16_t message) {
  return static_cast<uint16_t>(NFNL_SUBSYS_NFTABLES << 8 | message);
}

nfgenmsg header_of(Family family) {
  return {.nfgen_family = static_cast<uint8_t>(family), .version = NFNETLINK_V0, .res_id = 0};
}

nfgenmsg batch_header() {
  return {
      .nfgen_family = AF_UNSPEC, .version = NFNETLINK_V0, .res_id = htons(NFNL_SUBSYS_NFTABLES)};
}

void write_data(Batch& batch, uint16_t type, std::string_view bytes) {
  const Batch::Nest nest = batch.nest(type);
  batch.bytes(NFTA_DATA_VALUE, bytes);
}

void write_element(Batch& batch, const Element& element, bool with_value) {
  const Batch::Nest nest = batch.nest(NFTA_LIST_ELEM);
  write_data(batch, NFTA_SET_ELEM_KEY, element.key);
  if (element.ends_range) batch.network32(NFTA_SET_ELEM_FLAGS, NFT_SET_ELEM_INTERVAL_END);
  if (!with_value) return;
  if (const Data* data = std::get_if<Data>(&element.value)) {
    write_data(batch, NFTA_SET_ELEM_DATA, *data);
  }
  if (const Verdict* verdict = std::get_if<Verdict>(&element.value)) {
    const Batch::Nest value = batch.nest(NFTA_SET_ELEM_DATA);
    write_verdict(batch, *verdict);
  }
}

// A note that nft makes for itself, and reads when it lists elements: that the key (0) or the value
// (1) is in the order of the machine (1): a number, or the name of a link. Not needed in
// concatenations.
std::string byte_orders(const Set& set) {
  std::string notes;
  const auto add = [&](char which, const std::vector<Type>& types) {
    constexpr uint32_t kOfMachine = 1;
    if (types != std::vector{Type::kClass} && types != std::vector{Type::kLink}) return;
    notes += {which, static_cast<char>(sizeof kOfMachine)};
    notes.append(reinterpret_cast<const char*>(&kOfMachine), sizeof kOfMachine);
  };
  add(0, set.key);
  add(1, set.value);
  return notes;
}

}  // namespace transaction

Transaction::Transaction() { batch_.begin(NFNL_MSG_BATCH_BEGIN, 0, transaction::batch_header()); }

void Transaction::begin(uint16_t type, uint16_t flags, const TableName& table) {
  batch_.begin(transaction::type_of(type), flags, transaction::header_of(table.family));
  ++messages_;
}

void Transaction::add_table(const TableName& table) {
  begin(NFT_MSG_NEWTABLE, NLM_F_CREATE, table);
  batch_.text(NFTA_TABLE_NAME, table.name);
  batch_.network32(NFTA_TABLE_FLAGS, 0);
}

void Transaction::delete_table(const TableName& table) {
  begin(NFT_MSG_DELTABLE, 0, table);
  batch_.text(NFTA_TABLE_NAME, table.name);
}

void Transaction::replace_table(const Table& wanted) {
  remove_table(wanted.name);
  add_table(wanted.name);
  for (const FilledSet& filled : wanted.sets) add_set(wanted.name, filled.set);
  for (const Chain& chain : wanted.chains) add_chain(wanted.name, chain);
  for (const Chain& chain : wanted.chains) add_rules(wanted.name, chain);
  for (const FilledSet& filled : wanted.sets) {
    add_elements(wanted.name, filled.set, filled.elements);
  }
}

void Transaction::delete_empty_table(const TableName& table, std::span<const Chain> chains) {
  for (const Chain& chain : chains) {
    begin(NFT_MSG_DELCHAIN, NLM_F_NONREC, table);
    batch_.text(NFTA_CHAIN_TABLE, table.name);
    batch_.text(NFTA_CHAIN_NAME, chain.name);
  }
  begin(NFT_MSG_DELTABLE, NLM_F_NONREC, table);
  batch_.text(NFTA_TABLE_NAME, table.name);
}

void Transaction::remove_table(const TableName& table) {
  // So that there is one to delete.
  add_table(table);
  delete_table(table);
}

void Transaction::add_set(const TableName& table, const Set& set) {
  begin(NFT_MSG_NEWSET, NLM_F_CREATE, table);
  batch_.text(NFTA_SET_TABLE, table.name);
  batch_.text(NFTA_SET_NAME, set.name);
  // Numbers for sets without a name; a name needs one, too.
  batch_.network32(NFTA_SET_ID, static_cast<uint32_t>(messages_));
  batch_.network32(NFTA_SET_FLAGS, set_flags(set));
  batch_.network32(NFTA_SET_KEY_TYPE, type_number(table.family, set.key));
  batch_.network32(NFTA_SET_KEY_LEN, static_cast<uint32_t>(length_of(table.family, set.key)));
  if (set.values == Set::Values::kVerdicts) {
    batch_.network32(NFTA_SET_DATA_TYPE, NFT_DATA_VERDICT);
    batch_.network32(NFTA_SET_DATA_LEN, 0);
  } else if (set.values == Set::Values::kData) {
    batch_.network32(NFTA_SET_DATA_TYPE, type_number(table.family, set.value));
    batch_.network32(NFTA_SET_DATA_LEN, static_cast<uint32_t>(length_of(table.family, set.value)));
  }
  if (set.size > 0) {
    const Batch::Nest description = batch_.nest(NFTA_SET_DESC);
    batch_.network32(NFTA_SET_DESC_SIZE, set.size);
  }
  const std::string notes = transaction::byte_orders(set);
  if (!notes.empty()) batch_.bytes(NFTA_SET_USERDATA, notes);
}

void Transaction::delete_set(const TableName& table, const std::string& set) {
  begin(NFT_MSG_DELSET, 0, table);
  batch_.text(NFTA_SET_TABLE, table.name);
  batch_.text(NFTA_SET_NAME, set);
}

void Transaction::add_chain(const TableName& table, const Chain& chain) {
  begin(NFT_MSG_NEWCHAIN, NLM_F_CREATE, table);
  batch_.text(NFTA_CHAIN_TABLE, table.name);
  batch_.text(NFTA_CHAIN_NAME, chain.name);
  if (!chain.hook) return;
  {
    const Batch::Nest hook = batch_.nest(NFTA_CHAIN_HOOK);
    batch_.network32(NFTA_HOOK_HOOKNUM, static_cast<uint32_t>(chain.hook->point));
    batch_.network32(NFTA_HOOK_PRIORITY, static_cast<uint32_t>(chain.hook->priority));
  }
  batch_.network32(NFTA_CHAIN_POLICY, NF_ACCEPT);
  batch_.text(NFTA_CHAIN_TYPE, chain.hook->type == Hook::Type::kNat ? "nat" : "filter");
}

void Transaction::add_rules(const TableName& table, const Chain& chain) {
  for (const Rule& rule : chain.rules) {
    begin(NFT_MSG_NEWRULE, NLM_F_CREATE | NLM_F_APPEND, table);
    batch_.text(NFTA_RULE_TABLE, table.name);
    batch_.text(NFTA_RULE_CHAIN, chain.name);
    write_expressions(batch_, table.family, rule);
  }
}

void Transaction::flush_chain(const TableName& table, const std::string& chain) {
  begin(NFT_MSG_DELRULE, 0, table);
  batch_.text(NFTA_RULE_TABLE, table.name);
  batch_.text(NFTA_RULE_CHAIN, chain);
}

void Transaction::delete_chain(const TableName& table, const std::string& chain) {
  begin(NFT_MSG_DELCHAIN, 0, table);
  batch_.text(NFTA_CHAIN_TABLE, table.name);
  batch_.text(NFTA_CHAIN_NAME, chain);
}

void Transaction::add_elements(const TableName& table, const Set& set,
                               std::span<const Element> elements) {
  write_elements(NFT_MSG_NEWSETELEM, NLM_F_CREATE, table, set, elements);
}

void Transaction::delete_elements(const TableName& table, const Set& set,
                                  std::span<const Element> elements) {
  write_elements(NFT_MSG_DELSETELEM, 0, table, set, elements);
}

void Transaction::write_elements(uint16_t type, uint16_t flags, const TableName& table,
                                 const Set& set, std::span<const Element> elements) {
  const bool with_value = type == NFT_MSG_NEWSETELEM;
  while (!elements.empty()) {
    begin(type, flags, table);
    batch_.text(NFTA_SET_ELEM_LIST_TABLE, table.name);
    batch_.text(NFTA_SET_ELEM_LIST_SET, set.name);
    const Batch::Nest list = batch_.nest(NFTA_SET_ELEM_LIST_ELEMENTS);
    while (!elements.empty() && list.size() < transaction::kMostBytesOfList) {
      transaction::write_element(batch_, elements.front(), with_value);
      elements = elements.subspan(1);
    }
  }
}

Result<void> Transaction::commit(Socket& socket, const Until& until) && {
  if (empty()) return {};
  batch_.begin(NFNL_MSG_BATCH_END, 0, transaction::batch_header());
  return socket.request(batch_, until);
}

Result<void> check_usable(Socket& socket, Family family, const Until& until) {
  Transaction transaction;
  transaction.remove_table({family, "proa-probe"});
  return std::move(transaction).commit(socket, until);
}

}  // namespace proa::netlink::nft

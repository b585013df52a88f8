#pragma once

#include <span>
#include <string>

#include "netlink/nft/ruleset.h"
#include "netlink/socket.h"

namespace proa::netlink::nft {

// Changes of tables that the kernel makes all at once, or not at all. Order matters: names must
// exist when they are used, and must be unused when they are deleted.
class Transaction {
 public:
  Transaction();

  // No failure if it exists.
  void add_table(const TableName& table);
  // REQUIRES: it exists at that point.
  void delete_table(const TableName& table);
  // No failure if it does not exist.
  void remove_table(const TableName& table);
  // With these chains, if all of it is empty: without rules, sets and other chains. kConflict of
  // the transaction if it is not.
  void delete_empty_table(const TableName& table, std::span<const Chain> chains);
  // The whole table, whatever there was.
  void replace_table(const Table& wanted);

  // No failure if it exists with the same definition.
  void add_set(const TableName& table, const Set& set);

  // With its elements. REQUIRES: no rule refers to it at that point.
  void delete_set(const TableName& table, const std::string& set);

  // Without its rules; no failure if it exists. With add_rules(): so that chains may refer to each
  // other.
  void add_chain(const TableName& table, const Chain& chain);
  void add_rules(const TableName& table, const Chain& chain);
  // Deletes the rules, not the chain.
  void flush_chain(const TableName& table, const std::string& chain);
  // With its rules. REQUIRES: no rule or element leads to it.
  void delete_chain(const TableName& table, const std::string& chain);

  // The kernel refuses an element that exists with another value: delete it first.
  void add_elements(const TableName& table, const Set& set, std::span<const Element> elements);
  void delete_elements(const TableName& table, const Set& set, std::span<const Element> elements);

  // Nothing was added.
  bool empty() const { return messages_ == 0; }
  // Bytes that it takes.
  size_t size() const { return batch_.size(); }

  // Sends all of it, and waits until the kernel has made the changes, or has made none.
  Result<void> commit(Socket& socket, const Until& until) &&;

 private:
  void begin(uint16_t type, uint16_t flags, const TableName& table);
  void write_elements(uint16_t type, uint16_t flags, const TableName& table, const Set& set,
                      std::span<const Element> elements);

  Batch batch_;
  size_t messages_ = 0;
};

// Whether this process may have tables of the family, and the kernel can.
Result<void> check_usable(Socket& socket, Family family, const Until& until);

}  // namespace proa::netlink::nft

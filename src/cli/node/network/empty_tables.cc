#include "cli/node/network/empty_tables.h"

#include <linux/netlink.h>

#include <algorithm>

#include "base/strings.h"
#include "netlink/nft/listing.h"
#include "netlink/nft/transaction.h"

namespace proa::cli {
namespace empty_tables {

namespace nft = netlink::nft;

constexpr Duration kPatience = std::chrono::seconds(30);
constexpr size_t kMaxRecord = 4096;

struct Known {
  nft::TableName table;
  std::string text;
};

std::vector<Known> known_tables() {
  std::vector<Known> all;
  for (const char* name : {"nat", "filter", "mangle"}) {
    all.push_back({{nft::Family::kIp, name}, "ip " + std::string(name)});
    all.push_back({{nft::Family::kIp6, name}, "ip6 " + std::string(name)});
  }
  return all;
}

Result<void> remove_if_empty(netlink::Socket& socket, Clock& clock, const nft::TableName& table) {
  const auto found = TRY(nft::list_table(socket, table, Until::after(clock, kPatience)));
  if (!found || found->drops) return {};
  nft::Transaction transaction;
  transaction.delete_empty_table(table, found->chains);
  auto removed = std::move(transaction).commit(socket, Until::after(clock, kPatience));
  // Somebody has rules there.
  if (removed.is(Reason::kConflict)) return {};
  return removed;
}

}  // namespace empty_tables

Result<void> record_tables(Files& files, Clock& clock, const std::string& record) {
  using namespace empty_tables;  // NOLINT: this unit's own
  if (TRY(files.exists(record))) return {};
  auto socket = netlink::Socket::open(NETLINK_NETFILTER, clock);
  if (!socket.ok()) return {};  // there is no netfilter
  std::string text;
  for (const Known& known : known_tables()) {
    const auto found = nft::list_table(*socket, known.table, Until::after(clock, kPatience));
    // A kernel without nf_tables has none, and will have none.
    if (!found.ok() || found->has_value()) text += known.text + "\n";
  }
  return files.write_file_atomic(record, text, 0644);
}

Result<void> remove_empty_tables(Files& files, Clock& clock, const std::string& record) {
  using namespace empty_tables;  // NOLINT: this unit's own
  const auto text = files.read_file(record, kMaxRecord);
  if (text.is(Reason::kNotFound)) return {};
  if (!text.ok()) return text.status();
  const std::vector<std::string_view> before = split(*text, '\n');
  netlink::Socket socket = TRY(netlink::Socket::open(NETLINK_NETFILTER, clock));
  for (const Known& known : known_tables()) {
    if (std::ranges::find(before, known.text) != before.end()) continue;
    TRY(remove_if_empty(socket, clock, known.table));
  }
  return {};
}

}  // namespace proa::cli

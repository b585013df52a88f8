#include "network/masquerade/masquerade_rules.h"

#include <linux/netlink.h>

#include <algorithm>
#include <utility>

#include "base/log.h"
#include "netlink/nft/listing.h"
#include "netlink/nft/transaction.h"
#include "network/iptables/iptables.h"
#include "network/masquerade/network_rules.h"

namespace proa::network {
namespace masquerade_rules {

namespace nft = netlink::nft;

const Log kLog{"network"};
constexpr Duration kPatience = std::chrono::seconds(30);

nft::Family family_of(bool v6) { return v6 ? nft::Family::kIp6 : nft::Family::kIp; }

}  // namespace masquerade_rules

Result<MasqueradeRules> MasqueradeRules::open(const NetworkOptions& options, Clock& clock) {
  using namespace masquerade_rules;  // NOLINT: this unit's own
  MasqueradeRules rules(options, TRY(netlink::Socket::open(NETLINK_NETFILTER, clock)), clock);
  std::vector<nft::TableName> names;
  for (const bool v6 : {false, true}) {
    const auto usable = nft::check_usable(rules.socket_, family_of(v6), rules.deadline());
    if (!usable.ok()) {
      kLog.info("the kernel has no nf_tables; pods are masqueraded by iptables",
                {{"family", v6 ? "IPv6" : "IPv4"}, {"error", usable.status()}});
      continue;
    }
    rules.tables_.push_back({.v6 = v6});
    names.push_back({family_of(v6), table_name(options)});
  }
  if (!names.empty()) rules.monitor_ = TRY(nft::Monitor::open(std::move(names), clock));
  return rules;
}

Until MasqueradeRules::deadline() const {
  return Until::after(*clock_, masquerade_rules::kPatience);
}

bool MasqueradeRules::has_table(bool v6) const {
  return std::ranges::find(tables_, v6, &FamilyTable::v6) != tables_.end();
}

bool MasqueradeRules::disturbed() {
  if (!monitor_ || !monitor_->disturbed()) return false;
  for (FamilyTable& table : tables_) table.kept.forget();
  return true;
}

Result<void> MasqueradeRules::set(const Masquerade& wanted,
                                  const std::optional<TunnelGuard>& guard) {
  for (FamilyTable& table : tables_) {
    // Without pods of the family there is no table.
    TRY(table.kept.set(socket_, masquerade_table(options_, wanted, table.v6, guard), deadline()));
  }
  TRY(write_by_programs(wanted));
  if (!older_removed_) TRY(remove_older());
  older_removed_ = true;
  return {};
}

Result<void> MasqueradeRules::write_by_programs(const Masquerade& wanted) {
  // It takes a listing of all rules of the machine.
  if (by_programs_ == wanted) return {};
  by_programs_.reset();
  for (const bool v6 : {false, true}) {
    if (!has_table(v6)) TRY(set_masquerade(options_.bridge, wanted, v6, *clock_));
  }
  by_programs_ = wanted;
  return {};
}

Result<bool> MasqueradeRules::has_older(bool v6) {
  using namespace masquerade_rules;  // NOLINT: this unit's own
  // Where iptables(8) keeps its rules in nf_tables.
  const auto found = TRY(nft::list_table(socket_, {family_of(v6), "nat"}, deadline()));
  const std::string chain = masquerade_chain(options_.bridge);
  return has_legacy_table("nat", v6) ||
         (found &&
          std::ranges::find(found->chains, chain, &nft::Chain::name) != found->chains.end());
}

Result<void> MasqueradeRules::remove_older() {
  for (const FamilyTable& table : tables_) {
    if (!TRY(has_older(table.v6))) continue;
    auto removed = set_masquerade(options_.bridge, {}, table.v6, *clock_);
    // Without the program its rules do no harm: they do the same.
    if (!removed.ok() && !removed.is(Reason::kNotFound)) return removed;
  }
  return {};
}

Result<void> MasqueradeRules::remove() {
  netlink::nft::Transaction transaction;
  by_programs_.reset();
  for (FamilyTable& table : tables_) {
    table.kept.forget();
    transaction.remove_table({masquerade_rules::family_of(table.v6), table_name(options_)});
  }
  TRY(std::move(transaction).commit(socket_, deadline()));
  return remove_network_rules(options_.bridge, *clock_);
}

}  // namespace proa::network

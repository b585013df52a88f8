#include "proxy/iptables/iptables_rules.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <utility>

#include "base/log.h"
#include "base/process/spawn.h"
#include "base/strings.h"
#include "proxy/iptables/chains.h"
#include "proxy/iptables/restore_text.h"
#include "proxy/settings.h"

namespace proa::proxy::iptables {
namespace iptables_rules {

const Log kLog{"proxy"};
// The lock of the older kernel interface may be held by others.
constexpr const char* kLockSeconds = "5";
constexpr Duration kTimeout = std::chrono::minutes(2);
constexpr Duration kCheckPeriod = std::chrono::seconds(30);  // as upstream's default syncPeriod
// Rules of a hundred thousand endpoints.
constexpr size_t kMostSaved = size_t{128} << 20;
// Rules of others in a chain of the kernel.
constexpr size_t kMostListed = size_t{4} << 20;
// From here on comments cost more than they help.
constexpr size_t kManyEndpoints = 1000;
constexpr const char* kBeLiberal = "/proc/sys/net/netfilter/nf_conntrack_tcp_be_liberal";
constexpr std::string_view kTables[] = {"filter", "nat", "mangle"};

size_t endpoints_of(const ServicePortPtr& port) {
  return port == nullptr ? 0 : port->reachable_endpoints().size();
}

// Node ports at 127.0.0.1 are answered from other addresses.
void route_localnet() {
  constexpr const char* kPath = "/proc/sys/net/ipv4/conf/all/route_localnet";
  if (read_setting(kPath) == 1) return;
  const Result<void> written = write_setting(kPath, 1);
  if (!written) {
    kLog.warn("node ports at localhost do not work", {{"error", written.status()}});
  } else {
    kLog.info("route_localnet is set, for node ports at localhost");
  }
}

// The tables of one family.
class Tables {
 public:
  Tables(Family family, const Clock& clock) : family_(family), clock_(clock) {}

  Result<Saved> save() const {
    Saved saved;
    saved.filter = TRY(save("filter"));
    saved.nat = TRY(save("nat"));
    saved.mangle = TRY(save("mangle"));
    return saved;
  }

  // Whether there are chains of a proxy. Of all tables at once: naming one would make the kernel
  // load it, with the older interface.
  Result<bool> has_chains() const {
    const Outcome outcome = TRY(run({program("save")}, "", kMostSaved));
    return outcome.exit_code == 0 &&
           outcome.output.find(fmt::format(":{} ", kServices)) != std::string::npos;
  }

  Result<void> restore(const std::string& text) const {
    if (text.empty()) return {};
    const Outcome outcome = TRY(run({program("restore"), "--noflush", "-w", kLockSeconds}, text,
                                    size_t{4} << 10, time_to_restore(text)));
    if (outcome.exit_code == 0) return {};
    return Status(Reason::kInternalError,
                  fmt::format("{}: {}", program("restore"), trim(outcome.output)));
  }

  // False if somebody removed our chains, or what leads to them, as flushing a table does. Upstream
  // looks for its chains only.
  Result<bool> is_reached() const {
    for (const std::string_view table : kTables) {
      if (!TRY(list_chain(table, kCanary))) return false;
    }
    std::map<std::pair<std::string_view, std::string_view>, SavedTable> known;
    for (const Jump& jump : jumps()) {
      const auto [place, is_new] = known.try_emplace({jump.table, jump.from});
      if (is_new) {
        const std::optional<std::string> listed = TRY(list_chain(jump.table, jump.from));
        if (listed) place->second = SavedTable::read(*listed);
      }
      if (!place->second.rules.contains(line_of(jump))) return false;
    }
    return true;
  }

 private:
  // "iptables-save", "ip6tables"
  std::string program(std::string_view what) const {
    return fmt::format("{}{}{}", family_ == Family::kV4 ? "iptables" : "ip6tables",
                       what.empty() ? "" : "-", what);
  }

  Result<Outcome> run(std::vector<std::string> words, std::string_view input, size_t most,
                      Duration timeout = kTimeout) const {
    std::optional<std::string> path = find_program(words[0]);
    if (!path) return Status(Reason::kNotFound, words[0] + " is not installed");
    words[0] = std::move(*path);
    return run_to_end(words, input, clock_, timeout, most);
  }

  // Nullopt if there is no such chain.
  Result<std::optional<std::string>> list_chain(std::string_view table,
                                                std::string_view chain) const {
    Outcome outcome = TRY(
        run({program(""), "-w", kLockSeconds, "-t", std::string(table), "-S", std::string(chain)},
            "", kMostListed));
    if (outcome.exit_code != 0) return std::optional<std::string>();
    return std::optional<std::string>(std::move(outcome.output));
  }

  Result<SavedTable> save(std::string_view table) const {
    const Outcome outcome = TRY(run({program("save"), "-t", std::string(table)}, "", kMostSaved));
    if (outcome.exit_code != 0) {
      return Status(Reason::kInternalError,
                    fmt::format("{}: {}", program("save"), trim(outcome.output)));
    }
    return SavedTable::read(outcome.output);
  }

  const Family family_;
  const Clock& clock_;
};

class IptablesRules final : public Rules {
 public:
  explicit IptablesRules(const Clock& clock)
      : families_{FamilyRules{Family::kV4, {Family::kV4, clock}},
                  FamilyRules{Family::kV6, {Family::kV6, clock}}} {}

  Result<void> replace(const NodeFacts& node, std::span<const ServicePortPtr> all) override {
    node_ = node;
    endpoints_ = 0;
    for (const ServicePortPtr& port : all) endpoints_ += endpoints_of(port);
    if (serves_localhost(node)) route_localnet();
    for (FamilyRules& one : families_) {
      const Result<void> done = replace(one, all);
      one.used = done.ok();
      if (done.ok()) continue;
      const bool needed = std::any_of(all.begin(), all.end(), [&one](const ServicePortPtr& port) {
        return port->family == one.family;
      });
      if (needed || one.family == Family::kV4) return done.status();
      kLog.warn("IPv6 is not available here", {{"error", done.status()}});
    }
    return {};
  }

  Result<void> apply(std::span<const Change> changes) override {
    for (const Change& change : changes) {
      endpoints_ += endpoints_of(change.after);
      endpoints_ -= endpoints_of(change.before);
    }
    for (FamilyRules& one : families_) {
      one.last = {};
      const auto [text, more] = change_text(one.family, node_, changes, options());
      if (text.empty()) continue;
      // The next call, which is replace(), says why it is not available.
      if (!one.used) {
        return Status(Reason::kServiceUnavailable, std::string(name_of(one.family)) + " is off");
      }
      TRY(one.tables.restore(text));
      one.last = rules_in(text);
      one.total.filter += more.filter;
      one.total.nat += more.nat;
    }
    return {};
  }

  Result<void> remove() override {
    Result<void> outcome;
    for (const FamilyRules& one : families_) {
      const Result<Saved> saved = one.tables.save();
      if (!saved) {
        if (one.family == Family::kV4) outcome = saved.status();
        continue;
      }
      const Result<void> removed = one.tables.restore(removal_text(*saved));
      if (!removed) outcome = removed;
    }
    return outcome;
  }

  std::vector<TableRules> counts() const override {
    std::vector<TableRules> all;
    for (const FamilyRules& one : families_) {
      if (!one.used) continue;
      all.push_back({one.family, "filter", one.total.filter, one.last.filter});
      all.push_back({one.family, "nat", one.total.nat, one.last.nat});
    }
    return all;
  }

  Duration check_period() const override { return kCheckPeriod; }

  bool disturbed() override {
    return std::any_of(families_.begin(), families_.end(), [](const FamilyRules& one) {
      if (!one.used) return false;
      const Result<bool> there = one.tables.is_reached();
      return there.ok() && !*there;
    });
  }

 private:
  struct FamilyRules {
    Family family;
    Tables tables;
    bool used = false;
    RuleCounts total = {};
    RuleCounts last = {};
  };

  RuleOptions options() const {
    return {.comments = endpoints_ <= kManyEndpoints,
            .drop_invalid = read_setting(kBeLiberal).value_or(0) == 0};
  }

  Result<void> replace(FamilyRules& one, std::span<const ServicePortPtr> all) const {
    const Saved saved = TRY(one.tables.save());
    const std::string text = whole_text(one.family, node_, all, options(), saved);
    TRY(one.tables.restore(text));
    one.total = one.last = rules_in(text);
    return {};
  }

  NodeFacts node_;
  size_t endpoints_ = 0;
  std::array<FamilyRules, 2> families_;
};

}  // namespace iptables_rules

Result<void> check_programs() {
  for (const char* program : {"iptables", "iptables-save", "iptables-restore"}) {
    if (find_program(program)) continue;
    return Status(Reason::kNotFound,
                  fmt::format("{} is not installed; install the package iptables", program));
  }
  return {};
}

std::unique_ptr<Rules> make_rules(const Clock& clock) {
  return std::make_unique<iptables_rules::IptablesRules>(clock);
}

Result<bool> remove_chains(const Clock& clock) {
  if (!check_programs()) return false;
  bool found = false;
  for (const Family family : {Family::kV4, Family::kV6}) {
    const Result<bool> has = iptables_rules::Tables(family, clock).has_chains();
    if (!has && !has.is(Reason::kNotFound)) return has.status();
    if (has.ok() && *has) found = true;
  }
  if (found) TRY(iptables_rules::IptablesRules(clock).remove());
  return found;
}

}  // namespace proa::proxy::iptables

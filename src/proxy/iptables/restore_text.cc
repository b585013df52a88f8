#include "proxy/iptables/restore_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <map>

#include "base/strings.h"
#include "proxy/iptables/chains.h"

namespace proa::proxy::iptables {
namespace restore_text {

constexpr Duration kLeastTime = std::chrono::minutes(2);
// With tens of thousands of chains the program needs half a millisecond for each line when it has a
// processor to itself.
constexpr Duration kTimeOfLine = std::chrono::milliseconds(20);

// The commands for one table, in the order that iptables-restore needs.
class Table {
 public:
  explicit Table(std::string_view name) : name_(name) {}

  // Creates the chain, or empties it.
  void declare(std::string_view chain) { chains_ += fmt::format(":{} - [0:0]\n", chain); }
  void append(std::string_view line) { rules_ += fmt::format("-A {}\n", line); }
  void insert(std::string_view line) { rules_ += fmt::format("-I {}\n", line); }
  void erase(std::string_view line) { erased_ += fmt::format("-D {}\n", line); }
  // REQUIRES: no rule leads to it in the end.
  void remove(std::string_view chain) {
    declare(chain);
    removed_ += fmt::format("-X {}\n", chain);
  }
  void replace(const Chain& chain) {
    declare(chain.name);
    for (const Line& line : chain.lines) append(line);
  }

  std::string text() const {
    const std::string all = chains_ + erased_ + rules_ + removed_;
    return all.empty() ? "" : fmt::format("*{}\n{}COMMIT\n", name_, all);
  }

 private:
  const std::string_view name_;
  std::string chains_;
  std::string erased_;
  std::string rules_;
  std::string removed_;
};

void declare_shared(std::string_view name, const SavedTable& saved, Table& table) {
  for (const std::string_view chain : shared_chains(name)) table.declare(chain);
  for (const Jump& jump : jumps()) {
    const std::string line = line_of(jump);
    if (jump.table == name && !saved.rules.contains(line)) table.insert(line);
  }
}

// Lines of `from` that `other` has not.
template <typename Use>
void difference(const std::vector<Line>& from, const std::vector<Line>& other, Use use) {
  for (const Line& line : from) {
    if (std::find(other.begin(), other.end(), line) == other.end()) use(line);
  }
}

const Chain* find(const std::vector<Chain>& chains, std::string_view name) {
  for (const Chain& chain : chains) {
    if (chain.name == name) return &chain;
  }
  return nullptr;
}

void change_chains(const std::vector<Chain>& before, const std::vector<Chain>& after, Table& nat) {
  for (const Chain& chain : after) {
    const Chain* known = find(before, chain.name);
    if (known == nullptr || *known != chain) nat.replace(chain);
  }
  for (const Chain& chain : before) {
    if (find(after, chain.name) == nullptr) nat.remove(chain.name);
  }
}

void change_shared(const std::vector<Line>& before, const std::vector<Line>& after, Table& table) {
  difference(before, after, [&table](const Line& line) { table.erase(line); });
  difference(after, before, [&table](const Line& line) { table.insert(line); });
}

void add_counts(const PortRules& rules, int64_t sign, RuleCounts& counts) {
  counts.filter += sign * std::ssize(rules.filter);
  counts.nat += sign * std::ssize(rules.nat);
  for (const Chain& chain : rules.chains) counts.nat += sign * std::ssize(chain.lines);
}

void remove_ours(std::string_view name, const SavedTable& saved, Table& table) {
  const bool keeps_firewall = saved.chains.contains(kKubeletCanary);
  const auto stays = [keeps_firewall](std::string_view text) {
    return keeps_firewall && text.ends_with(kFirewall) && !text.ends_with(kProxyFirewall);
  };
  for (const Jump& jump : jumps()) {
    const std::string line = line_of(jump);
    if (jump.table == name && saved.rules.contains(line) && !stays(line)) table.erase(line);
  }
  const std::span<const std::string_view> shared = shared_chains(name);
  for (const std::string& chain : saved.chains) {
    const bool ours = std::find(shared.begin(), shared.end(), chain) != shared.end();
    if ((ours && !stays(chain)) || (name == "nat" && is_port_chain(chain))) table.remove(chain);
  }
}

}  // namespace restore_text

SavedTable SavedTable::read(std::string_view text) {
  SavedTable saved;
  for (const std::string_view line : split(text, '\n')) {
    if (line.starts_with(":")) {
      saved.chains.emplace(line.substr(1, line.find(' ') - 1));
    } else if (line.starts_with("-A ") && !line.starts_with("-A KUBE-")) {
      saved.rules.emplace(trim(line.substr(3)));
    }
  }
  return saved;
}

std::string whole_text(Family family, const NodeFacts& node, std::span<const ServicePortPtr> ports,
                       const RuleOptions& options, const Saved& saved) {
  restore_text::Table filter("filter");
  restore_text::Table nat("nat");
  restore_text::Table mangle("mangle");
  restore_text::declare_shared("filter", saved.filter, filter);
  restore_text::declare_shared("nat", saved.nat, nat);
  restore_text::declare_shared("mangle", saved.mangle, mangle);
  const SharedRules shared = shared_rules(family, node, options);
  for (const Line& line : shared.filter) filter.append(line);
  for (const Line& line : shared.nat) nat.append(line);
  std::set<std::string, std::less<>> stale = saved.nat.chains;
  for (const ServicePortPtr& port : ports) {
    if (port->family != family) continue;
    const PortRules rules = port_rules(*port, node, options);
    for (const Line& line : rules.filter) filter.append(line);
    for (const Line& line : rules.nat) nat.append(line);
    for (const Chain& chain : rules.chains) {
      nat.replace(chain);
      stale.erase(chain.name);
    }
  }
  for (const Line& line : shared.last_nat) nat.append(line);
  for (const std::string& chain : stale) {
    if (is_port_chain(chain)) nat.remove(chain);
  }
  return filter.text() + nat.text() + mangle.text();
}

RuleCounts rules_in(std::string_view text) {
  RuleCounts counts;
  std::string_view table;
  for (const std::string_view line : split(text, '\n')) {
    if (line.starts_with("*")) table = line.substr(1);
    if (!line.starts_with("-A ") && !line.starts_with("-I KUBE-")) continue;
    if (table == "filter") ++counts.filter;
    if (table == "nat") ++counts.nat;
  }
  return counts;
}

ChangeText change_text(Family family, const NodeFacts& node, std::span<const Change> changes,
                       const RuleOptions& options) {
  restore_text::Table filter("filter");
  restore_text::Table nat("nat");
  RuleCounts more;
  for (const Change& change : changes) {
    const ServicePort& any = change.after == nullptr ? *change.before : *change.after;
    if (any.family != family) continue;
    const auto rules_of = [&](const ServicePortPtr& port) {
      return port == nullptr ? PortRules() : port_rules(*port, node, options);
    };
    const PortRules before = rules_of(change.before);
    const PortRules after = rules_of(change.after);
    restore_text::change_shared(before.filter, after.filter, filter);
    restore_text::change_shared(before.nat, after.nat, nat);
    restore_text::change_chains(before.chains, after.chains, nat);
    restore_text::add_counts(after, 1, more);
    restore_text::add_counts(before, -1, more);
  }
  return {.text = filter.text() + nat.text(), .more = more};
}

Duration time_to_restore(std::string_view text) {
  const auto lines = std::count(text.begin(), text.end(), '\n');
  return restore_text::kLeastTime + lines * restore_text::kTimeOfLine;
}

std::string removal_text(const Saved& saved) {
  restore_text::Table filter("filter");
  restore_text::Table nat("nat");
  restore_text::Table mangle("mangle");
  restore_text::remove_ours("filter", saved.filter, filter);
  restore_text::remove_ours("nat", saved.nat, nat);
  restore_text::remove_ours("mangle", saved.mangle, mangle);
  return filter.text() + nat.text() + mangle.text();
}

}  // namespace proa::proxy::iptables

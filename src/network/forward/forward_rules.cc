#include "network/forward/forward_rules.h"

#include <linux/netfilter/nfnetlink.h>
#include <linux/netlink.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <system_error>
#include <utility>

#include "base/process/spawn.h"
#include "netlink/nft/listing.h"
#include "network/iptables/iptables.h"

namespace proa::network {
namespace forward_rules {

namespace nft = netlink::nft;

constexpr Duration kPatience = std::chrono::seconds(30);
constexpr const char* kTable = "filter";

nft::Family family_of(bool v6) { return v6 ? nft::Family::kIp6 : nft::Family::kIp; }

// Whether it is the chain that iptables(8) has in nf_tables.
bool is_of_iptables(const nft::ForwardChain& chain, bool v6, Hook hook) {
  return chain.family == static_cast<uint8_t>(family_of(v6)) && chain.table == kTable &&
         chain.name == hook_name(hook);
}
bool is_of_iptables(const nft::ForwardChain& chain) {
  return std::ranges::any_of(std::array{Hook::kForward, Hook::kInput}, [&](Hook hook) {
    return is_of_iptables(chain, false, hook) || is_of_iptables(chain, true, hook);
  });
}

// "iptables-nft-save", or "iptables-save" where only that is installed and of the right kind: the
// older one would make a table by looking for it.
std::string program_of(bool v6, bool legacy, const std::string& action) {
  const std::string family = v6 ? "ip6tables" : "iptables";
  std::string exact = family + (legacy ? "-legacy-" : "-nft-") + action;
  if (find_program(exact)) return exact;
  std::string plain = family + "-" + action;
  const auto found = find_program(plain);
  if (!found) return exact;
  std::error_code failed;
  const std::string real = std::filesystem::canonical(*found, failed).filename();
  const bool is_nft = real.find("nft") != std::string::npos;  // xtables-nft-multi
  return is_nft == legacy ? exact : plain;
}

// Whether a chain has something to accept.
bool has_family(const Forwarding& wanted, bool v6, Hook hook) {
  const bool asks = std::ranges::any_of(
      wanted.dns, [&](const IpAddress& address) { return address.is_v4() != v6; });
  if (hook == Hook::kInput && !asks) return false;
  return std::ranges::find(wanted.own, v6, &IpPrefix::v6) != wanted.own.end();
}

Result<std::string> save(bool v6, bool legacy, Hook hook, const Clock& clock) {
  const std::string program = program_of(v6, legacy, "save");
  std::string saved = TRY(run_iptables(program, kTable, "", clock));
  if (has_hook(saved, hook)) return saved;
  return Status(Reason::kNotFound, program + " does not show the chain " +
                                       std::string(hook_name(hook)) + ", which is there");
}

}  // namespace forward_rules

ForwardRules::ForwardRules(const NetworkOptions& options, netlink::Socket socket,
                           netlink::Socket listener, Clock& clock)
    : options_(options),
      socket_(std::move(socket)),
      listener_(std::move(listener)),
      clock_(&clock),
      backends_{Backend{.v6 = false, .legacy = false, .hook = Hook::kForward},
                Backend{.v6 = true, .legacy = false, .hook = Hook::kForward},
                Backend{.v6 = false, .legacy = true, .hook = Hook::kForward},
                Backend{.v6 = true, .legacy = true, .hook = Hook::kForward},
                Backend{.v6 = false, .legacy = false, .hook = Hook::kInput},
                Backend{.v6 = true, .legacy = false, .hook = Hook::kInput},
                Backend{.v6 = false, .legacy = true, .hook = Hook::kInput},
                Backend{.v6 = true, .legacy = true, .hook = Hook::kInput}} {}

Result<ForwardRules> ForwardRules::open(const NetworkOptions& options, Clock& clock) {
  netlink::Socket socket = TRY(netlink::Socket::open(NETLINK_NETFILTER, clock));
  netlink::Socket listener =
      TRY(netlink::Socket::listen(NETLINK_NETFILTER, {NFNLGRP_NFTABLES}, clock));
  // Rules of ours in other tables do not matter here.
  TRY(listener.ignore_own_process());
  ForwardRules rules(options, std::move(socket), std::move(listener), clock);
  // A kernel without nf_tables has none to list.
  rules.usable_ = netlink::nft::list_forward_chains(rules.socket_, rules.deadline()).ok();
  return rules;
}

Until ForwardRules::deadline() const { return Until::after(*clock_, forward_rules::kPatience); }

bool ForwardRules::disturbed() {
  const std::string forward = own_chain(options_.bridge, Hook::kForward);
  const std::string input = own_chain(options_.bridge, Hook::kInput);
  bool seen = false;
  const auto look = [&](const netlink::Message& message) -> Result<void> {
    seen = seen || netlink::nft::concerns_forwarding(message, chains_) ||
           netlink::nft::deletes_from_chain(message, forward) ||
           netlink::nft::deletes_from_chain(message, input);
    return {};
  };
  const bool lost = !listener_.receive(Until::after(*clock_, Duration(0)), look).ok();
  stale_ = stale_ || seen || lost;
  return seen || lost;
}

bool ForwardRules::has_unreported() {
  return has_legacy_table(forward_rules::kTable, false) ||
         has_legacy_table(forward_rules::kTable, true);
}

bool ForwardRules::in_use(const Backend& backend) const {
  if (backend.legacy) return has_legacy_table(forward_rules::kTable, backend.v6);
  return std::ranges::any_of(chains_, [&](const netlink::nft::ForwardChain& chain) {
    return forward_rules::is_of_iptables(chain, backend.v6, backend.hook);
  });
}

Result<std::vector<std::string>> ForwardRules::set(const Forwarding& wanted) {
  const bool look = std::exchange(stale_, true);
  if (look && usable_) {
    chains_ = TRY(netlink::nft::list_forward_chains(socket_, deadline()));
  }
  for (Backend& backend : backends_) {
    const bool current = !look && !backend.legacy && backend.written == wanted;
    if (current && backend.failed.empty()) continue;
    backend.failed.clear();
    if (!in_use(backend)) continue;
    const auto written = write(backend, wanted);
    if (!written.ok()) backend.failed = written.status().message();
  }
  stale_ = false;
  return warnings(wanted);
}

Result<void> ForwardRules::write(Backend& backend, const Forwarding& wanted) {
  using namespace forward_rules;  // NOLINT: this unit's own
  // Rules of a family without pods are removed, if there are any.
  if (!has_family(wanted, backend.v6, backend.hook) && !TRY(has_chain(backend))) return {};
  const std::string saved = TRY(save(backend.v6, backend.legacy, backend.hook, *clock_));
  const std::string_view known = backend.written == wanted ? backend.known : std::string_view();
  const std::string text =
      forward_text(saved, options_.bridge, wanted, backend.v6, known, backend.hook);
  if (text.empty()) {
    backend.written = wanted;
    return {};
  }
  TRY(run_iptables(program_of(backend.v6, backend.legacy, "restore"), kTable, text, *clock_));
  // Rules that are printed otherwise than they were written must not be written again and again.
  const std::string after = TRY(save(backend.v6, backend.legacy, backend.hook, *clock_));
  backend.known = own_rules_of(after, options_.bridge, backend.hook);
  backend.written = wanted;
  return {};
}

std::vector<std::string> ForwardRules::warnings(const Forwarding& wanted) const {
  using namespace forward_rules;  // NOLINT: this unit's own
  std::vector<std::string> all;
  for (const Backend& backend : backends_) {
    if (backend.failed.empty() || !has_family(wanted, backend.v6, backend.hook)) continue;
    const bool dns = backend.hook == Hook::kInput;
    all.push_back(std::string("packets of pods ") + (dns ? "to DNS " : "") +
                  "are not accepted in the chain " + std::string(hook_name(backend.hook)) + " of " +
                  (backend.v6 ? "ip6tables" : "iptables") +
                  ", which may drop them: " + backend.failed);
  }
  for (const nft::ForwardChain& chain : chains_) {
    std::string warning = warning_about(chain, wanted);
    if (!warning.empty()) all.push_back(std::move(warning));
  }
  return all;
}

std::string ForwardRules::warning_about(const netlink::nft::ForwardChain& chain,
                                        const Forwarding& wanted) const {
  using namespace forward_rules;  // NOLINT: this unit's own
  const Hook hook = chain.input ? Hook::kInput : Hook::kForward;
  const bool passed = (chain.is_for(false) && has_family(wanted, false, hook)) ||
                      (chain.is_for(true) && has_family(wanted, true, hook));
  const bool elsewhere = !chain.devices.empty() &&
                         std::ranges::find(chain.devices, options_.bridge) == chain.devices.end();
  if (is_of_iptables(chain) || !passed || elsewhere || !chain.drops) return {};
  if (hook == Hook::kForward) {
    return "the firewall drops forwarded packets unless a rule accepts them (nf_tables chain " +
           chain.str() + "); have it accept packets from and to the pod ranges of all nodes, by " +
           options_.bridge + ", " + options_.tunnel + " and the links between nodes";
  }
  std::string addresses;
  for (const IpAddress& address : wanted.dns) {
    addresses += (addresses.empty() ? "" : " and ") + address.str();
  }
  return "the firewall drops packets to this machine unless a rule accepts them (nf_tables chain " +
         chain.str() + "), so pods may have no DNS; have it accept port 53 (UDP and TCP) at " +
         addresses + " by " + options_.bridge;
}

Result<bool> ForwardRules::has_chain(const Backend& backend) {
  using namespace forward_rules;  // NOLINT: this unit's own
  if (backend.legacy) return has_legacy_table(kTable, backend.v6);
  if (!usable_) return false;
  const auto table = TRY(nft::list_table(socket_, {family_of(backend.v6), kTable}, deadline()));
  return table && std::ranges::find(table->chains, own_chain(options_.bridge, backend.hook),
                                    &nft::Chain::name) != table->chains.end();
}

Result<void> ForwardRules::remove() {
  using namespace forward_rules;  // NOLINT: this unit's own
  stale_ = true;
  for (Backend& backend : backends_) {
    backend.written = {};
    if (!TRY(has_chain(backend))) continue;
    const auto saved = save(backend.v6, backend.legacy, backend.hook, *clock_);
    // Without the program of the older kind it cannot have been written either.
    if (!saved.ok() && backend.legacy) continue;
    if (!saved.ok()) return saved.status();
    const std::string text =
        forward_text(*saved, options_.bridge, {}, backend.v6, {}, backend.hook);
    if (text.empty()) continue;
    TRY(run_iptables(program_of(backend.v6, backend.legacy, "restore"), kTable, text, *clock_));
  }
  return {};
}

}  // namespace proa::network

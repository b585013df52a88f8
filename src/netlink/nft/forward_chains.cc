#include "netlink/nft/forward_chains.h"

// Before the kernel's headers, which then leave out what both define.
#include <arpa/inet.h>
#include <netinet/in.h>

#include <linux/netfilter.h>
#include <linux/netfilter/nf_tables.h>
#include <linux/netfilter/nfnetlink.h>

#include <algorithm>
#include <optional>

namespace proa::netlink::nft {

namespace forward_chains {

constexpr uint16_t type_of(uint16_t message) {
  return static_cast<uint16_t>(NFNL_SUBSYS_NFTABLES << 8 | message);
}

nfgenmsg header_of(uint8_t family) {
  return {.nfgen_family = family, .version = NFNETLINK_V0, .res_id = 0};
}

std::string_view family_name(uint8_t family) {
  switch (family) {
    case NFPROTO_INET:
      return "inet";
    case NFPROTO_IPV4:
      return "ip";
    case NFPROTO_IPV6:
      return "ip6";
    case NFPROTO_BRIDGE:
      return "bridge";
    case NFPROTO_NETDEV:
      return "netdev";
    default:
      return {};
  }
}

// Whether packets from elsewhere pass the chain. Hooks of bridges have the same numbers
// (NF_BR_FORWARD). Chains for NAT see the first packet of a connection only, and are not where
// firewalls filter.
bool is_passed(uint8_t family, const Attributes& chain) {
  const Attribute hook = chain.find(NFTA_CHAIN_HOOK);
  if (!hook || chain.find(NFTA_CHAIN_TYPE).text() != "filter") return false;
  const auto point = hook.nested().find(NFTA_HOOK_HOOKNUM).network_number();
  if (family == NFPROTO_NETDEV) return point == NF_NETDEV_INGRESS;
  return point == NF_INET_PRE_ROUTING || point == NF_INET_LOCAL_IN || point == NF_INET_FORWARD ||
         point == NF_INET_POST_ROUTING || (family == NFPROTO_INET && point == NF_INET_INGRESS);
}

bool is_input(uint8_t family, const Attributes& chain) {
  return family != NFPROTO_NETDEV &&
         chain.find(NFTA_CHAIN_HOOK).nested().find(NFTA_HOOK_HOOKNUM).network_number() ==
             NF_INET_LOCAL_IN;
}

std::vector<std::string> devices_of(const Attributes& chain) {
  const Attributes hook = chain.find(NFTA_CHAIN_HOOK).nested();
  std::vector<std::string> names;
  for (const Attribute& one : hook.find(NFTA_HOOK_DEVS).nested()) {
    names.emplace_back(one.text());
  }
  // Older kernels have one link only.
  const Attribute single = hook.find(NFTA_HOOK_DEV);
  if (names.empty() && single) names.emplace_back(single.text());
  return names;
}

// What a rule does with every packet.
struct Step {
  enum class Kind : uint8_t { kNone, kDrop, kAccept, kReturn, kJump, kGoto };
  Kind kind = Kind::kNone;
  std::string chain = {};  // of kJump and kGoto
};

Step step_of_verdict(const Attributes& verdict) {
  const auto code = verdict.find(NFTA_VERDICT_CODE).network_number();
  if (!code) return {};
  switch (static_cast<int32_t>(*code)) {
    case NF_DROP:
      return {Step::Kind::kDrop};
    case NF_ACCEPT:
      return {Step::Kind::kAccept};
    case NFT_RETURN:
      return {Step::Kind::kReturn};
    case NFT_JUMP:
      return {Step::Kind::kJump, std::string(verdict.find(NFTA_VERDICT_CHAIN).text())};
    case NFT_GOTO:
      return {Step::Kind::kGoto, std::string(verdict.find(NFTA_VERDICT_CHAIN).text())};
    default:
      return {};
  }
}

// None for rules with conditions: all expressions but a few are.
Step step_of(const Attributes& rule) {
  Step step;
  for (const Attribute& one : rule.find(NFTA_RULE_EXPRESSIONS).nested()) {
    const Attributes expression = one.nested();
    const std::string_view name = expression.find(NFTA_EXPR_NAME).text();
    if (name == "reject") {
      step = {Step::Kind::kDrop};
    } else if (name == "immediate") {
      const Attributes data =
          expression.find(NFTA_EXPR_DATA).nested().find(NFTA_IMMEDIATE_DATA).nested();
      if (step.kind == Step::Kind::kNone) {
        step = step_of_verdict(data.find(NFTA_DATA_VERDICT).nested());
      }
    } else if (name != "counter" && name != "log") {
      return {};
    }
  }
  return step;
}

// Follows rules without conditions from a base chain to the first that decides.
class Walk {
 public:
  enum class End : uint8_t { kDrops, kAccepts, kFalls };  // kFalls: the policy decides

  Walk(Socket& socket, const Until& until, const ForwardChain& chain)
      : socket_(socket), until_(until), family_(chain.family), table_(chain.table) {}

  Result<End> end_of(const std::string& chain) {
    // One that was passed before did not decide.
    if (std::ranges::find(passed_, chain) != passed_.end()) return End::kFalls;
    if (passed_.size() == kMostChains) return End::kFalls;
    passed_.push_back(chain);
    const std::vector<Step> steps = TRY(steps_of(chain));
    for (const Step& step : steps) {
      if (step.kind == Step::Kind::kDrop) return End::kDrops;
      if (step.kind == Step::Kind::kAccept) return End::kAccepts;
      if (step.kind == Step::Kind::kReturn) return End::kFalls;
      const End end = TRY(end_of(step.chain));
      if (end != End::kFalls || step.kind == Step::Kind::kGoto) return end;
    }
    return End::kFalls;
  }

  // Without the base chain.
  std::vector<std::string> passed() && {
    if (!passed_.empty()) passed_.erase(passed_.begin());
    return std::move(passed_);
  }

 private:
  // The kernel refuses more than 16 jumps in a row. Firewalls with more chains side by side are not
  // followed further: each is a request to the kernel.
  static constexpr size_t kMostChains = 64;

  Result<std::vector<Step>> steps_of(const std::string& chain) {
    Batch batch;
    batch.begin(type_of(NFT_MSG_GETRULE), NLM_F_DUMP, header_of(family_));
    batch.text(NFTA_RULE_TABLE, table_);
    batch.text(NFTA_RULE_CHAIN, chain);
    std::vector<Step> steps;
    const auto take = [&](const Message& message) -> Result<void> {
      const Attributes rule = message.attributes<nfgenmsg>();
      // Older kernels send the rules of more than was asked for.
      if (rule.find(NFTA_RULE_TABLE).text() != table_ ||
          rule.find(NFTA_RULE_CHAIN).text() != chain) {
        return {};
      }
      Step step = step_of(rule);
      if (step.kind != Step::Kind::kNone) steps.push_back(std::move(step));
      return {};
    };
    const auto listed = dump_again(
        socket_, batch, until_, [&] { steps.clear(); }, take);
    if (listed.is(Reason::kNotFound)) return std::vector<Step>();  // it is gone
    TRY(listed);
    return steps;
  }

  Socket& socket_;
  const Until& until_;
  const uint8_t family_;
  const std::string table_;
  std::vector<std::string> passed_;
};

// REQUIRES: `drops` is that of the policy.
Result<void> look_at_rules(Socket& socket, ForwardChain& chain, const Until& until) {
  Walk walk(socket, until, chain);
  const Walk::End end = TRY(walk.end_of(chain.name));
  if (end != Walk::End::kFalls) chain.drops = end == Walk::End::kDrops;
  chain.leads_to = std::move(walk).passed();
  return {};
}

// What a notification is about; nullopt if it is not about nf_tables.
struct Subject {
  uint16_t message = 0;
  uint8_t family = 0;
  Attributes attributes = {};
};

std::optional<Subject> subject_of(const Message& notification) {
  const auto header = notification.fixed<nfgenmsg>();
  if (!header || notification.header.nlmsg_type >> 8 != NFNL_SUBSYS_NFTABLES) return std::nullopt;
  return Subject{.message = static_cast<uint16_t>(notification.header.nlmsg_type & 0xff),
                 .family = header->nfgen_family,
                 .attributes = notification.attributes<nfgenmsg>()};
}

bool is_one_of(std::span<const ForwardChain> known, uint8_t family, std::string_view table,
               std::string_view chain) {
  return std::ranges::any_of(known, [&](const ForwardChain& one) {
    return one.family == family && one.table == table &&
           (one.name == chain || std::ranges::find(one.leads_to, chain) != one.leads_to.end());
  });
}

}  // namespace forward_chains

std::string ForwardChain::str() const {
  return std::string(forward_chains::family_name(family)) + " " + table + " " + name;
}

bool ForwardChain::is_for(bool v6) const { return family != (v6 ? NFPROTO_IPV4 : NFPROTO_IPV6); }

Result<std::vector<ForwardChain>> list_forward_chains(Socket& socket, const Until& until) {
  using namespace forward_chains;  // NOLINT: this unit's own
  std::vector<ForwardChain> chains;
  Batch batch;
  batch.begin(type_of(NFT_MSG_GETCHAIN), NLM_F_DUMP, header_of(NFPROTO_UNSPEC));
  const auto take = [&](const Message& message) -> Result<void> {
    const auto header = message.fixed<nfgenmsg>();
    const Attributes chain = message.attributes<nfgenmsg>();
    if (!header || family_name(header->nfgen_family).empty()) return {};
    if (!is_passed(header->nfgen_family, chain)) return {};
    const Attribute policy = chain.find(NFTA_CHAIN_POLICY);
    chains.push_back({.family = header->nfgen_family,
                      .table = std::string(chain.find(NFTA_CHAIN_TABLE).text()),
                      .name = std::string(chain.find(NFTA_CHAIN_NAME).text()),
                      .drops = policy && policy.network_number() == NF_DROP,
                      .input = is_input(header->nfgen_family, chain),
                      .devices = devices_of(chain)});
    return {};
  };
  TRY(dump_again(
      socket, batch, until, [&] { chains.clear(); }, take));
  for (ForwardChain& chain : chains) {
    TRY(look_at_rules(socket, chain, until));
  }
  return chains;
}

bool concerns_forwarding(const Message& notification, std::span<const ForwardChain> known) {
  using namespace forward_chains;  // NOLINT: this unit's own
  const auto subject = subject_of(notification);
  if (!subject) return false;
  const Attributes& about = subject->attributes;
  switch (subject->message) {
    case NFT_MSG_DELTABLE:
      return std::ranges::any_of(known, [&](const ForwardChain& one) {
        return one.family == subject->family && one.table == about.find(NFTA_TABLE_NAME).text();
      });
    case NFT_MSG_NEWCHAIN:
      return is_passed(subject->family, about);
    case NFT_MSG_DELCHAIN:
      return is_one_of(known, subject->family, about.find(NFTA_CHAIN_TABLE).text(),
                       about.find(NFTA_CHAIN_NAME).text());
    case NFT_MSG_NEWRULE:
    case NFT_MSG_DELRULE:
      return is_one_of(known, subject->family, about.find(NFTA_RULE_TABLE).text(),
                       about.find(NFTA_RULE_CHAIN).text());
    default:
      return false;
  }
}

bool deletes_from_chain(const Message& notification, std::string_view chain) {
  const auto subject = forward_chains::subject_of(notification);
  if (!subject) return false;
  if (subject->message == NFT_MSG_DELCHAIN) {
    return subject->attributes.find(NFTA_CHAIN_NAME).text() == chain;
  }
  return subject->message == NFT_MSG_DELRULE &&
         subject->attributes.find(NFTA_RULE_CHAIN).text() == chain;
}

}  // namespace proa::netlink::nft

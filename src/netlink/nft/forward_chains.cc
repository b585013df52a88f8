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
    default:
      return {};
  }
}

// Hooks of bridges have the same numbers (NF_BR_FORWARD).
bool is_at_forward(const Attributes& chain) {
  const Attribute hook = chain.find(NFTA_CHAIN_HOOK);
  return hook && hook.nested().find(NFTA_HOOK_HOOKNUM).network_number() == NF_INET_FORWARD;
}

bool is_drop(const Attributes& immediate) {
  const Attribute verdict = immediate.find(NFTA_IMMEDIATE_DATA)
                                .nested()
                                .find(NFTA_DATA_VERDICT)
                                .nested()
                                .find(NFTA_VERDICT_CODE);
  return verdict && verdict.network_number() == NF_DROP;
}

// Whether a rule drops or rejects every packet.
bool drops_all(const Attributes& rule) {
  bool drops = false;
  for (const Attribute& one : rule.find(NFTA_RULE_EXPRESSIONS).nested()) {
    const Attributes expression = one.nested();
    const std::string_view name = expression.find(NFTA_EXPR_NAME).text();
    if (name == "reject") {
      drops = true;
    } else if (name == "immediate") {
      drops = drops || is_drop(expression.find(NFTA_EXPR_DATA).nested());
    } else if (name != "counter" && name != "log") {
      return false;
    }
  }
  return drops;
}

Result<bool> ends_with_drop(Socket& socket, const ForwardChain& chain, const Until& until) {
  Batch batch;
  batch.begin(type_of(NFT_MSG_GETRULE), NLM_F_DUMP, header_of(chain.family));
  batch.text(NFTA_RULE_TABLE, chain.table);
  batch.text(NFTA_RULE_CHAIN, chain.name);
  bool drops = false;
  const auto take = [&](const Message& message) -> Result<void> {
    const Attributes rule = message.attributes<nfgenmsg>();
    // Older kernels send the rules of more than was asked for.
    if (rule.find(NFTA_RULE_TABLE).text() == chain.table &&
        rule.find(NFTA_RULE_CHAIN).text() == chain.name) {
      drops = drops_all(rule);
    }
    return {};
  };
  const auto listed = dump_again(
      socket, batch, until, [&] { drops = false; }, take);
  if (listed.is(Reason::kNotFound)) return false;  // it is gone
  TRY(listed);
  return drops;
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
    return one.family == family && one.table == table && one.name == chain;
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
    if (!header || family_name(header->nfgen_family).empty() || !is_at_forward(chain)) return {};
    const Attribute policy = chain.find(NFTA_CHAIN_POLICY);
    chains.push_back({.family = header->nfgen_family,
                      .table = std::string(chain.find(NFTA_CHAIN_TABLE).text()),
                      .name = std::string(chain.find(NFTA_CHAIN_NAME).text()),
                      .drops = policy && policy.network_number() == NF_DROP});
    return {};
  };
  TRY(dump_again(
      socket, batch, until, [&] { chains.clear(); }, take));
  for (ForwardChain& chain : chains) {
    if (!chain.drops) chain.drops = TRY(ends_with_drop(socket, chain, until));
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
      return is_at_forward(about);
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

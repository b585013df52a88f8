#include "netlink/nft/listing.h"

// Before the kernel's headers, which then leave out what both define.
#include <arpa/inet.h>
#include <netinet/in.h>

#include <linux/netfilter.h>
#include <linux/netfilter/nf_tables.h>
#include <linux/netfilter/nfnetlink.h>

#include <utility>

#include "netlink/nft/set_types.h"

namespace proa::netlink::nft {

namespace listing {

constexpr uint16_t type_of(uint16_t message) {
  return static_cast<uint16_t>(NFNL_SUBSYS_NFTABLES << 8 | message);
}

nfgenmsg header_of(Family family) {
  return {.nfgen_family = static_cast<uint8_t>(family), .version = NFNETLINK_V0, .res_id = 0};
}

uint32_t number_in(const Attributes& attributes, uint16_t type) {
  return static_cast<uint32_t>(attributes.find(type).network_number().value_or(0));
}

// All kinds of objects name their table in their first attribute.
constexpr uint16_t kTableAttribute = 1;
static_assert(NFTA_TABLE_NAME == kTableAttribute && NFTA_CHAIN_TABLE == kTableAttribute &&
              NFTA_RULE_TABLE == kTableAttribute && NFTA_SET_TABLE == kTableAttribute &&
              NFTA_SET_ELEM_LIST_TABLE == kTableAttribute && NFTA_OBJ_TABLE == kTableAttribute &&
              NFTA_FLOWTABLE_TABLE == kTableAttribute);

std::optional<Set> read_set(Family family, const Attributes& attributes) {
  Set set;
  set.name = attributes.find(NFTA_SET_NAME).text();
  const uint32_t flags = number_in(attributes, NFTA_SET_FLAGS);
  const auto key = types_of_number(family, number_in(attributes, NFTA_SET_KEY_TYPE));
  if (!key || length_of(family, *key) != number_in(attributes, NFTA_SET_KEY_LEN)) {
    return std::nullopt;
  }
  set.key = *key;
  if ((flags & NFT_SET_MAP) != 0) {
    const uint32_t type = number_in(attributes, NFTA_SET_DATA_TYPE);
    set.values = type == NFT_DATA_VERDICT ? Set::Values::kVerdicts : Set::Values::kData;
    if (set.values == Set::Values::kData) {
      const auto value = types_of_number(family, type);
      if (!value || length_of(family, *value) != number_in(attributes, NFTA_SET_DATA_LEN)) {
        return std::nullopt;
      }
      set.value = *value;
    }
  }
  set.ranges = (flags & NFT_SET_INTERVAL) != 0;
  set.dynamic = (flags & NFT_SET_EVAL) != 0;
  set.size = number_in(attributes.find(NFTA_SET_DESC).nested(), NFTA_SET_DESC_SIZE);
  if (set_flags(set) != flags) return std::nullopt;
  return set;
}

Chain read_chain(const Attributes& attributes) {
  Chain chain;
  chain.name = attributes.find(NFTA_CHAIN_NAME).text();
  const Attribute hook = attributes.find(NFTA_CHAIN_HOOK);
  if (!hook) return chain;
  const Attributes nested = hook.nested();
  chain.hook = Hook{
      .type =
          attributes.find(NFTA_CHAIN_TYPE).text() == "nat" ? Hook::Type::kNat : Hook::Type::kFilter,
      .point = static_cast<Hook::Point>(number_in(nested, NFTA_HOOK_HOOKNUM)),
      .priority = static_cast<int32_t>(number_in(nested, NFTA_HOOK_PRIORITY)),
  };
  return chain;
}

std::optional<Verdict::Kind> verdict_of(int32_t code) {
  switch (code) {
    case NF_ACCEPT:
      return Verdict::Kind::kAccept;
    case NF_DROP:
      return Verdict::Kind::kDrop;
    case NFT_RETURN:
      return Verdict::Kind::kReturn;
    case NFT_JUMP:
      return Verdict::Kind::kJump;
    case NFT_GOTO:
      return Verdict::Kind::kGoto;
    default:
      return std::nullopt;
  }
}

Element read_element(const Attributes& attributes) {
  Element element;
  element.key = attributes.find(NFTA_SET_ELEM_KEY).nested().find(NFTA_DATA_VALUE).bytes();
  element.ends_range =
      (number_in(attributes, NFTA_SET_ELEM_FLAGS) & NFT_SET_ELEM_INTERVAL_END) != 0;
  const Attribute data = attributes.find(NFTA_SET_ELEM_DATA);
  if (!data) return element;
  const Attribute verdict = data.nested().find(NFTA_DATA_VERDICT);
  if (!verdict) {
    element.value = Data(data.nested().find(NFTA_DATA_VALUE).bytes());
    return element;
  }
  const Attributes nested = verdict.nested();
  const auto kind = verdict_of(static_cast<int32_t>(number_in(nested, NFTA_VERDICT_CODE)));
  if (kind) {
    element.value = Verdict{*kind, std::string(nested.find(NFTA_VERDICT_CHAIN).text())};
  }
  return element;
}

// Objects of one kind in a table, whatever the kernel sends besides.
template <typename Take>
Result<void> dump_objects(Socket& socket, const TableName& table, uint16_t type, const Until& until,
                          const std::function<void()>& begin, Take take) {
  Batch batch;
  batch.begin(type_of(type), NLM_F_DUMP, header_of(table.family));
  batch.text(kTableAttribute, table.name);
  return dump_again(socket, batch, until, begin, [&](const Message& message) -> Result<void> {
    const Attributes attributes = message.attributes<nfgenmsg>();
    if (is_about(message, table)) take(attributes);
    return {};
  });
}

}  // namespace listing

Result<std::optional<TableListing>> list_table(Socket& socket, const TableName& table,
                                               const Until& until) {
  TableListing found;
  const auto take_set = [&](const Attributes& attributes) {
    auto set = listing::read_set(table.family, attributes);
    if (set) {
      found.sets.push_back(std::move(*set));
    } else {
      found.foreign_sets.emplace_back(attributes.find(NFTA_SET_NAME).text());
    }
  };
  const auto sets = listing::dump_objects(
      socket, table, NFT_MSG_GETSET, until, [&] { found = {}; }, take_set);
  if (sets.is(Reason::kNotFound)) return std::optional<TableListing>();
  TRY(sets);
  TRY(listing::dump_objects(
      socket, table, NFT_MSG_GETCHAIN, until, [&] { found.chains.clear(); },
      [&](const Attributes& attributes) {
        found.chains.push_back(listing::read_chain(attributes));
        const Attribute policy = attributes.find(NFTA_CHAIN_POLICY);
        found.drops = found.drops || (policy && policy.network_number() != NF_ACCEPT);
      }));
  return std::optional<TableListing>(std::move(found));
}

Result<std::vector<Element>> list_elements(Socket& socket, const TableName& table, const Set& set,
                                           const Until& until) {
  std::vector<Element> elements;
  Batch batch;
  batch.begin(listing::type_of(NFT_MSG_GETSETELEM), NLM_F_DUMP, listing::header_of(table.family));
  batch.text(NFTA_SET_ELEM_LIST_TABLE, table.name);
  batch.text(NFTA_SET_ELEM_LIST_SET, set.name);
  TRY(dump_again(
      socket, batch, until, [&] { elements.clear(); },
      [&](const Message& message) -> Result<void> {
        const Attributes attributes = message.attributes<nfgenmsg>();
        for (const Attribute& one : attributes.find(NFTA_SET_ELEM_LIST_ELEMENTS).nested()) {
          elements.push_back(listing::read_element(one.nested()));
        }
        return {};
      }));
  return elements;
}

bool is_about(const Message& notification, const TableName& table) {
  const auto header = notification.fixed<nfgenmsg>();
  if (!header || header->nfgen_family != static_cast<uint8_t>(table.family)) return false;
  if (notification.header.nlmsg_type >> 8 != NFNL_SUBSYS_NFTABLES) return false;
  const Attributes attributes = notification.attributes<nfgenmsg>();
  return attributes.find(listing::kTableAttribute).text() == table.name;
}

}  // namespace proa::netlink::nft

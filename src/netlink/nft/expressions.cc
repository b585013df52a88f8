#include "netlink/nft/expressions.h"

// Before the kernel's headers, which then leave out what both define.
#include <arpa/inet.h>
#include <netinet/in.h>

#include <linux/if.h>
#include <linux/if_ether.h>
#include <linux/netfilter.h>
#include <linux/netfilter/nf_conntrack_common.h>
#include <linux/netfilter/nf_conntrack_tuple_common.h>
#include <linux/netfilter/nf_nat.h>
#include <linux/netfilter/nf_tables.h>
#include <linux/rtnetlink.h>

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include "base/check.h"
#include "netlink/nft/fields.h"

namespace proa::netlink::nft {

namespace expressions {

// The kernel's registers, of four bytes each.
using Register = uint32_t;
constexpr Register kFirst = NFT_REG32_00;
constexpr Register kLast = NFT_REG32_15;
constexpr uint32_t kPortUnreachable4 = 3;  // ICMP_PORT_UNREACH
constexpr uint32_t kPortUnreachable6 = 4;  // ICMPV6_PORT_UNREACH
constexpr uint32_t kTcpFlagsOffset = 13;
constexpr uint8_t kSyn = 2;
constexpr uint32_t kEtherTypeOffset = 12;
constexpr uint32_t kHopLimitOffset = 7;
// Addresses 01:80:c2:00:00:00 to 0f.
constexpr std::string_view kLinkConstrained("\x01\x80\xc2\x00\x00\x00", 6);
constexpr std::string_view kLinkConstrainedMask("\xff\xff\xff\xff\xff\xf0", 6);
// In the header of VXLAN, behind that of UDP.
constexpr uint32_t kVxlanIdOffset = 12;
constexpr uint32_t kVxlanIdLength = 3;

// Of a number that lives as long as the expression that it is written to.
template <typename Number>
std::string_view view_of(const Number& number) {
  return {reinterpret_cast<const char*>(&number), sizeof number};
}

uint32_t words_of(Family family, Field field) {
  return static_cast<uint32_t>(length_of(family, {type_of(field)}) / sizeof(uint32_t));
}

class Writer {
 public:
  Writer(Batch& batch, Family family) : batch_(batch), family_(family) {}

  void write(const Verdict& verdict) {
    expression("immediate", [&] {
      batch_.network32(NFTA_IMMEDIATE_DREG, NFT_REG_VERDICT);
      const Batch::Nest data = batch_.nest(NFTA_IMMEDIATE_DATA);
      write_verdict(batch_, verdict);
    });
  }

  void write(const MatchNewConnection&) { any_bit_of_ct(NFT_CT_STATE, NF_CT_STATE_BIT(IP_CT_NEW)); }

  void write(const MatchKnownConnection&) {
    any_bit_of_ct(NFT_CT_STATE,
                  NF_CT_STATE_BIT(IP_CT_ESTABLISHED) | NF_CT_STATE_BIT(IP_CT_RELATED));
  }

  void write(const MatchTcpWithoutSyn&) {
    match_protocol(IPPROTO_TCP);
    payload({NFT_PAYLOAD_TRANSPORT_HEADER, kTcpFlagsOffset, 1}, kFirst);
    bitwise(kFirst, view_of(kSyn), view_of(uint8_t{0}));
    compare(kFirst, NFT_CMP_EQ, view_of(uint8_t{0}));
  }

  void write(const MatchPorts& match) {
    match_protocol(match.protocol);
    if (match.first == 0 && match.last == UINT16_MAX) return;
    payload({NFT_PAYLOAD_TRANSPORT_HEADER, kDestinationPortOffset, 2}, kFirst);
    const uint16_t first = htons(match.first);
    const uint16_t last = htons(match.last);
    if (first == last) return compare(kFirst, NFT_CMP_EQ, view_of(first));
    compare(kFirst, NFT_CMP_GTE, view_of(first));
    compare(kFirst, NFT_CMP_LTE, view_of(last));
  }

  void write(const MatchIcmp6& match) {
    match_ether_type(ETH_P_IPV6);
    match_protocol(IPPROTO_ICMPV6);
    payload({NFT_PAYLOAD_TRANSPORT_HEADER, 0, 1}, kFirst);
    if (match.first == match.last) return compare(kFirst, NFT_CMP_EQ, view_of(match.first));
    compare(kFirst, NFT_CMP_GTE, view_of(match.first));
    compare(kFirst, NFT_CMP_LTE, view_of(match.last));
  }

  void write(const MatchNoIcmp6&) {
    meta_load(NFT_META_L4PROTO, kFirst);
    compare(kFirst, NFT_CMP_NEQ, view_of(uint8_t{IPPROTO_ICMPV6}));
  }

  void write(const MatchEtherType& match) { match_ether_type(match.type); }

  void write(const MatchLinkConstrained&) {
    payload({NFT_PAYLOAD_LL_HEADER, 0, 6}, kFirst);
    bitwise(kFirst, kLinkConstrainedMask, std::string(kLinkConstrained.size(), '\0'));
    compare(kFirst, NFT_CMP_EQ, kLinkConstrained);
  }

  void write(const MatchGroupMac&) {
    constexpr std::string_view kGroup("\x01\x00\x00\x00\x00\x00", 6);
    payload({NFT_PAYLOAD_LL_HEADER, 0, 6}, kFirst);
    bitwise(kFirst, kGroup, std::string(kGroup.size(), '\0'));
    compare(kFirst, NFT_CMP_EQ, kGroup);
  }

  void write(const MatchHopLimit& match) {
    payload({NFT_PAYLOAD_NETWORK_HEADER, kHopLimitOffset, 1}, kFirst);
    compare(kFirst, NFT_CMP_EQ, view_of(match.hops));
  }

  void write(const MatchDnat&) { any_bit_of_ct(NFT_CT_STATUS, IPS_DST_NAT); }

  void write(const MatchPrefix& match) {
    const unsigned all_bits = match.prefix.v6 ? 128 : 32;
    const IpAddress base = match.prefix.base();
    Range range = range_of(family_, match.field);
    const std::string_view address(
        reinterpret_cast<const char*>(base.bytes.data()) + (16 - range.length), range.length);
    match_ether_type(ether_type_of(match.field));
    const unsigned bits = match.prefix.bits;
    const auto op = match.negated ? NFT_CMP_NEQ : NFT_CMP_EQ;
    if (bits > 0 && bits % 8 == 0) {
      // As nft does: only the bytes that matter are loaded.
      range.length = bits / 8;
      payload(range, kFirst);
      compare(kFirst, op, address.substr(0, range.length));
      return;
    }
    CHECK(bits <= all_bits);
    payload(range, kFirst);
    std::array<char, 16> mask{};
    for (unsigned bit = 0; bit < bits; ++bit) {
      mask[bit / 8] = static_cast<char>(static_cast<uint8_t>(mask[bit / 8]) | (0x80U >> bit % 8));
    }
    bitwise(kFirst, {mask.data(), range.length}, std::string(range.length, '\0'));
    compare(kFirst, op, address);
  }

  void write(const MatchSet& match) {
    load(match.key, kFirst);
    lookup(match.set, kFirst, std::nullopt, match.negated);
  }

  void write(const MatchLocalAddress& match) {
    expression("fib", [&] {
      batch_.network32(NFTA_FIB_DREG, kFirst);
      batch_.network32(NFTA_FIB_RESULT, NFT_FIB_RESULT_ADDRTYPE);
      batch_.network32(NFTA_FIB_FLAGS,
                       match.field == Field::kSource ? NFTA_FIB_F_SADDR : NFTA_FIB_F_DADDR);
    });
    compare(kFirst, NFT_CMP_EQ, view_of(uint32_t{RTN_LOCAL}));
  }

  void write(const MatchVxlan& match) {
    match_protocol(IPPROTO_UDP);
    payload({NFT_PAYLOAD_TRANSPORT_HEADER, kDestinationPortOffset, 2}, kFirst);
    compare(kFirst, NFT_CMP_EQ, view_of(htons(match.port)));
    payload({NFT_PAYLOAD_TRANSPORT_HEADER, kVxlanIdOffset, kVxlanIdLength}, kFirst);
    const uint32_t ordered = htonl(match.id);
    compare(kFirst, NFT_CMP_EQ, view_of(ordered).substr(sizeof ordered - kVxlanIdLength));
  }

  void write(const MatchInput& match) {
    std::array<char, IFNAMSIZ> name{};
    CHECK(match.name.size() < name.size());
    std::ranges::copy(match.name, name.begin());
    meta_load(NFT_META_IIFNAME, kFirst);
    compare(kFirst, match.negated ? NFT_CMP_NEQ : NFT_CMP_EQ, {name.data(), name.size()});
  }

  void write(const MatchMark& match) {
    meta_load(NFT_META_MARK, kFirst);
    bitwise(kFirst, view_of(match.bits), view_of(uint32_t{0}));
    compare(kFirst, NFT_CMP_NEQ, view_of(uint32_t{0}));
  }

  void write(const SetMark& set) { change_mark(~set.bits, set.bits); }

  void write(const ToggleMark& toggle) { change_mark(~uint32_t{0}, toggle.bits); }

  void write(const VerdictOf& verdict) {
    load(verdict.lookup.key, kFirst);
    lookup(verdict.lookup.map, kFirst, NFT_REG_VERDICT, false);
  }

  void write(const SetClass& set) {
    load(set.lookup.key, kFirst);
    lookup(set.lookup.map, kFirst, kFirst, false);
    meta_store(NFT_META_PRIORITY, kFirst);
  }

  void write(const VerdictOfClass& verdict) {
    write(SetClass{verdict.lookup});
    meta_load(NFT_META_PRIORITY, kFirst);
    lookup(verdict.verdicts, kFirst, NFT_REG_VERDICT, false);
  }

  void write(const ClearClass&) {
    expression("immediate", [&] {
      batch_.network32(NFTA_IMMEDIATE_DREG, kFirst);
      data(NFTA_IMMEDIATE_DATA, view_of(uint32_t{0}));
    });
    meta_store(NFT_META_PRIORITY, kFirst);
  }

  void write(const Dnat& dnat) {
    load(dnat.lookup.key, kFirst);
    lookup(dnat.lookup.map, kFirst, kFirst, false);
    expression("nat", [&] {
      batch_.network32(NFTA_NAT_TYPE, NFT_NAT_DNAT);
      batch_.network32(NFTA_NAT_FAMILY, static_cast<uint32_t>(family_));
      batch_.network32(NFTA_NAT_REG_ADDR_MIN, kFirst);
      batch_.network32(NFTA_NAT_REG_PROTO_MIN, kFirst + words_of(family_, Field::kDestination));
    });
  }

  void write(const Masquerade&) {
    expression("masq", [&] { batch_.network32(NFTA_MASQ_FLAGS, NF_NAT_RANGE_PROTO_RANDOM_FULLY); });
  }

  void write(const Reject&) {
    expression("reject", [&] {
      batch_.network32(NFTA_REJECT_TYPE, NFT_REJECT_ICMP_UNREACH);
      batch_.number(
          NFTA_REJECT_ICMP_CODE,
          static_cast<uint8_t>(family_ == Family::kIp6 ? kPortUnreachable6 : kPortUnreachable4));
    });
  }

  void write(const RejectTcp&) {
    meta_load(NFT_META_L4PROTO, kFirst);
    // The whole register: nft would not list a comparison of one byte in front of a reset.
    compare(kFirst, NFT_CMP_EQ, view_of(uint32_t{IPPROTO_TCP}));
    expression("reject", [&] {
      batch_.network32(NFTA_REJECT_TYPE, NFT_REJECT_TCP_RST);
      batch_.number(NFTA_REJECT_ICMP_CODE, uint8_t{0});
    });
  }

  void write(const Remember& remember) {
    const Register value = kFirst + words_of_key(remember.key);
    load(remember.key, kFirst);
    load(remember.value, value);
    expression("dynset", [&] {
      batch_.text(NFTA_DYNSET_SET_NAME, remember.map);
      batch_.network32(NFTA_DYNSET_OP, NFT_DYNSET_OP_UPDATE);
      batch_.network32(NFTA_DYNSET_SREG_KEY, kFirst);
      batch_.network32(NFTA_DYNSET_SREG_DATA, value);
      batch_.network64(NFTA_DYNSET_TIMEOUT, uint64_t{remember.seconds} * 1000);
    });
  }

 private:
  template <typename Body>
  void expression(std::string_view name, Body body) {
    const Batch::Nest element = batch_.nest(NFTA_LIST_ELEM);
    batch_.text(NFTA_EXPR_NAME, name);
    const Batch::Nest data = batch_.nest(NFTA_EXPR_DATA);
    body();
  }

  void data(uint16_t type, std::string_view bytes) {
    const Batch::Nest nest = batch_.nest(type);
    batch_.bytes(NFTA_DATA_VALUE, bytes);
  }

  void payload(const Range& range, Register into) {
    expression("payload", [&] {
      batch_.network32(NFTA_PAYLOAD_DREG, into);
      batch_.network32(NFTA_PAYLOAD_BASE, range.base);
      batch_.network32(NFTA_PAYLOAD_OFFSET, range.offset);
      batch_.network32(NFTA_PAYLOAD_LEN, range.length);
    });
  }

  void meta_load(uint32_t key, Register into) {
    expression("meta", [&] {
      batch_.network32(NFTA_META_DREG, into);
      batch_.network32(NFTA_META_KEY, key);
    });
  }

  void match_protocol(uint8_t protocol) {
    meta_load(NFT_META_L4PROTO, kFirst);
    compare(kFirst, NFT_CMP_EQ, view_of(protocol));
  }

  // Once per rule. Other families have one only.
  void match_ether_type(uint16_t type) {
    if (family_ != Family::kBridge || type == 0 || std::exchange(ether_type_, type) == type) return;
    payload({NFT_PAYLOAD_LL_HEADER, kEtherTypeOffset, 2}, kFirst);
    compare(kFirst, NFT_CMP_EQ, view_of(htons(type)));
  }

  void meta_store(uint32_t key, Register from) {
    expression("meta", [&] {
      batch_.network32(NFTA_META_SREG, from);
      batch_.network32(NFTA_META_KEY, key);
    });
  }

  void change_mark(uint32_t mask, uint32_t flipped) {
    meta_load(NFT_META_MARK, kFirst);
    bitwise(kFirst, view_of(mask), view_of(flipped));
    meta_store(NFT_META_MARK, kFirst);
  }

  // From the first packet of the connection.
  void original(uint32_t key, Register into) {
    expression("ct", [&] {
      batch_.network32(NFTA_CT_DREG, into);
      batch_.network32(NFTA_CT_KEY, key);
      batch_.number(NFTA_CT_DIRECTION, static_cast<uint8_t>(IP_CT_DIR_ORIGINAL));
    });
  }

  void any_bit_of_ct(uint32_t key, uint32_t bits) {
    expression("ct", [&] {
      batch_.network32(NFTA_CT_DREG, kFirst);
      batch_.network32(NFTA_CT_KEY, key);
    });
    bitwise(kFirst, view_of(bits), view_of(uint32_t{0}));
    compare(kFirst, NFT_CMP_NEQ, view_of(uint32_t{0}));
  }

  // In place: (register & mask) ^ flipped.
  void bitwise(Register both, std::string_view mask, std::string_view flipped) {
    expression("bitwise", [&] {
      batch_.network32(NFTA_BITWISE_SREG, both);
      batch_.network32(NFTA_BITWISE_DREG, both);
      batch_.network32(NFTA_BITWISE_LEN, static_cast<uint32_t>(mask.size()));
      data(NFTA_BITWISE_MASK, mask);
      data(NFTA_BITWISE_XOR, flipped);
    });
  }

  void compare(Register with, uint32_t op, std::string_view bytes) {
    expression("cmp", [&] {
      batch_.network32(NFTA_CMP_SREG, with);
      batch_.network32(NFTA_CMP_OP, op);
      data(NFTA_CMP_DATA, bytes);
    });
  }

  void lookup(const std::string& set, Register key, std::optional<Register> value, bool negated) {
    expression("lookup", [&] {
      batch_.text(NFTA_LOOKUP_SET, set);
      batch_.network32(NFTA_LOOKUP_SREG, key);
      if (value) batch_.network32(NFTA_LOOKUP_DREG, *value);
      if (negated) batch_.network32(NFTA_LOOKUP_FLAGS, NFT_LOOKUP_F_INV);
    });
  }

  uint32_t words_of_key(const Key& key) const {
    uint32_t words = key.random_below == 0 ? 0 : 1;
    for (const Field field : key.fields) words += words_of(family_, field);
    return words;
  }

  void load(const Key& key, Register into) {
    CHECK(into + words_of_key(key) <= kLast + 1);
    for (const Field field : key.fields) match_ether_type(ether_type_of(field));
    for (const Field field : key.fields) {
      if (field == Field::kInput) {
        meta_load(NFT_META_IIFNAME, into);
      } else if (field == Field::kOutput) {
        meta_load(NFT_META_OIFNAME, into);
      } else if (field == Field::kProtocol) {
        meta_load(NFT_META_L4PROTO, into);
      } else if (field == Field::kClass) {
        meta_load(NFT_META_PRIORITY, into);
      } else if (field == Field::kOriginalDestination) {
        original(family_ == Family::kIp6 ? NFT_CT_DST_IP6 : NFT_CT_DST_IP, into);
      } else if (field == Field::kOriginalDestinationPort) {
        original(NFT_CT_PROTO_DST, into);
      } else {
        payload(range_of(family_, field), into);
      }
      into += words_of(family_, field);
    }
    if (key.random_below == 0) return;
    expression("numgen", [&] {
      batch_.network32(NFTA_NG_DREG, into);
      batch_.network32(NFTA_NG_MODULUS, key.random_below);
      batch_.network32(NFTA_NG_TYPE, NFT_NG_RANDOM);
      batch_.network32(NFTA_NG_OFFSET, 0);
    });
  }

  Batch& batch_;
  Family family_;
  uint16_t ether_type_ = 0;  // that the rule asks for already
};

int32_t code_of(Verdict::Kind kind) {
  switch (kind) {
    case Verdict::Kind::kAccept:
      return NF_ACCEPT;
    case Verdict::Kind::kDrop:
      return NF_DROP;
    case Verdict::Kind::kReturn:
      return NFT_RETURN;
    case Verdict::Kind::kJump:
      return NFT_JUMP;
    case Verdict::Kind::kGoto:
      return NFT_GOTO;
  }
  return NF_DROP;
}

}  // namespace expressions

void write_expressions(Batch& batch, Family family, const Rule& rule) {
  const Batch::Nest list = batch.nest(NFTA_RULE_EXPRESSIONS);
  expressions::Writer writer(batch, family);
  for (const Statement& statement : rule) {
    std::visit([&](const auto& one) { writer.write(one); }, statement);
  }
}

void write_verdict(Batch& batch, const Verdict& verdict) {
  const Batch::Nest nest = batch.nest(NFTA_DATA_VERDICT);
  batch.network32(NFTA_VERDICT_CODE, static_cast<uint32_t>(expressions::code_of(verdict.kind)));
  if (!verdict.chain.empty()) batch.text(NFTA_VERDICT_CHAIN, verdict.chain);
}

}  // namespace proa::netlink::nft

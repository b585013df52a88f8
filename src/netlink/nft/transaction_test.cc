#include "netlink/nft/transaction.h"

#include <gtest/gtest.h>
#include <linux/netlink.h>

#include <array>
#include <string>
#include <vector>

#include "netlink/nft/listing.h"
#include "netlink/nft/print.h"
#include "testkit/netlink/namespace_test_base.h"
#include "testkit/netlink/nft_text.h"

namespace proa::netlink::nft {
namespace {

const Key kPlace{{Field::kDestination, Field::kProtocol, Field::kDestinationPort}};
const Key kClient{{Field::kSource, Field::kDestination, Field::kProtocol, Field::kDestinationPort}};

const Key kOriginal{
    {Field::kOriginalDestination, Field::kProtocol, Field::kOriginalDestinationPort}};
const Key kOriginalClient{{Field::kSource, Field::kOriginalDestination, Field::kProtocol,
                           Field::kOriginalDestinationPort}};

const Key kClientOfClass{{Field::kSource, Field::kClass}};

Key one_of(uint32_t count) {
  Key key = kPlace;
  key.random_below = count;
  return key;
}

IpPrefix prefix(const char* text) { return parse_prefix(text).value(); }

IpAddress ip(const char* text) { return parse_ip(text).value(); }

// Adjacent ones, single addresses, and those without an end.
std::vector<Element> ranges_of(bool v6) {
  std::vector<Element> all;
  for (const char* text :
       v6 ? std::vector{"fd00::/64", "fd00:0:0:1::/64", "fd01::1/128", "ff00::/8"}
          : std::vector{"10.244.255.0/24", "10.245.0.0/24", "10.0.0.1/32", "10.3.4.0/23",
                        "128.0.0.0/1"}) {
    for (Element& one : range_elements(prefix(text))) all.push_back(std::move(one));
  }
  return all;
}

std::vector<FilledSet> all_sets(bool v6) {
  using enum Type;
  const std::vector<Type> place = {kAddress, kProtocol, kPort};
  const std::vector<Type> endpoint = {kAddress, kPort};
  const IpAddress service = ip(v6 ? "fd00::1" : "10.0.0.1");
  const IpAddress pod = ip(v6 ? "fd00::2:1" : "10.1.0.1");
  const auto key = [&] { return KeyWriter().address(service).protocol(6).port(80); };
  const Data value = KeyWriter().address(pod).port(8080).take();
  return {
      {{"addresses", {kAddress}}, {{KeyWriter().address(service).take()}}},
      {{"verdicts", place, Set::Values::kVerdicts},
       {{key().take(), Verdict{Verdict::Kind::kGoto, "pick"}},
        {KeyWriter().address(service).protocol(132).port(53).take(),
         Verdict{Verdict::Kind::kDrop}}}},
      {{"endpoints", {kAddress, kProtocol, kPort, kMark}, Set::Values::kData, endpoint},
       {{key().mark(0).take(), value}, {key().mark(1).take(), value}}},
      {{.name = "ranges", .key = {kAddress}, .ranges = true}, ranges_of(v6)},
      {{"members", {kAddress, kProtocol, kPort, kAddress, kPort}},
       {{key().address(pod).port(8080).take()}}},
      {{"affinity",
        {kAddress, kAddress, kProtocol, kPort},
        Set::Values::kData,
        endpoint,
        true,
        1000},
       {}},
      {{"numbers", place, Set::Values::kData, {kClass}},
       {{key().take(), KeyWriter().number(0x1a2b3c4d).take()}}},
      {{"clients", {kAddress, kClass}, Set::Values::kData, endpoint, true, 1000}, {}},
  };
}

std::vector<Chain> all_chains(bool v6) {
  const MapLookup pick{one_of(2), "endpoints"};
  const MapLookup remembered{kClient, "affinity"};
  const Verdict accept{};
  const Verdict drop{Verdict::Kind::kDrop};
  const IpPrefix whole_bytes = prefix(v6 ? "fd00::/16" : "10.1.0.0/16");
  const IpPrefix some_bits = prefix(v6 ? "fd00::/20" : "10.240.0.0/12");
  const IpPrefix one = prefix(v6 ? "::1/128" : "127.0.0.1/32");
  using enum Hook::Point;
  return {
      {"before", Hook{Hook::Type::kFilter, kPrerouting, -110}, {}},
      {"in", Hook{Hook::Type::kFilter, kInput, 0}, {{MatchNewConnection{}, drop}}},
      {"through", Hook{Hook::Type::kFilter, kForward, 5}, {}},
      {"out", Hook{Hook::Type::kNat, kOutput, -100}, {{Verdict{Verdict::Kind::kJump, "pick"}}}},
      {"after",
       Hook{Hook::Type::kNat, kPostrouting, 100},
       {{MatchMark{0x4000}, ToggleMark{0x4000}, Masquerade{}},
        {MatchDnat{}, MatchSet{kPlace, "members_of", false}, Masquerade{}}}},
      {"pick", {}, {{Dnat{pick}}}},
      {"sticky",
       {},
       {{VerdictOf{{kOriginal, "verdicts"}}},
        {Remember{kOriginalClient, "affinity", 10800,
                  Key{{Field::kDestination, Field::kDestinationPort}}}},
        {Dnat{remembered}}}},
      {"classed",
       {},
       {{SetClass{{kPlace, "numbers"}}},
        {Remember{kClientOfClass, "clients", 60,
                  Key{{Field::kDestination, Field::kDestinationPort}}}},
        {Dnat{{kClientOfClass, "clients"}}},
        {ClearClass{}}}},
      {"matches",
       {},
       {{MatchSet{Key{{Field::kDestination}}, "addresses", false}, accept},
        {MatchSet{Key{{Field::kDestination}}, "addresses", true}, drop},
        {MatchSet{Key{{Field::kDestination}}, "ranges", true}, drop},
        {MatchPrefix{Field::kSource, whole_bytes, false}, accept},
        {MatchPrefix{Field::kSource, some_bits, true}, accept},
        {MatchPrefix{Field::kDestination, one, true}, accept},
        {MatchVxlan{4789, 244}, drop},
        {MatchVxlan{8472, 0xfedcba}, accept},
        {MatchLocalAddress{Field::kSource}, SetMark{0x4000}},
        {MatchLocalAddress{Field::kDestination}, Verdict{Verdict::Kind::kReturn}},
        {VerdictOf{{kPlace, "verdicts"}}}}},
      {"reject", {}, {{RejectTcp{}}, {Reject{}}}},
      {"ports",
       {},
       {{MatchKnownConnection{}, accept},
        {MatchNewConnection{}, MatchTcpWithoutSyn{}, drop},
        {MatchPorts{6, 80, 80}, accept},
        {MatchPorts{17, 8000, 9000}, accept},
        {MatchPorts{132, 1, 65535}, accept},
        {MatchPorts{132}, accept},
        {MatchInput{"proa0"}, drop}}},
  };
}

Table whole_table(Family family) {
  const bool v6 = family == Family::kIp6;
  Table table{{family, "proa-test"}, all_sets(v6), all_chains(v6)};
  if (v6) table.chains.back().rules.push_back({MatchIcmp6{133, 137}, Verdict{}});
  // A set that only one rule uses.
  table.sets.push_back({{"members_of", {Type::kAddress, Type::kProtocol, Type::kPort}}, {}});
  return table;
}

// What frames are asked for.
Table bridge_table() {
  using enum Type;
  using Kind = Verdict::Kind;
  const auto mac = [](uint8_t last) { return std::array<uint8_t, 6>{2, 0, 0, 0, 0xab, last}; };
  const auto key = [&] { return KeyWriter().link("veth0123abcd").mac(mac(1)); };
  const Verdict drop{Kind::kDrop};
  const auto own = [](Field hardware, Field address, const char* set) {
    return MatchSet{Key{{Field::kInput, hardware, address}}, set};
  };
  return {{Family::kBridge, "proa-test"},
          {{{"ports", {kLink}, Set::Values::kVerdicts},
            {{KeyWriter().link("veth0123abcd").take(), Verdict{Kind::kGoto, "pod"}},
             {KeyWriter().link("a-link-of-15-by").take(), Verdict{Kind::kGoto, "tags"}}}},
           {{"links", {kLink}}, {{KeyWriter().link("veth0123abcd").take()}}},
           {{"all", {kAddress}}, {{KeyWriter().address(ip("10.244.1.255")).take()}}},
           {{"own4", {kLink, kMac, kAddress}}, {{key().address(ip("10.244.1.7")).take()}}},
           {{"own6", {kLink, kMac, kAddress6}}, {{key().address(ip("fd01::7")).take()}}}},
          {{"prerouting",
            Hook{Hook::Type::kFilter, Hook::Point::kPrerouting, -400},
            {{VerdictOf{{Key{{Field::kInput}}, "ports"}}}}},
           {"input",
            Hook{Hook::Type::kFilter, Hook::Point::kInput, -400},
            {{MatchLinkConstrained{}, MatchSet{Key{{Field::kInput}}, "links"}, drop}}},
           {"postrouting",
            Hook{Hook::Type::kFilter, Hook::Point::kPostrouting, 400},
            {{MatchSet{Key{{Field::kOutput}}, "links"}, Verdict{Kind::kGoto, "tags"}},
             {MatchSet{Key{{Field::kOutput, Field::kMacDestination, Field::kDestination}}, "own4",
                       true},
              drop},
             {MatchSet{Key{{Field::kOutput, Field::kMacDestination, Field::kDestination6}}, "own6",
                       true},
              drop}}},
           {"tags",
            {},
            {{MatchEtherType{0x8100}, drop},
             {MatchEtherType{0x88a8}, drop},
             {MatchEtherType{0x9100}, drop}}},
           {"pod",
            {},
            {{MatchEtherType{0x800}, MatchGroupMac{}, drop},
             {MatchPrefix{Field::kDestination, *parse_prefix("224.0.0.0/3")}, drop},
             {MatchSet{Key{{Field::kDestination}}, "all"}, drop},
             {own(Field::kMacSource, Field::kSource, "own4"), Verdict{}},
             {own(Field::kMacSource, Field::kArpSource, "own4"),
              own(Field::kArpMac, Field::kArpSource, "own4"), Verdict{}},
             {MatchEtherType{0x86dd}, Verdict{Kind::kGoto, "pod6"}},
             {drop}}},
           {"pod6",
            {},
            {{MatchNoIcmp6{}, MatchPrefix{Field::kDestination6, *parse_prefix("ff00::/8")}, drop},
             {MatchGroupMac{}, MatchPrefix{Field::kDestination6, *parse_prefix("ff00::/8"), true},
              drop},
             {MatchNoIcmp6{}, own(Field::kMacSource, Field::kSource6, "own6"), Verdict{}},
             {MatchIcmp6{130, 130}, drop},
             {MatchIcmp6{134, 134}, drop},
             {MatchIcmp6{137, 137}, drop},
             {MatchPorts{58}, own(Field::kMacSource, Field::kSource6, "own6"), Verdict{}},
             {MatchIcmp6{135, 135}, own(Field::kMacSource, Field::kSource6, "own6"), Verdict{}},
             {MatchIcmp6{136, 136}, own(Field::kMacSource, Field::kSource6, "own6"),
              own(Field::kMacSource, Field::kNeighbour, "own6"), Verdict{}},
             {MatchIcmp6{131, 133}, own(Field::kMacSource, Field::kSource6, "own6"), Verdict{}},
             {MatchIcmp6{143, 143}, own(Field::kMacSource, Field::kSource6, "own6"), Verdict{}},
             {drop}}}}};
}

std::vector<Table> all_tables() {
  return {whole_table(Family::kIp), whole_table(Family::kIp6), bridge_table()};
}

class TransactionTest : public testkit::NamespaceTest {
 protected:
  // In the namespace, with a socket.
  void with_socket(const std::function<void(Socket&)>& body) {
    inside([&] {
      auto socket = Socket::open(NETLINK_NETFILTER, clock_);
      ASSERT_TRUE(socket.ok()) << socket.status().message();
      body(*socket);
    });
  }

  void commit(Transaction&& transaction, Socket& socket) {
    const auto done = std::move(transaction).commit(socket, soon());
    ASSERT_TRUE(done.ok()) << done.status().message();
  }
};

TEST_F(TransactionTest, IsListedByNftAsWePrintIt) {
  with_socket([&](Socket& socket) {
    for (const Table& table : all_tables()) {
      Transaction transaction;
      transaction.replace_table(table);
      ASSERT_NO_FATAL_FAILURE(commit(std::move(transaction), socket));
      EXPECT_EQ(testkit::sorted_listing(shell("nft list ruleset")), print(table));
      Transaction cleaning;
      cleaning.delete_table(table.name);
      ASSERT_NO_FATAL_FAILURE(commit(std::move(cleaning), socket));
    }
  });
}

TEST_F(TransactionTest, IsListedAsItWasWritten) {
  with_socket([&](Socket& socket) {
    for (const Table& table : all_tables()) {
      EXPECT_FALSE(list_table(socket, table.name, soon()).value().has_value());
      Transaction transaction;
      transaction.replace_table(table);
      ASSERT_NO_FATAL_FAILURE(commit(std::move(transaction), socket));
      const auto found = list_table(socket, table.name, soon()).value();
      ASSERT_TRUE(found.has_value());
      EXPECT_TRUE(found->foreign_sets.empty());
      ASSERT_EQ(found->sets.size(), table.sets.size());
      for (size_t i = 0; i < table.sets.size(); ++i) {
        EXPECT_EQ(found->sets[i], table.sets[i].set) << found->sets[i].name;
        Table listed{table.name, {{table.sets[i].set, {}}}, {}};
        listed.sets[0].elements = list_elements(socket, table.name, found->sets[i], soon()).value();
        EXPECT_EQ(print(listed), print(Table{table.name, {table.sets[i]}, {}}));
      }
      ASSERT_EQ(found->chains.size(), table.chains.size());
      for (size_t i = 0; i < table.chains.size(); ++i) {
        EXPECT_EQ(found->chains[i].name, table.chains[i].name);
        EXPECT_EQ(found->chains[i].hook, table.chains[i].hook);
      }
    }
  });
}

TEST_F(TransactionTest, HappensAsAWholeOrNotAtAll) {
  with_socket([&](Socket& socket) {
    const Table table = whole_table(Family::kIp);
    Transaction transaction;
    transaction.replace_table(table);
    transaction.delete_chain(table.name, "missing");
    EXPECT_TRUE(std::move(transaction).commit(socket, soon()).is(Reason::kNotFound));
    EXPECT_EQ(shell("nft list ruleset"), "");
  });
}

TEST_F(TransactionTest, DeletesTablesThatAreEmpty) {
  with_socket([&](Socket& socket) {
    const TableName table{Family::kIp, "nat"};
    const auto remove = [&] {
      const auto found = list_table(socket, table, soon()).value();
      Transaction transaction;
      transaction.delete_empty_table(table, found->chains);
      return std::move(transaction).commit(socket, soon());
    };
    shell("iptables -t nat -A POSTROUTING -j RETURN");
    EXPECT_TRUE(remove().is(Reason::kConflict));
    EXPECT_NE(shell("iptables -t nat -S").find("RETURN"), std::string::npos);
    shell("iptables -t nat -F");
    EXPECT_TRUE(remove().ok());
    EXPECT_EQ(shell("nft list ruleset"), "");
  });
}

TEST_F(TransactionTest, ReplacesElements) {
  with_socket([&](Socket& socket) {
    const TableName table{Family::kIp, "proa-test"};
    const Set set{"verdicts", {Type::kPort}, Set::Values::kVerdicts};
    const Data key = KeyWriter().port(80).take();
    const std::vector<Element> before = {{key, Verdict{Verdict::Kind::kDrop}}};
    const std::vector<Element> after = {{key, Verdict{Verdict::Kind::kAccept}}};
    Transaction first;
    first.add_table(table);
    first.add_set(table, set);
    first.add_elements(table, set, before);
    ASSERT_NO_FATAL_FAILURE(commit(std::move(first), socket));
    Transaction second;
    second.delete_elements(table, set, before);
    second.add_elements(table, set, after);
    ASSERT_NO_FATAL_FAILURE(commit(std::move(second), socket));
    EXPECT_EQ(list_elements(socket, table, set, soon()).value(), after);
  });
}

TEST_F(TransactionTest, DeletesSetsThatNoRuleUses) {
  with_socket([&](Socket& socket) {
    const Table table{
        {Family::kIp, "proa-test"},
        {{{"addresses", {Type::kAddress}}, {{KeyWriter().address(ip("10.0.0.1")).take()}}}},
        {{"c", {}, {{MatchSet{Key{{Field::kSource}}, "addresses"}, Verdict{}}}}}};
    Transaction first;
    first.replace_table(table);
    ASSERT_NO_FATAL_FAILURE(commit(std::move(first), socket));
    Transaction used;
    used.delete_set(table.name, "addresses");
    EXPECT_FALSE(std::move(used).commit(socket, soon()).ok());
    Transaction unused;
    unused.flush_chain(table.name, "c");
    unused.delete_set(table.name, "addresses");
    ASSERT_NO_FATAL_FAILURE(commit(std::move(unused), socket));
    EXPECT_TRUE(list_table(socket, table.name, soon()).value()->sets.empty());
  });
}

// More than the length of an attribute can say, and than a socket's usual buffer.
TEST_F(TransactionTest, TakesManyElements) {
  with_socket([&](Socket& socket) {
    const TableName table{Family::kIp6, "proa-test"};
    const Set set{"many", {Type::kAddress, Type::kMark}};
    std::vector<Element> elements;
    for (uint32_t i = 0; i < 50000; ++i) {
      elements.push_back({KeyWriter().address(ip("fd00::1")).mark(i).take()});
    }
    Transaction transaction;
    transaction.add_table(table);
    transaction.add_set(table, set);
    transaction.add_elements(table, set, elements);
    EXPECT_GT(transaction.size(), 1U << 20);
    ASSERT_NO_FATAL_FAILURE(commit(std::move(transaction), socket));
    EXPECT_EQ(list_elements(socket, table, set, soon()).value().size(), elements.size());
  });
}

}  // namespace
}  // namespace proa::netlink::nft

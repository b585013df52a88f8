// The forwarder with real sockets: servers that lie, loop, or send garbage, and floods of clients.
#include <fmt/format.h>

#include <map>

#include "base/strings.h"
#include "testkit/dns/forwarder_test_base.h"

namespace proa::dns {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using testkit::client_query;
using testkit::FakeUpstream;
using testkit::right_answer;
using testkit::Sendings;
using testkit::silence;
using testkit::TestReply;

class HostileUpstreamTest : public testkit::ForwarderTestBase {};

TEST_F(HostileUpstreamTest, DropsGarbage) {
  FakeUpstream server([](const std::string& query, bool) {
    const std::string question = query.substr(0, query.size() - 11);  // without EDNS
    std::string loop = question;
    loop[2] = static_cast<char>(0x81);
    loop[7] = 1;                                 // an answer
    loop += std::string("\xc0\x0c\0\1\0\1", 6);  // that ends too early
    loop[11] = 0;
    return Sendings{
        {.bytes = ""}, {.bytes = "x"}, {.bytes = std::string(100, '\xff')}, {.bytes = loop}};
  });
  FakeUpstream good(right_answer);
  use({zone_of({at(server), at(good)})});
  EXPECT_EQ(ask("www.example"), kRight);
  EXPECT_EQ(good.by_udp(), 1u);
  use({zone_of({at(server)})});
  EXPECT_EQ(ask("other.example"), "SERVFAIL; other.example. A");
}

TEST_F(HostileUpstreamTest, IgnoresSpoofedAnswers) {
  FakeUpstream server([](const std::string& query, bool tcp) {
    const TestReply read(query);
    const std::string name = read.question().name.str();
    const auto evil = [&](uint16_t id, std::string_view about) {
      return TestReply(id, about, Type::kA).address(about, "10.6.6.6").bytes();
    };
    Sendings sendings = {{.bytes = evil(read.id(), name), .from_elsewhere = true},
                         {.bytes = evil(static_cast<uint16_t>(read.id() + 1), name)},
                         {.bytes = evil(read.id(), "bank.example")}};
    sendings.push_back({.bytes = right_answer(query, tcp)[0].bytes, .after = milliseconds(20)});
    return sendings;
  });
  use({zone_of({at(server)})});
  EXPECT_EQ(ask("www.example"), kRight);
  EXPECT_EQ(cached("bank.example"), "none");
  EXPECT_EQ(server.by_tcp(), 0u);
}

TEST_F(HostileUpstreamTest, AsksByTcpWhenSomebodyGuesses) {
  FakeUpstream server([](const std::string& query, bool tcp) {
    if (tcp) return right_answer(query, tcp);
    const TestReply read(query);
    Sendings sendings;
    for (int i = 1; i <= 50; ++i) {
      sendings.push_back({.bytes = TestReply(static_cast<uint16_t>(read.id() + i),
                                             read.question().name.str(), Type::kA)
                                       .address("www.example", "10.6.6.6")
                                       .bytes()});
    }
    return sendings;
  });
  use({zone_of({at(server)})});
  EXPECT_EQ(ask("www.example"), kRight);
  EXPECT_EQ(server.by_tcp(), 1u);
}

TEST_F(HostileUpstreamTest, DoesNotTrustAnswersInOtherLetters) {
  // An attacker who knows everything but the letters; the server itself keeps them.
  FakeUpstream server([](const std::string& query, bool tcp) {
    if (tcp) return right_answer(query, tcp);
    const TestReply read(query);
    const std::string lower = to_lower(read.question().name.str());
    return Sendings{
        {.bytes = TestReply(read.id(), lower, Type::kA).address(lower, "10.6.6.6").bytes()},
        {.bytes = right_answer(query, tcp)[0].bytes}};
  });
  use({zone_of({at(server)})});
  for (const char* name : {"abcdefghijklmnop.example", "ponmlkjihgfedcba.example"}) {
    EXPECT_EQ(ask(name), fmt::format("NOERROR; {0}. A; {0}. 20 A 10.0.0.1", name));
  }
  EXPECT_EQ(server.by_tcp(), 2u) << "the letters must stay random after the first";
}

TEST_F(HostileUpstreamTest, LearnsThatAServerDoesNotKeepLetters) {
  const auto folded = [](const std::string& query, bool) {
    const TestReply read(query);
    const std::string lower = to_lower(read.question().name.str());
    return Sendings{
        {.bytes = TestReply(read.id(), lower, Type::kA).address(lower, "10.0.0.1", 20).bytes()}};
  };
  FakeUpstream server(folded);
  use({zone_of({at(server)})});
  EXPECT_EQ(ask("abcdefghijklmnop.example"),
            "NOERROR; abcdefghijklmnop.example. A; abcdefghijklmnop.example. 20 A 10.0.0.1");
  EXPECT_EQ(server.by_tcp(), 1u);
  EXPECT_EQ(ask("ponmlkjihgfedcba.example"),
            "NOERROR; ponmlkjihgfedcba.example. A; ponmlkjihgfedcba.example. 20 A 10.0.0.1");
  EXPECT_EQ(server.by_tcp(), 1u);
}

TEST_F(HostileUpstreamTest, FollowsNamesAndDropsWhatNobodyAskedFor) {
  FakeUpstream server([](const std::string& query, bool) {
    TestReply reply(query);
    reply.cname(reply.question().name.str(), "web.example", 20)
        .address("web.example", "10.0.0.1", 20)
        .address("bank.example", "10.6.6.6", 20)
        .extra_address("bank.example", "10.6.6.6");
    return Sendings{{.bytes = reply.bytes()}};
  });
  use({zone_of({at(server)})});
  EXPECT_EQ(ask("www.example"),
            "NOERROR; www.example. A; www.example. 20 CNAME web.example.; web.example. 20 A "
            "10.0.0.1");
  EXPECT_EQ(cached("bank.example"), "none");
  EXPECT_EQ(cached("web.example"), "none");
}

TEST_F(HostileUpstreamTest, LimitsQueriesUnderWay) {
  FakeUpstream server(silence);
  ForwardZone zone = zone_of({at(server)});
  zone.max_concurrent = 10;
  use({zone});
  std::map<std::string, int> counts;
  std::vector<std::future<std::string>> futures;
  for (int i = 0; i < 30; ++i) futures.push_back(begin(client_query(fmt::format("{}.a", i))));
  for (auto& future : futures) {
    const std::string text = end(future);
    ++counts[text.substr(0, text.find(';'))];
  }
  EXPECT_EQ(counts, (std::map<std::string, int>{{"REFUSED", 20}, {"SERVFAIL", 10}}));
}

TEST_F(HostileUpstreamTest, StaysBoundedInAFloodOfRandomNames) {
  FakeUpstream server([](const std::string& query, bool) {
    return Sendings{{.bytes = TestReply(query).soa(".").bytes(Rcode::kNameError)}};
  });
  cache.bytes = size_t{128} << 10;
  use({zone_of({at(server)})});
  EXPECT_EQ(ask("warm.example"), "NXDOMAIN; warm.example. A; . 30 SOA ns.example.");
  cached("warm.example");
  std::atomic<int> replies = 0;
  constexpr int kFlood = 20'000;
  for (int i = 0; i < kFlood; ++i) {
    forwarder.ask(client_query(fmt::format("{}.flood.example", i)),
                  [&replies](ByteSpan) { ++replies; });
  }
  EXPECT_TRUE(testkit::holds_within(seconds(30), [&] { return replies == kFlood; })) << replies;
  EXPECT_LE(forwarder.cache_size().bytes, size_t{128} << 10);
  EXPECT_NE(cached("warm.example"), "none") << "what is in use stays";
}

TEST_F(HostileUpstreamTest, StopsAskingAServerThatAsksUs) {
  std::atomic<bool> looping = true;
  std::atomic<int> clients = 0;
  FakeUpstream server([&](const std::string& query, bool tcp) {
    Query read;
    static_cast<void>(parse_query(testkit::bytes_of(query), read));
    if (read.question.type == Type::kA) ++clients;
    if (!looping) return right_answer(query, tcp);
    // It forwards to us, and repeats what we say.
    auto promise = std::make_shared<std::promise<std::string>>();
    forwarder.ask(read, [promise](ByteSpan response) {
      promise->set_value({reinterpret_cast<const char*>(response.data()), response.size()});
    });
    auto future = promise->get_future();
    if (future.wait_for(seconds(5)) != std::future_status::ready) return Sendings();
    return Sendings{{.bytes = future.get()}};
  });
  use({zone_of({at(server)})}, true);
  EXPECT_TRUE(testkit::holds_within(seconds(5), [&] { return loops == 1; }));
  EXPECT_EQ(ask("www.example"), kFailed);
  EXPECT_EQ(clients, 0);
  // It is asked again when the loop is gone.
  looping = false;
  int next = 0;
  EXPECT_TRUE(testkit::holds_within(
      seconds(5), [&] { return ask(fmt::format("n{}.example", next++)).starts_with("NOERROR"); }));
  EXPECT_EQ(loops, 1);
}

}  // namespace
}  // namespace proa::dns

// The forwarder with real sockets: servers that answer, are slow, or are silent.
#include "dns/forward/upstream_forwarder.h"

#include <fmt/format.h>

#include <set>

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

class UpstreamForwarderTest : public testkit::ForwarderTestBase {};

TEST_F(UpstreamForwarderTest, RefusesEverythingUntilItIsConfigured) {
  EXPECT_EQ(ask("www.example"), "REFUSED; www.example. A");
}

TEST_F(UpstreamForwarderTest, AsksOnceAndRemembers) {
  FakeUpstream server(right_answer);
  use({zone_of({at(server)})});
  EXPECT_EQ(cached("www.example"), "none");
  EXPECT_EQ(ask("www.example"), kRight);
  EXPECT_EQ(cached("WWW.example"), "NOERROR; WWW.example. A; WWW.example. 20 A 10.0.0.1");
  EXPECT_EQ(ask("www.example"), kRight);
  EXPECT_EQ(server.by_udp(), 1u);
  const std::string text = metrics.text();
  for (const char* line :
       {"coredns_cache_hits_total{server=\"dns://:53\",type=\"success\",zones=\".\",view=\"\"} 1",
        "coredns_cache_misses_total{server=\"dns://:53\",zones=\".\",view=\"\"} 1",
        "coredns_cache_entries{server=\"dns://:53\",type=\"success\",zones=\".\",view=\"\"} 1",
        "coredns_proxy_request_duration_seconds_count{proxy_name=\"forward\",to=\"127.0.0.1:"}) {
    EXPECT_NE(text.find(line), std::string::npos) << line;
  }
}

TEST_F(UpstreamForwarderTest, AsksFromRandomPortsWithRandomIdsAndLetters) {
  Mutex mutex;
  std::set<uint16_t> ids;
  std::set<std::string> spellings;
  FakeUpstream server([&](const std::string& query, bool tcp) {
    const TestReply read(query);
    const MutexLock lock(mutex);
    ids.insert(read.id());
    spellings.insert(read.question().name.str().substr(3));
    return right_answer(query, tcp);
  });
  use({zone_of({at(server)})});
  for (int i = 0; i < 100; ++i) {
    const std::string name = fmt::format("n{:02}.abcdefghijkl.example", i);
    EXPECT_EQ(ask(name), fmt::format("NOERROR; {0}. A; {0}. 20 A 10.0.0.1", name));
  }
  EXPECT_GT(server.source_ports(), 90u);
  const MutexLock lock(mutex);
  EXPECT_GT(ids.size(), 90u);
  EXPECT_GT(spellings.size(), 90u);
}

TEST_F(UpstreamForwarderTest, AsksAgainByTcpForWhatWasCut) {
  FakeUpstream server([](const std::string& query, bool tcp) {
    if (tcp) return right_answer(query, tcp);
    return Sendings{{.bytes = TestReply(query).bytes(Rcode::kNoError, true)}};
  });
  use({zone_of({at(server)})});
  EXPECT_EQ(ask("www.example"), kRight);
  EXPECT_EQ(server.by_tcp(), 1u);
}

TEST_F(UpstreamForwarderTest, AsksByTcpOnlyWhereThatIsConfigured) {
  FakeUpstream server(right_answer);
  ForwardZone zone = zone_of({at(server)});
  zone.force_tcp = true;
  use({zone});
  EXPECT_EQ(ask("www.example"), kRight);
  EXPECT_EQ(server.by_udp(), 0u);
}

TEST_F(UpstreamForwarderTest, AsksTheNextOneIfOneIsDead) {
  const auto closed = [] {
    const FakeUpstream gone(silence);
    return at(gone);
  }();
  FakeUpstream silent(silence);
  FakeUpstream good(right_answer);
  use({zone_of({closed, at(silent), at(good)})});
  EXPECT_EQ(ask("www.example"), kRight);
  EXPECT_EQ(silent.by_udp(), 1u);
}

TEST_F(UpstreamForwarderTest, StopsAskingOneThatIsDownUntilItAnswersAProbe) {
  FakeUpstream first(silence);
  FakeUpstream second(right_answer);
  use({zone_of({at(first), at(second)})});
  EXPECT_EQ(ask("a.example"), "NOERROR; a.example. A; a.example. 20 A 10.0.0.1");
  EXPECT_EQ(ask("b.example"), "NOERROR; b.example. A; b.example. 20 A 10.0.0.1");
  // Two failures: it is down, and only probed.
  std::atomic<int> clients = 0;
  std::atomic<bool> up = false;
  first.handle_by([&](const std::string& query, bool tcp) {
    if (TestReply(query).question().type == Type::kA) ++clients;
    return up ? right_answer(query, tcp) : Sendings();
  });
  EXPECT_EQ(ask("c.example"), "NOERROR; c.example. A; c.example. 20 A 10.0.0.1");
  EXPECT_EQ(clients, 0);
  up = true;
  int next = 0;
  EXPECT_TRUE(testkit::holds_within(seconds(5), [&] {
    ask(fmt::format("d{}.example", next++));
    return clients > 0;
  }));
}

TEST_F(UpstreamForwarderTest, WaitsForASlowAnswerOfTheOnlyOne) {
  FakeUpstream server([](const std::string& query, bool tcp) {
    Sendings sendings = right_answer(query, tcp);
    sendings[0].after = milliseconds(250);
    return sendings;
  });
  use({zone_of({at(server)})});
  EXPECT_EQ(ask("www.example"), kRight);
}

TEST_F(UpstreamForwarderTest, SaysThatNobodyAnswers) {
  FakeUpstream server(silence);
  use({zone_of({at(server)})});
  EXPECT_EQ(ask("www.example"), kFailed);
  // For some seconds nobody is made to wait again.
  EXPECT_EQ(cached("www.example"), kFailed);
  use({zone_of({})});
  EXPECT_EQ(ask("none.example"), "SERVFAIL; none.example. A");
}

TEST_F(UpstreamForwarderTest, AsksWithoutEdnsWhereItIsNotUnderstood) {
  FakeUpstream server([](const std::string& query, bool tcp) {
    Query read;
    static_cast<void>(parse_query(testkit::bytes_of(query), read));
    if (!read.has_edns) return right_answer(query, tcp);
    return Sendings{{.bytes = TestReply(query).bytes(Rcode::kFormatError)}};
  });
  use({zone_of({at(server)})});
  EXPECT_EQ(ask("www.example"), kRight);
  EXPECT_EQ(server.by_udp(), 2u);
}

TEST_F(UpstreamForwarderTest, AsksTheNextOneIfOneFailsAndSaysSoIfAllDo) {
  const auto failing = [](const std::string& query, bool) {
    return Sendings{{.bytes = TestReply(query).bytes(Rcode::kRefused)}};
  };
  FakeUpstream first(failing);
  FakeUpstream second(right_answer);
  use({zone_of({at(first), at(second)})});
  EXPECT_EQ(ask("www.example"), kRight);
  second.handle_by(failing);
  EXPECT_EQ(ask("other.example"), "REFUSED; other.example. A");
}

TEST_F(UpstreamForwarderTest, AsksOnceForAllWhoWantToKnow) {
  FakeUpstream server([](const std::string& query, bool tcp) {
    Sendings sendings = right_answer(query, tcp);
    sendings[0].after = milliseconds(50);
    return sendings;
  });
  use({zone_of({at(server)})});
  std::vector<std::future<std::string>> futures;
  for (int i = 0; i < 50; ++i) {
    futures.push_back(begin(client_query(i % 2 == 0 ? "www.example" : "WWW.EXAMPLE")));
  }
  for (size_t i = 0; i < futures.size(); ++i) {
    EXPECT_EQ(end(futures[i]),
              i % 2 == 0 ? kRight : "NOERROR; WWW.EXAMPLE. A; WWW.EXAMPLE. 20 A 10.0.0.1");
  }
  EXPECT_EQ(server.by_udp(), 1u);
}

TEST_F(UpstreamForwarderTest, AsksTheServersOfTheZone) {
  FakeUpstream all(right_answer);
  FakeUpstream corporate([](const std::string& query, bool) {
    TestReply reply(query);
    return Sendings{{.bytes = reply.address(reply.question().name.str(), "10.0.0.2", 20).bytes()}};
  });
  ForwardZone zone = zone_of({at(corporate)}, "corp.example");
  zone.except = {"public.corp.example"};
  use({zone_of({at(all)}), zone});
  EXPECT_EQ(ask("www.example"), kRight);
  EXPECT_EQ(ask("A.corp.example"), "NOERROR; A.corp.example. A; A.corp.example. 20 A 10.0.0.2");
  EXPECT_EQ(ask("a.public.corp.example"), "SERVFAIL; a.public.corp.example. A");
}

TEST_F(UpstreamForwarderTest, ServesStaleAnswersWhenUpstreamsFail) {
  FakeUpstream server(right_answer);
  use({zone_of({at(server)})});
  EXPECT_EQ(ask("www.example"), kRight);
  clock.jump(seconds(60));
  server.handle_by(silence);
  EXPECT_EQ(cached("www.example"), "none");
  constexpr std::string_view kStale = "NOERROR; www.example. A; www.example. 0 A 10.0.0.1";
  EXPECT_EQ(ask("www.example"), kStale);
  EXPECT_EQ(cached("www.example"), kStale) << "for the next seconds at once";
  EXPECT_NE(metrics.text().find("coredns_cache_served_stale_total{server=\"dns://:53\",zones=\".\","
                                "view=\"\"} 2"),
            std::string::npos);
  // When it answers again, so do we.
  server.handle_by(right_answer);
  EXPECT_TRUE(testkit::holds_within(seconds(5), [&] {
    clock.jump(seconds(10));
    return ask("www.example") == kRight;
  }));
}

TEST_F(UpstreamForwarderTest, RefreshesHotNamesBeforeTheirTimeIsOver) {
  FakeUpstream server(right_answer);
  use({zone_of({at(server)})});
  EXPECT_EQ(ask("www.example"), kRight);
  EXPECT_EQ(cached("www.example"), kRight);
  clock.jump(milliseconds(19'000));
  EXPECT_EQ(cached("www.example"), "NOERROR; www.example. A; www.example. 1 A 10.0.0.1");
  EXPECT_TRUE(testkit::holds_within(seconds(5), [&] { return cached("www.example") == kRight; }));
  EXPECT_EQ(server.by_udp(), 2u);
}

TEST_F(UpstreamForwarderTest, CanBeConfiguredAnew) {
  FakeUpstream first(right_answer);
  FakeUpstream second([](const std::string& query, bool) {
    TestReply reply(query);
    return Sendings{{.bytes = reply.address(reply.question().name.str(), "10.0.0.2", 20).bytes()}};
  });
  use({zone_of({at(first)})});
  EXPECT_EQ(ask("www.example"), kRight);
  use({zone_of({at(second)})});
  EXPECT_EQ(ask("new.example"), "NOERROR; new.example. A; new.example. 20 A 10.0.0.2");
  // What the first one said is forgotten.
  EXPECT_EQ(cached("www.example"), "none");
  EXPECT_EQ(ask("www.example"), "NOERROR; www.example. A; www.example. 20 A 10.0.0.2");
}

TEST_F(UpstreamForwarderTest, KeepsNoAnswerOfAFormerUpstream) {
  FakeUpstream first([](const std::string& query, bool tcp) {
    Sendings late = right_answer(query, tcp);
    late[0].after = milliseconds(60);
    return late;
  });
  FakeUpstream second([](const std::string& query, bool) {
    TestReply reply(query);
    return Sendings{{.bytes = reply.address(reply.question().name.str(), "10.0.0.2", 20).bytes()}};
  });
  constexpr std::string_view kSecond = "NOERROR; www.example. A; www.example. 20 A 10.0.0.2";
  use({zone_of({at(first)})});
  auto before = begin(client_query("www.example"));
  EXPECT_TRUE(testkit::holds_within(seconds(5), [&] { return first.by_udp() == 1; }));
  use({zone_of({at(second)})});
  EXPECT_EQ(ask("www.example"), kSecond) << "does not wait for the first one";
  EXPECT_EQ(end(before), kRight);
  EXPECT_EQ(cached("www.example"), kSecond);
}

TEST_F(UpstreamForwarderTest, IsSilentAfterItWasStopped) {
  FakeUpstream server(silence);
  use({zone_of({at(server)})});
  std::atomic<int> replies = 0;
  for (int i = 0; i < 10; ++i) {
    forwarder.ask(client_query(fmt::format("{}.a", i)), [&replies](ByteSpan) { ++replies; });
  }
  forwarder.stop();
  const int before = replies;
  forwarder.ask(client_query("b"), [&replies](ByteSpan) { ++replies; });
  EXPECT_EQ(replies, before);
}

}  // namespace
}  // namespace proa::dns

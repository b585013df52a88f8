#include <gtest/gtest.h>

#include <thread>

#include "base/log.h"
#include "dns/message/text.h"
#include "dns/server/tcp_server.h"
#include "dns/server/udp_server.h"
#include "testkit/dns/dns_client.h"
#include "testkit/dns/test_cluster.h"
#include "testkit/fake_clock.h"
#include "testkit/patience.h"

namespace proa::dns {
namespace {

using testkit::ask_tcp;
using testkit::ask_udp;
using testkit::make_query;
using testkit::Message;

Rcode answer_outside(const Query& query, Writer& writer) {
  writer.address(Section::kAnswer, query.question.name, 60, parse_ip("192.0.2.1").value());
  return Rcode::kNoError;
}

class DnsServerTest : public ::testing::Test {
 protected:
  DnsServerTest() : cluster_(*Zone::make({})), forwarder_(answer_outside) {
    WriterLock lock(cluster_.mutex);
    testkit::load_cluster(
        "{kind: Service, metadata: {namespace: default, name: web}, spec: {clusterIP: 10.96.0.5}}",
        cluster_.index);
    cluster_.index.set_synced();
  }

  Message udp(const Message& query, int milliseconds = 5000) {
    return ask_udp(server().address(), server().udp_port(), query, milliseconds);
  }
  std::vector<Message> tcp(const std::vector<Message>& queries) {
    return ask_tcp(server().address(), server().tcp_port(), queries);
  }
  testkit::TestDnsServer& server() {
    if (!server_) server_.emplace(cluster_, &forwarder_, 2, idle_);
    return *server_;
  }

  ClusterState cluster_;
  testkit::FakeForwarder forwarder_;
  Duration idle_ = std::chrono::seconds(10);
  std::optional<testkit::TestDnsServer> server_;
  const Message web_ = make_query(1, "web.default.svc.cluster.local", Type::kA);
};

TEST_F(DnsServerTest, RefusesWhatIsNoQuery) {
  Message two = web_;
  two[5] = 2;
  EXPECT_EQ(message_text(udp(two)), "FORMERR rd\n");
  Message update = web_;
  update[2] = 0x29;
  EXPECT_EQ(message_text(udp(update)), "NOTIMP rd\n");
  Message chaos = web_;
  chaos.back() = 3;
  EXPECT_EQ(message_text(udp(chaos)), "REFUSED rd\n");
  Message version = make_query(1, "web.default.svc.cluster.local", Type::kA, 4096);
  version[version.size() - 5] = 1;
  EXPECT_EQ(message_text(udp(version)), "BADVERS rd edns=1232\n");
}

TEST_F(DnsServerTest, DoesNotAnswerResponsesAndScraps) {
  Message response = web_;
  response[2] |= 0x80;
  EXPECT_TRUE(udp(response, 100).empty());
  EXPECT_TRUE(udp(Message(web_.begin(), web_.begin() + 11), 100).empty());
  MetricsText text;
  server().statistics().write(text);
  EXPECT_NE(text.take().find("proa_dns_dropped_packets_total 2"), std::string::npos);
}

TEST_F(DnsServerTest, AnswersManyInOneConnection) {
  std::vector<Message> queries;
  for (uint16_t i = 0; i < 300; ++i) {
    queries.push_back(
        make_query(i, i % 2 == 0 ? "web.default.svc.cluster.local" : "example.com", Type::kA));
  }
  const std::vector<Message> answers = tcp(queries);
  ASSERT_EQ(answers.size(), queries.size());
  std::set<uint16_t> ids;
  for (const Message& answer : answers) {
    const uint16_t id = read16(answer.data());
    ids.insert(id);
    EXPECT_EQ(
        message_text(answer).find(id % 2 == 0 ? "10.96.0.5" : "192.0.2.1") == std::string::npos,
        false);
  }
  EXPECT_EQ(ids.size(), queries.size());
}

TEST_F(DnsServerTest, EndsConnectionsWithoutQueries) {
  idle_ = std::chrono::milliseconds(100);
  const auto began = SystemClock().steady();
  // Half a query does not keep it open.
  FileDescriptor socket(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  const SocketAddress address = socket_address(server().address(), server().tcp_port());
  ASSERT_EQ(connect(socket.get(), address.get(), address.size), 0);
  ASSERT_EQ(send(socket.get(), "\0", 1, 0), 1);
  char byte = 0;
  EXPECT_EQ(recv(socket.get(), &byte, 1, 0), 0);
  EXPECT_LT(SystemClock().steady() - began, std::chrono::seconds(5));
  EXPECT_TRUE(testkit::holds_within(std::chrono::seconds(5),
                                    [&] { return server().tcp().connections() == 0; }));
}

TEST_F(DnsServerTest, BoundsConnectionsOfAClient) {
  std::vector<FileDescriptor> sockets;
  const SocketAddress address = socket_address(server().address(), server().tcp_port());
  for (int i = 0; i < 150; ++i) {
    FileDescriptor socket(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
    ASSERT_EQ(connect(socket.get(), address.get(), address.size), 0);
    sockets.push_back(std::move(socket));
  }
  char byte = 0;
  EXPECT_EQ(recv(sockets.back().get(), &byte, 1, 0), 0);
  EXPECT_EQ(server().tcp().connections(), 100U);
  sockets.clear();
  EXPECT_TRUE(testkit::holds_within(std::chrono::seconds(10),
                                    [&] { return server().tcp().connections() == 0; }));
  EXPECT_EQ(tcp({web_}).size(), 1U);
}

// Else poll() would return at once until the upstream server gives up.
TEST_F(DnsServerTest, EndsConnectionsThatWereReset) {
  forwarder_.silent = true;
  FileDescriptor socket(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  const SocketAddress address = socket_address(server().address(), server().tcp_port());
  ASSERT_EQ(connect(socket.get(), address.get(), address.size), 0);
  const Message outside = make_query(1, "example.com", Type::kA);
  Message framed{0, static_cast<uint8_t>(outside.size())};
  framed.insert(framed.end(), outside.begin(), outside.end());
  ASSERT_EQ(send(socket.get(), framed.data(), framed.size(), 0),
            static_cast<ssize_t>(framed.size()));
  ASSERT_EQ(shutdown(socket.get(), SHUT_WR), 0);
  ASSERT_TRUE(testkit::holds_within(std::chrono::seconds(10),
                                    [&] { return server().tcp().connections() == 1; }));
  const linger at_once{.l_onoff = 1, .l_linger = 0};
  ASSERT_EQ(setsockopt(socket.get(), SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once), 0);
  socket = FileDescriptor();
  EXPECT_TRUE(testkit::holds_within(std::chrono::seconds(5),
                                    [&] { return server().tcp().connections() == 0; }));
}

TEST_F(DnsServerTest, BoundsQuestionsThatWait) {
  forwarder_.silent = true;
  const Message outside = make_query(1, "random.example.com", Type::kA);
  // A server that is slower than this loses some of them.
  for (size_t i = 0; i < 10 * InFlight::kMostPerClient; ++i) {
    const Message answer = udp(outside, 0);
    if (!answer.empty()) break;
  }
  EXPECT_TRUE(testkit::holds_within(
      std::chrono::seconds(10), [&] { return message_text(udp(outside, 100)) == "REFUSED rd\n"; }));
  // Names of the cluster are not concerned.
  EXPECT_NE(message_text(udp(web_)).find("10.96.0.5"), std::string::npos);
}

TEST_F(DnsServerTest, AsksTheCacheFirst) {
  forwarder_.silent = true;
  forwarder_.caches = true;
  EXPECT_NE(message_text(udp(make_query(1, "example.com", Type::kA))).find("192.0.2.1"),
            std::string::npos);
}

// The names of the cluster under others, and what the configuration itself answers.
TEST_F(DnsServerTest, AnswersUnderTheNameThatWasAskedFor) {
  HostsSettings hosts;
  hosts.entries = {{.address = parse_ip("10.9.9.9").value(), .names = {"printer.corp"}}};
  const RewriteRule suffix{.match = RewriteRule::Match::kSuffix,
                           .from = ".shop.example",
                           .to = ".default.svc.cluster.local"};
  const RewriteRule outside{.from = "old.example.com", .to = "new.example.com"};
  server().handler().set_local_names({hosts, {suffix, outside}});
  EXPECT_EQ(message_text(udp(make_query(1, "Web.shop.example", Type::kA))),
            "NOERROR aa rd\nWeb.shop.example. 30 A 10.96.0.5\n");
  EXPECT_EQ(message_text(udp(make_query(1, "old.example.com", Type::kA))),
            "NOERROR rd ra\nold.example.com. 60 A 192.0.2.1\n");
  EXPECT_EQ(message_text(tcp({make_query(1, "printer.corp", Type::kA)}).at(0)),
            "NOERROR aa rd\nprinter.corp. 3600 A 10.9.9.9\n");
  server().handler().set_local_names({});
  EXPECT_NE(message_text(udp(make_query(1, "printer.corp", Type::kA))).find("192.0.2.1"),
            std::string::npos);
}

// The zones of a Corefile's "kubernetes", and what it passes on.
TEST_F(DnsServerTest, PassesOnWhatIsConfigured) {
  const char* kOutside = "192.0.2.1";  // of the forwarder
  const struct {
    const char* name;
    ClusterSettings cluster;
    const char* asked;
    Type type;
    const char* answer;  // a part of it
  } cases[] = {
      {"kubeadm: no name of the cluster", {}, "no.default.svc.cluster.local", Type::kA, "NXDOMAIN"},
      {"kubeadm: an address", {}, "5.0.96.10.in-addr.arpa", Type::kPtr, "web.default.svc"},
      {"kubeadm: another address", {}, "1.2.0.192.in-addr.arpa", Type::kPtr, kOutside},
      {"kubeadm: a transfer", {}, "0.10.in-addr.arpa", Type::kAxfr, "REFUSED"},
      {"kubeadm: a transfer of changes", {}, "ip6.arpa", Type::kIxfr, "REFUSED"},
      {"fallthrough", {.fallthrough = {"."}}, "no.default.svc.cluster.local", Type::kA, kOutside},
      {"fallthrough of a zone",
       {.fallthrough = {"default.svc.cluster.local"}},
       "no.default.svc.cluster.local",
       Type::kA,
       kOutside},
      {"of another one",
       {.fallthrough = {"other.svc.cluster.local"}},
       "no.default.svc.cluster.local",
       Type::kA,
       "NXDOMAIN"},
      {"no fallthrough of reverse zones",
       {.fallthrough = {}},
       "1.2.0.192.in-addr.arpa",
       Type::kPtr,
       "NXDOMAIN aa rd\n  in-addr.arpa. 30 SOA ns.dns.in-addr.arpa."},
      {"an address in it", {.fallthrough = {}}, "5.0.96.10.in-addr.arpa", Type::kPtr, "web."},
      {"the zone itself", {.fallthrough = {}}, "in-addr.arpa", Type::kNs, "NOERROR aa rd\n  in-"},
      {"no reverse zones",
       {.zones = {"cluster.local"}, .fallthrough = {}},
       "5.0.96.10.in-addr.arpa",
       Type::kPtr,
       kOutside},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.name);
    server().handler().configure({.cluster = c.cluster});
    const std::string answer = message_text(udp(make_query(1, c.asked, c.type)));
    EXPECT_NE(answer.find(c.answer), std::string::npos) << answer;
  }
}

TEST_F(DnsServerTest, RotatesIfThatIsWanted) {
  {
    WriterLock lock(cluster_.mutex);
    testkit::load_cluster(R"(
{kind: Service, metadata: {namespace: default, name: db}, spec: {clusterIP: None}}
---
{kind: EndpointSlice, metadata: {namespace: default, name: db-1, labels: {kubernetes.io/service-name: db}},
 addressType: IPv4, endpoints: [{addresses: [10.0.0.1]}, {addresses: [10.0.0.2]}]}
)",
                          cluster_.index);
  }
  for (const bool rotate : {true, false}) {
    server().handler().configure({.rotate = rotate});
    std::set<std::string> answers;
    for (int i = 0; i < 4; ++i) {
      answers.insert(message_text(udp(make_query(1, "db.default.svc.cluster.local", Type::kA))));
    }
    EXPECT_EQ(answers.size(), rotate ? 2U : 1U);
  }
}

std::string* logged = nullptr;

TEST(QueryLog, SaysWhoAskedWhat) {
  testkit::FakeClock clock;
  QueryLog log(clock);
  std::string lines;
  logged = &lines;
  set_log_sink([](std::string_view line) { logged->append(line); });
  Query query;
  query.question = {.name = Name::parse("web.example").value(), .type = Type::kSrv};
  const std::vector<uint8_t> response = {0, 1, 0x81, 3, 0, 1, 0, 0, 0, 0, 0, 0};
  const IpAddress client = parse_ip("10.244.0.9").value();
  log.write(query, client, response, std::chrono::milliseconds(1500));
  EXPECT_EQ(lines, "");
  log.set_enabled(true);
  // An answer that comes later.
  log.write(query, client, {}, std::chrono::seconds(0));
  EXPECT_EQ(lines, "");
  log.write(query, client, response, std::chrono::milliseconds(1500));
  for (const char* part : {"client=10.244.0.9", "protocol=udp", "type=SRV", "name=web.example.",
                           "rcode=NXDOMAIN", "seconds=1.5"}) {
    EXPECT_NE(lines.find(part), std::string::npos) << part << " in " << lines;
  }
  // A flood has an end.
  for (int i = 0; i < 10'000; ++i) log.write(query, client, response, std::chrono::seconds(0));
  EXPECT_EQ(std::ranges::count(lines, '\n'), 1000);
  set_log_sink(nullptr);
}

TEST_F(DnsServerTest, SeesChangesAtOnce) {
  EXPECT_NE(message_text(udp(web_)).find("10.96.0.5"), std::string::npos);
  {
    WriterLock lock(cluster_.mutex);
    cluster_.index.set_service("default", "web", std::nullopt);
  }
  EXPECT_EQ(message_text(udp(web_)).find("10.96.0.5"), std::string::npos);
}

TEST_F(DnsServerTest, CountsAsCoreDnsDoes) {
  udp(web_);
  tcp({web_});
  MetricsText text;
  server().statistics().write(text);
  const std::string metrics = text.take();
  for (
      const std::string_view line :
      {R"(coredns_dns_requests_total{server="dns://:53",zone=".",view="",proto="udp",family="1",type="A"} 1)",
       R"(coredns_dns_requests_total{server="dns://:53",zone=".",view="",proto="tcp",family="1",type="A"} 1)",
       R"(coredns_dns_responses_total{server="dns://:53",zone=".",view="",rcode="NOERROR",plugin="kubernetes"} 2)",
       R"(coredns_dns_request_duration_seconds_count{server="dns://:53",zone=".",view=""} 2)",
       R"(coredns_dns_response_size_bytes_sum{server="dns://:53",zone=".",view="",proto="udp"} 63)"}) {
    EXPECT_NE(metrics.find(line), std::string::npos) << line << "\n" << metrics;
  }
}

TEST(Access, IsForThisMachineAndItsPods) {
  SystemClock clock;
  Access access(clock);
  const auto ip = [](std::string_view text) { return parse_ip(text).value(); };
  access.set({.pods = {parse_prefix("10.244.1.0/24").value()}, .link = "lo"});
  EXPECT_TRUE(access.allows_packet(ip("192.0.2.1"), 1));
  EXPECT_FALSE(access.allows_packet(ip("10.244.1.7"), 2));
  EXPECT_FALSE(access.allows_packet(ip("192.0.2.1"), 2));
  access.set({.pods = {parse_prefix("10.244.1.0/24").value()}, .link = ""});
  EXPECT_TRUE(access.allows_packet(ip("10.244.1.7"), 2));
  EXPECT_FALSE(access.allows_packet(ip("10.244.2.7"), 2));
  EXPECT_TRUE(access.allows_connection(ip("10.244.1.7")));
  EXPECT_TRUE(access.allows_connection(ip("127.0.0.2")));
  EXPECT_TRUE(access.allows_connection(ip("::1")));
  EXPECT_FALSE(access.allows_connection(ip("192.0.2.1")));
}

TEST(Sockets, SayWhoMayHaveThePort) {
  const IpAddress address = parse_ip("127.0.0.1").value();
  const auto first = open_tcp(address, 0);
  ASSERT_TRUE(first.ok());
  const auto second = open_tcp(address, port_of(*first));
  ASSERT_FALSE(second.ok());
  EXPECT_NE(second.status().message().find("another program has 127.0.0.1 port"),
            std::string::npos);
}

}  // namespace
}  // namespace proa::dns

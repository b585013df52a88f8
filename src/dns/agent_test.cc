#include "dns/agent.h"

#include <fmt/format.h>

#include <filesystem>

#include "api/object/view.h"
#include "api/schema/builtin.h"
#include "dns/message/text.h"
#include "json/parse.h"
#include "testkit/apiserver/test_clients.h"
#include "testkit/dns/dns_client.h"
#include "testkit/dns/forwarder_test_base.h"
#include "testkit/netlink/namespace_test_base.h"
#include "testkit/patience.h"
#include "testkit/process.h"

namespace proa::dns {
namespace {

using std::chrono::seconds;
using testkit::holds_within;

// The agent in a network namespace of its own, beside an API server.
class DnsAgentTest : public testkit::NamespaceTest {
 protected:
  void create(std::string_view resource, std::string_view name_space, const std::string& json) {
    const auto made =
        api_.client().create({.resource = api::builtin_schema().find_resource("", "v1", resource),
                              .name_space = std::string(name_space),
                              .name = {},
                              .subresource = {}},
                             json::parse_literal(json), {}, soon());
    ASSERT_TRUE(made.ok()) << made.status().message();
  }

  // `data`: of the ConfigMap, which exists.
  void configure(const std::string& data) {
    const auto changed = api_.client().patch(
        {.resource = api::builtin_schema().find_resource("", "v1", "configmaps"),
         .name_space = "kube-system",
         .name = "proa-dns",
         .subresource = {}},
        api::PatchType::kMerge, json::parse_literal(R"({"data":)" + data + "}"), {}, soon());
    ASSERT_TRUE(changed.ok()) << changed.status().message();
  }

  // REQUIRES: called inside of the namespace.
  std::unique_ptr<DnsAgent> start(http::LoopGroup& loops, int metrics_port = 0,
                                  const std::string& record = "dns-addresses") {
    auto agent = DnsAgent::make({.client = api_.client(),
                                 .schema = api::builtin_schema(),
                                 .clock = clock_,
                                 .random = random_,
                                 .files = files_,
                                 .loops = loops,
                                 .pool = pool_,
                                 .node = api::NodeName("node"),
                                 .options = {.addresses = {address_},
                                             .resolv_conf = folder_.write("resolv.conf", ""),
                                             .record = folder_.file(record),
                                             .metrics_port = metrics_port}});
    EXPECT_TRUE(agent.ok());
    EXPECT_TRUE((*agent)->start().ok());
    return std::move(*agent);
  }
  // "TYPE KIND/NAME COUNT: MESSAGE" of each.
  std::vector<std::string> loop_events() { return events("default", "DNSLoop"); }
  std::vector<std::string> events(const std::string& name_space, const std::string& reason) {
    std::vector<std::string> texts;
    client::ListQuery query;
    query.field_selector = "reason=" + reason;
    const auto listed =
        api_.client().list({.resource = api::builtin_schema().find_resource("", "v1", "events"),
                            .name_space = name_space,
                            .name = {},
                            .subresource = {}},
                           query, soon());
    EXPECT_TRUE(listed.ok());
    if (!listed.ok()) return texts;
    for (const api::ObjectPtr& event : listed->items) {
      const json::Document document = event->document().value();
      const api::View root(document.root());
      texts.push_back(fmt::format(
          "{} {}/{} {}: {}", root["type"].text(), root["involvedObject"]["kind"].text(),
          root["involvedObject"]["name"].text(), root["count"].integer(), root["message"].text()));
    }
    return texts;
  }
  std::string ask(std::string_view name) {
    return message_text(
        testkit::ask_udp(address_, 53, testkit::make_query(1, name, Type::kA), 1000));
  }
  bool soon_answers(std::string_view name, std::string_view part) {
    return holds_within(seconds(10), [&] { return ask(name).find(part) != std::string::npos; });
  }

  const IpAddress address_ = parse_ip("10.96.0.10").value();
  SystemFiles files_;
  SystemRandom random_;
  testkit::TempDir folder_;
  apiserver::LocalTestClient api_;
  WorkerPool pool_{WorkerPool::Options{.max_threads = 1}};
};

TEST_F(DnsAgentTest, AnswersWhatTheApiHas) {
  inside([&] {
    shell("ip link set lo up");
    http::LoopGroup loops(1);
    const auto agent = start(loops);
    EXPECT_TRUE(holds_within(seconds(10), [&] { return agent->state().ok(); }));
    create("services", "default",
           R"({"metadata":{"name":"web"},"spec":{"clusterIP":"10.96.0.5","ports":[{"port":80}]}})");
    EXPECT_TRUE(soon_answers("web.default.svc.cluster.local", "30 A 10.96.0.5"));
    EXPECT_EQ(testkit::ask_tcp(address_, 53,
                               {testkit::make_query(1, "web.default.svc.cluster.local", Type::kA)})
                  .size(),
              1U);
    // A configuration counts as soon as it is there.
    create(
        "configmaps", "kube-system",
        R"({"metadata":{"name":"proa-dns"},"data":{"ttl":"7","hosts":"10.9.9.9 printer.corp"}})");
    EXPECT_TRUE(soon_answers("web.default.svc.cluster.local", "7 A 10.96.0.5"));
    EXPECT_TRUE(soon_answers("printer.corp", "10.9.9.9"));
  });
}

TEST_F(DnsAgentTest, BringsItsAddressBack) {
  inside([&] {
    shell("ip link set lo up");
    http::LoopGroup loops(1);
    auto agent = start(loops);
    EXPECT_TRUE(soon_answers("dns-version.cluster.local", "NOERROR"));
    shell("ip address del 10.96.0.10/32 dev lo");
    EXPECT_TRUE(soon_answers("dns-version.cluster.local", "NOERROR"));
    agent.reset();
    // For pods that go on: the next process answers there again.
    EXPECT_NE(shell("ip -o address show lo").find("10.96.0.10/32"), std::string::npos);
  });
}

// Who else answers in the namespace, at an address of the machine: the name "where.corp" with that
// address.
class OtherServer {
 public:
  OtherServer(Clock& clock, const IpAddress& address)
      : access_(clock), handler_({.cluster = cluster_, .clock = clock, .statistics = statistics_}) {
    HostsSettings hosts{.entries = {{.address = address, .names = {"where.corp"}}}, .ttl = 0};
    handler_.set_local_names({std::move(hosts), {}});
    auto started = UdpServer::start({.handler = handler_,
                                     .access = access_,
                                     .statistics = statistics_,
                                     .addresses = {address},
                                     .port = 53,
                                     .threads = 1});
    EXPECT_TRUE(started.ok());
    server_ = std::move(*started);
  }

 private:
  ClusterState cluster_{Zone::make({.servers = {parse_ip("192.0.2.1").value()}}).value()};
  Access access_;
  ServerStatistics statistics_;
  Handler handler_;
  std::unique_ptr<UdpServer> server_;
};

TEST_F(DnsAgentTest, FollowsTheHostsResolvConf) {
  inside([&] {
    shell(
        "ip link set lo up && ip address add 192.0.2.7/32 dev lo && "
        "ip address add 192.0.2.8/32 dev lo");
    const OtherServer first(clock_, parse_ip("192.0.2.7").value());
    const OtherServer second(clock_, parse_ip("192.0.2.8").value());
    http::LoopGroup loops(1);
    const auto agent = start(loops);
    EXPECT_TRUE(holds_within(seconds(10), [&] { return agent->state().ok(); }));
    // Nothing is cached, so that each answer is from the present upstream.
    create("configmaps", "kube-system",
           R"({"metadata":{"name":"proa-dns"},"data":{"cache":"{enabled: false}"}})");
    EXPECT_EQ(ask("where.corp").find("192.0.2."), std::string::npos);
    folder_.write("resolv.conf", "nameserver 192.0.2.7\n");
    EXPECT_TRUE(soon_answers("where.corp", "192.0.2.7"));
    // As DHCP clients do it.
    const std::string other = folder_.write("new", "nameserver 192.0.2.8\n");
    std::filesystem::rename(other, folder_.file("resolv.conf"));
    EXPECT_TRUE(soon_answers("where.corp", "192.0.2.8"));
  });
}

TEST_F(DnsAgentTest, TellsOfALoop) {
  inside([&] {
    shell("ip link set lo up");
    http::LoopGroup loops(1);
    const auto agent = start(loops);
    EXPECT_TRUE(holds_within(seconds(10), [&] { return agent->state().ok(); }));
    // Asks the cluster's DNS whatever it is asked.
    const testkit::FakeUpstream upstream([&](const std::string& query, bool) {
      const testkit::Message answer =
          testkit::ask_udp(address_, 53, testkit::Message(query.begin(), query.end()), 1000);
      return testkit::Sendings{{.bytes = std::string(answer.begin(), answer.end())}};
    });
    const std::string server = fmt::format("127.0.0.1:{}", upstream.port());
    create(
        "configmaps", "kube-system",
        fmt::format(R"({{"metadata":{{"name":"proa-dns"}},"data":{{"upstreams":"{}"}}}})", server));
    EXPECT_TRUE(holds_within(seconds(10), [&] { return !loop_events().empty(); }));
    const std::vector<std::string> events = loop_events();
    ASSERT_EQ(events.size(), 1U);
    EXPECT_TRUE(events[0].starts_with("Warning Node/node 1: upstream resolver " + server +
                                      " (zone .) asks the cluster's DNS"))
        << events[0];
  });
}

TEST_F(DnsAgentTest, TellsOfAnUpstreamThatDoesNotAnswer) {
  inside([&] {
    shell("ip link set lo up");
    http::LoopGroup loops(1);
    const auto agent = start(loops);
    EXPECT_TRUE(soon_answers("dns-version.cluster.local", "NOERROR"));
    create("configmaps", "kube-system",
           R"({"metadata":{"name":"proa-dns"},"data":{"upstreams":"127.0.0.1:1"}})");
    EXPECT_TRUE(holds_within(seconds(20), [&] {
      ask("where.corp");
      return !events("default", "DNSUpstreamSilent").empty();
    }));
    const std::vector<std::string> told = events("default", "DNSUpstreamSilent");
    ASSERT_EQ(told.size(), 1U);
    EXPECT_TRUE(told[0].starts_with(
        "Warning Node/node 1: upstream resolver 127.0.0.1:1 (zone .) does not answer"))
        << told[0];
  });
}

TEST_F(DnsAgentTest, TellsOfAConfigurationThatItDoesNotUse) {
  inside([&] {
    shell("ip link set lo up");
    http::LoopGroup loops(1);
    const auto agent = start(loops);
    EXPECT_TRUE(soon_answers("dns-version.cluster.local", "NOERROR"));
    EXPECT_EQ(agent->problems(), std::vector<std::string>());
    create("configmaps", "kube-system",
           R"({"metadata":{"name":"proa-dns"},"data":{"ttl":"long"}})");
    EXPECT_TRUE(holds_within(seconds(10), [&] {
      return !events("kube-system", "DNSConfigInvalid").empty() && !agent->problems().empty();
    }));
    ASSERT_EQ(agent->problems().size(), 1U);
    EXPECT_TRUE(agent->problems()[0].starts_with(
        "the DNS configuration is not used: ConfigMap kube-system/proa-dns: "))
        << agent->problems()[0];
    EXPECT_TRUE(events("kube-system", "DNSConfigInvalid")[0].starts_with(
        "Warning ConfigMap/proa-dns 1: not used, the former configuration stays in force: "));
  });
}

TEST_F(DnsAgentTest, KeepsTheFormerConfigurationUntilACorrectOne) {
  inside([&] {
    shell("ip link set lo up");
    create("services", "default",
           R"({"metadata":{"name":"web"},"spec":{"clusterIP":"10.96.0.5","ports":[{"port":80}]}})");
    create(
        "configmaps", "kube-system",
        R"({"metadata":{"name":"proa-dns"},"data":{"ttl":"7","hosts":"10.9.9.9 printer.corp"}})");
    http::LoopGroup loops(1);
    const auto agent = start(loops);
    EXPECT_TRUE(soon_answers("web.default.svc.cluster.local", "7 A 10.96.0.5"));
    EXPECT_TRUE(soon_answers("printer.corp", "10.9.9.9"));
    // Nothing of it counts, also what is correct.
    configure(R"({"ttl":"long","hosts":"10.9.9.8 printer.corp"})");
    EXPECT_TRUE(holds_within(seconds(10), [&] { return !agent->problems().empty(); }));
    EXPECT_NE(ask("web.default.svc.cluster.local").find("7 A 10.96.0.5"), std::string::npos);
    EXPECT_NE(ask("printer.corp").find("10.9.9.9"), std::string::npos);
    configure(R"({"ttl":"8","hosts":"10.9.9.7 printer.corp"})");
    EXPECT_TRUE(soon_answers("web.default.svc.cluster.local", "8 A 10.96.0.5"));
    EXPECT_TRUE(soon_answers("printer.corp", "10.9.9.7"));
    EXPECT_TRUE(holds_within(seconds(10), [&] { return agent->problems().empty(); }));
    // The former one again, after an error: nothing differs from what is in force but the error.
    configure(R"({"ttl":"long"})");
    EXPECT_TRUE(holds_within(seconds(10), [&] { return !agent->problems().empty(); }));
    configure(R"({"ttl":"8"})");
    EXPECT_TRUE(holds_within(seconds(10), [&] { return agent->problems().empty(); }));
    EXPECT_NE(ask("web.default.svc.cluster.local").find("8 A 10.96.0.5"), std::string::npos);
  });
}

// There is no former one: names of the cluster are answered all the same.
TEST_F(DnsAgentTest, StartsWithoutAConfigurationThatHasErrors) {
  inside([&] {
    shell("ip link set lo up");
    create("services", "default",
           R"({"metadata":{"name":"web"},"spec":{"clusterIP":"10.96.0.5","ports":[{"port":80}]}})");
    create("configmaps", "kube-system",
           R"({"metadata":{"name":"proa-dns"},"data":{"ttl":"long"}})");
    http::LoopGroup loops(1);
    const auto agent = start(loops);
    EXPECT_TRUE(soon_answers("web.default.svc.cluster.local", "30 A 10.96.0.5"));
    EXPECT_TRUE(holds_within(seconds(10), [&] { return !agent->problems().empty(); }));
    configure(R"({"ttl":"9"})");
    EXPECT_TRUE(soon_answers("web.default.svc.cluster.local", "9 A 10.96.0.5"));
    EXPECT_TRUE(holds_within(seconds(10), [&] { return agent->problems().empty(); }));
  });
}

TEST_F(DnsAgentTest, LeavesTheAddressToTheFirstClusterOfTheMachine) {
  inside([&] {
    shell("ip link set lo up");
    http::LoopGroup loops(1);
    auto first = start(loops);
    EXPECT_TRUE(soon_answers("dns-version.cluster.local", "NOERROR"));
    const auto second = start(loops, 0, "other-addresses");
    EXPECT_TRUE(holds_within(seconds(10), [&] { return !second->problems().empty(); }));
    EXPECT_EQ(second->problems(),
              std::vector<std::string>{
                  "DNS does not answer, so pods cannot resolve names: another node of Proa on this "
                  "machine answers DNS at 10.96.0.10; give one of the clusters another "
                  "--service-cluster-ip-range"});
    first.reset();
    EXPECT_TRUE(holds_within(seconds(10), [&] { return second->problems().empty(); }));
    EXPECT_TRUE(soon_answers("dns-version.cluster.local", "NOERROR"));
  });
}

TEST_F(DnsAgentTest, ServesMetricsToTheCluster) {
  inside([&] {
    // Any address of the second range can send, though no link has it.
    shell("ip link set lo up && ip route add local 198.51.100.0/24 dev lo");
    http::LoopGroup loops(1);
    auto other = open_tcp(parse_ip("127.0.0.1").value(), 9153);
    auto agent = start(loops, 9153);
    // What has its port is said, and harms nothing else.
    EXPECT_TRUE(holds_within(seconds(10), [&] { return !agent->problems().empty(); }));
    EXPECT_TRUE(agent->problems()[0].starts_with("metrics of DNS are not served: "))
        << agent->problems()[0];
    EXPECT_TRUE(agent->state().ok());
    agent.reset();
    other = FileDescriptor();
    agent = start(loops, 9153);
    const auto served_to = [&](const std::string& client) {
      return shell("curl -sS --interface " + client + " http://127.0.0.1:9153/metrics 2>&1 || true")
                 .find("coredns_build_info") != std::string::npos;
    };
    EXPECT_TRUE(holds_within(seconds(10), [&] { return served_to("127.0.0.1"); }));
    EXPECT_FALSE(served_to("198.51.100.7"));
    agent->set_cluster({parse_prefix("198.51.100.7/32").value()});
    EXPECT_TRUE(served_to("198.51.100.7"));
    EXPECT_FALSE(served_to("198.51.100.8"));
  });
}

TEST_F(DnsAgentTest, WaitsForAPortThatIsInUse) {
  inside([&] {
    shell("ip link set lo up");
    http::LoopGroup loops(1);
    auto other = open_tcp(parse_ip("0.0.0.0").value(), 53);
    ASSERT_TRUE(other.ok());
    const auto agent = start(loops);
    EXPECT_TRUE(holds_within(seconds(10), [&] {
      const Result<void> state = agent->state();
      return !state.ok() && state.status().message().find(
                                "another program has 10.96.0.10 port "
                                "53") != std::string::npos;
    }));
    other = FileDescriptor();
    EXPECT_TRUE(soon_answers("dns-version.cluster.local", "NOERROR"));
    EXPECT_TRUE(agent->state().ok());
  });
}

}  // namespace
}  // namespace proa::dns

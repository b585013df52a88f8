#include "dns/cluster/lookup.h"

#include <gtest/gtest.h>

#include "dns/message/text.h"
#include "testkit/dns/test_cluster.h"

namespace proa::dns {
namespace {

class LookupTest : public ::testing::Test {
 protected:
  struct Answer {
    Outcome outcome = Outcome::kNotOurs;
    std::string text;
    std::vector<std::string> reasons;
  };
  Answer ask(std::string_view name, Type type, uint32_t rotation = 0, size_t limit = 1232) {
    Query query;
    query.question = {.name = Name::parse(name).value(), .type = type};
    std::vector<uint8_t> buffer(kMostMessage);
    Writer writer(buffer, limit);
    writer.begin_response(query);
    Answer answer;
    Name external;
    answer.outcome =
        lookup(index_, zone_,
               {.question = query.question, .rotation = rotation, .reasons = &answer.reasons},
               writer, external);
    buffer.resize(writer.finish(Rcode::kNoError));
    answer.text = message_text(buffer);
    return answer;
  }

  void add_endpoints(int count) {
    std::string yaml =
        "{kind: Service, metadata: {namespace: default, name: many}, spec: {clusterIP: None}}\n"
        "---\n{kind: EndpointSlice, metadata: {namespace: default, name: many-1, labels: "
        "{kubernetes.io/service-name: many}}, addressType: IPv4, ports: [{name: p, port: 1, "
        "protocol: TCP}], endpoints: [";
    for (int i = 0; i < count; ++i) {
      yaml +=
          "{addresses: [10.1." + std::to_string(i / 256) + "." + std::to_string(i % 256) + "]},";
    }
    testkit::load_cluster(yaml + "]}", index_);
  }

  Index index_;
  Zone zone_ = *Zone::make({.servers = {parse_ip("10.96.0.10").value()}});
};

// Clients that take the first address are spread over all of them.
TEST_F(LookupTest, StartsAtAnotherAddressEachTime) {
  add_endpoints(3);
  std::set<std::string> firsts;
  for (uint32_t i = 0; i < 3; ++i) {
    const Answer answer = ask("many.default.svc.cluster.local", Type::kA, i);
    const size_t line = answer.text.find('\n') + 1;
    firsts.insert(answer.text.substr(line, answer.text.find('\n', line) - line));
  }
  EXPECT_EQ(firsts.size(), 3U);
}

TEST_F(LookupTest, CutsWhatDoesNotFit) {
  add_endpoints(1000);
  EXPECT_NE(ask("many.default.svc.cluster.local", Type::kA, 7).text.find(" tc"), std::string::npos);
  EXPECT_NE(ask("_p._tcp.many.default.svc.cluster.local", Type::kSrv).text.find(" tc"),
            std::string::npos);
  const std::string whole = ask("many.default.svc.cluster.local", Type::kA, 7, kMostMessage).text;
  EXPECT_EQ(whole.find(" tc"), std::string::npos);
  EXPECT_EQ(std::ranges::count(whole, '\n'), 1001);
}

TEST_F(LookupTest, DoesNotDenyBeforeItKnows) {
  EXPECT_EQ(ask("web.default.svc.cluster.local", Type::kA).outcome, Outcome::kNotReady);
  index_.set_synced();
  EXPECT_EQ(ask("web.default.svc.cluster.local", Type::kA).outcome, Outcome::kNameError);
}

TEST_F(LookupTest, SaysWhy) {
  index_.set_synced();
  testkit::load_cluster(
      "{kind: Namespace, metadata: {name: default}}\n---\n"
      "{kind: Service, metadata: {namespace: default, name: web}, spec: {clusterIP: 10.96.0.5, "
      "ports: [{name: http, port: 80}]}}",
      index_);
  using Reasons = std::vector<std::string>;
  EXPECT_EQ(ask("web.default.svc.cluster.local", Type::kA).reasons,
            Reasons{"Service default/web has the cluster IP 10.96.0.5"});
  EXPECT_EQ(ask("_x._tcp.web.default.svc.cluster.local", Type::kSrv).reasons,
            (Reasons{"Service default/web has the cluster IP 10.96.0.5",
                     "the Service has no port with that name and protocol"}));
  EXPECT_EQ(ask("wep.default.svc.cluster.local", Type::kA).reasons,
            Reasons{"there is no Service wep in Namespace default"});
  EXPECT_EQ(ask("web.defalt.svc.cluster.local", Type::kA).reasons,
            Reasons{"there is no Namespace defalt"});
  EXPECT_EQ(ask("5.0.96.10.in-addr.arpa", Type::kPtr).reasons,
            Reasons{"10.96.0.5 is the cluster IP of Service default/web"});
}

TEST_F(LookupTest, HasNoNamesOfPodsWhereTheyAreDisabled) {
  index_.set_synced();
  index_.set_namespace("default", true);
  EXPECT_EQ(ask("10-0-0-1.default.pod.cluster.local", Type::kA).outcome, Outcome::kAnswer);
  zone_ = *Zone::make({.pod_names = false});
  EXPECT_EQ(ask("10-0-0-1.default.pod.cluster.local", Type::kA).outcome, Outcome::kNameError);
}

TEST(ZoneTest, RefusesDomainsThatLeaveNoRoom) {
  EXPECT_FALSE(Zone::make({.domain = ""}).ok());
  EXPECT_FALSE(Zone::make({.domain = "."}).ok());
  EXPECT_FALSE(Zone::make({.domain = "a..b"}).ok());
  EXPECT_FALSE(Zone::make({.domain = std::string(60, 'a') + "." + std::string(10, 'b')}).ok());
  EXPECT_TRUE(Zone::make({.domain = "k8s.example.com."}).ok());
}

}  // namespace
}  // namespace proa::dns

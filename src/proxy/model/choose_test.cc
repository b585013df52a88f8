#include "proxy/model/choose.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace proa::proxy {
namespace {

// "1": ready, of another node. "2L": local. "3N": not ready. "4T": terminating and serving. "5Ta":
// the same with zone hint a. "6@n": node hint n.
Candidate candidate(std::string_view text) {
  Candidate made;
  made.endpoint = {.address = parse_ip(fmt::format("10.0.0.{}", text[0])).value(), .port = 80};
  for (size_t i = 1; i < text.size(); ++i) {
    switch (text[i]) {
      case 'L':
        made.endpoint.local = true;
        break;
      case 'N':
        made.ready = made.serving = false;
        break;
      case 'T':
        made.ready = false;
        made.terminating = true;
        break;
      case '@':
        made.nodes.push_back(text.substr(++i, 1));
        break;
      default:
        made.zones.push_back(text.substr(i, 1));
    }
  }
  return made;
}

std::vector<Candidate> candidates(std::string_view texts) {
  std::vector<Candidate> all;
  while (!texts.empty()) {
    const size_t end = std::min(texts.find(' '), texts.size());
    all.push_back(candidate(texts.substr(0, end)));
    texts.remove_prefix(std::min(end + 1, texts.size()));
  }
  return all;
}

std::string last_digits(const std::vector<Endpoint>& endpoints) {
  std::string text;
  for (const Endpoint& endpoint : endpoints) {
    const std::string address = endpoint.address.str();
    text += address.back();
  }
  return text;
}

const NodeFacts kNode{.name = "n", .zone = "a"};

struct Case {
  const char* name;
  const char* candidates;
  const char* cluster;
  const char* local;
  bool any = true;
};

TEST(ChooseEndpoints, TakesReadyOnesThenThoseThatStillServe) {
  const Case cases[] = {
      {"no endpoints", "", "", "", false},
      {"ready ones", "1 2L 3N", "12", "2"},
      {"none is usable", "1N 2N", "", "", false},
      {"ready before terminating", "1 2T 3LT", "1", "3"},
      {"terminating only", "1T 2LT 3N", "12", "2"},
      {"a ready local one before terminating local ones", "1L 2LT", "1", "1"},
      {"zone hints", "1a 2b 3aL", "13", "3"},
      {"zone hints do not restrict policy Local", "1a 2bL", "1", "2"},
      {"zone hints, but not of this zone", "1b 2bL", "12", "2"},
      {"one without hint: ignored", "1a 2", "12", ""},
      {"hints of endpoints that are not ready are not read", "1a 2N 3b", "1", ""},
      {"node hints", "1@n 2@m 3@n", "13", ""},
      {"node hints before zone hints", "1@na 2@ma", "1", ""},
      {"node hints of other nodes: zone hints", "1@ma 2@mb", "1", ""},
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(c.name);
    ServicePort port;
    port.external_local = true;
    port.node_port = 30000;
    choose_endpoints(candidates(c.candidates), kNode, port);
    EXPECT_EQ(last_digits(port.cluster_endpoints), c.cluster);
    EXPECT_EQ(last_digits(port.local_endpoints), c.local);
    EXPECT_EQ(port.has_endpoints, c.any);
  }
}

TEST(ChooseEndpoints, ChoosesOnlyForPoliciesInUse) {
  ServicePort port;
  choose_endpoints(candidates("1 2L"), kNode, port);
  EXPECT_EQ(last_digits(port.local_endpoints), "");
  port.internal_local = true;
  choose_endpoints(candidates("1 2L"), kNode, port);
  EXPECT_EQ(last_digits(port.cluster_endpoints), "");
  EXPECT_EQ(last_digits(port.local_endpoints), "2");
  // Remote endpoints exist: dropped here, not rejected.
  choose_endpoints(candidates("1"), kNode, port);
  EXPECT_TRUE(port.has_endpoints);
}

TEST(ChooseEndpoints, KeepsFlowsOfUdpToAllThatServe) {
  ServicePort port;
  choose_endpoints(candidates("1 2T 3N"), kNode, port);
  EXPECT_EQ(last_digits(port.serving_endpoints), "");
  port.name.protocol = Protocol::kUdp;
  choose_endpoints(candidates("1 2T 3N"), kNode, port);
  EXPECT_EQ(last_digits(port.serving_endpoints), "12");
}

TEST(RemoveDuplicates, PrefersEndpointsThatDoNotTerminate) {
  std::vector<Candidate> all = candidates("3 1T 1 2 2T 1T");
  remove_duplicates(all);
  ASSERT_EQ(all.size(), 3U);
  for (const Candidate& one : all) EXPECT_FALSE(one.terminating) << one.endpoint.str();
  EXPECT_EQ(all[0].endpoint.str(), "10.0.0.1:80");
  EXPECT_EQ(all[2].endpoint.str(), "10.0.0.3:80");
}

// Upstream takes the last one, in an order that is not defined.
TEST(RemoveDuplicates, PrefersEndpointsThatAreReady) {
  for (const char* order : {"1 1N 2N", "1N 1 2N", "1T 1 1N 2N"}) {
    SCOPED_TRACE(order);
    std::vector<Candidate> all = candidates(order);
    remove_duplicates(all);
    ASSERT_EQ(all.size(), 2U);
    EXPECT_TRUE(all[0].ready);
    EXPECT_FALSE(all[1].ready);
  }
}

}  // namespace
}  // namespace proa::proxy

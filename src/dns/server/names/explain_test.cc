#include "dns/server/names/explain.h"

#include <gtest/gtest.h>

#include "dns/config/config_map.h"
#include "testkit/dns/test_cluster.h"

namespace proa::dns {
namespace {

class ExplainTest : public ::testing::Test {
 protected:
  ExplainTest() {
    testkit::load_cluster(
        "{kind: Namespace, metadata: {name: shop}}\n---\n"
        "{kind: Service, metadata: {namespace: shop, name: web}, spec: {clusterIP: 10.96.0.5}}\n"
        "---\n"
        "{kind: Service, metadata: {namespace: shop, name: early}, spec: {clusterIP: None, "
        "publishNotReadyAddresses: true}}\n---\n"
        "{kind: EndpointSlice, metadata: {namespace: shop, name: early-1, labels: "
        "{kubernetes.io/service-name: early}}, addressType: IPv4, endpoints: [{addresses: "
        "[10.244.0.12], conditions: {ready: true, serving: false}}]}\n---\n"
        "{kind: Service, metadata: {namespace: shop, name: cdn}, spec: {type: ExternalName, "
        "externalName: www.corp.example}}",
        index_);
    index_.set_synced();
  }

  void configure(const std::map<std::string, std::string, std::less<>>& data) {
    Problems problems;
    settings_ = read_config_map(data, "cluster.local", problems);
    ASSERT_TRUE(problems.errors.empty()) << problems.errors[0];
    zone_ = *Zone::make({.ttl = settings_.cluster.ttl,
                         .pod_names = settings_.cluster.pods != PodRecords::kDisabled});
  }
  Explanation about(std::string_view name, std::string_view name_space = "shop",
                    Type type = Type::kA) {
    return explain(index_, zone_, settings_, {.name = name, .type = type, .name_space = name_space})
        .value();
  }
  std::string text(std::string_view name, std::string_view name_space = "shop") {
    return show_text(about(name, name_space));
  }

  Index index_;
  Settings settings_;
  Zone zone_ = *Zone::make({});
};

TEST_F(ExplainTest, TriesNamesAsAPodDoes) {
  EXPECT_EQ(text("web"),
            "web.shop.svc.cluster.local. A: answered\n"
            "  because Service shop/web has the cluster IP 10.96.0.5\n"
            "web.shop.svc.cluster.local. 30 A 10.96.0.5\n");
  EXPECT_EQ(text("web.shop", "default"),
            "web.shop.default.svc.cluster.local. A: does not exist (NXDOMAIN)\n"
            "  because there is no Namespace default\n"
            "web.shop.svc.cluster.local. A: answered\n"
            "  because Service shop/web has the cluster IP 10.96.0.5\n"
            "web.shop.svc.cluster.local. 30 A 10.96.0.5\n");
  EXPECT_FALSE(explain(index_, zone_, settings_, {.name = "a..b"}).ok());
}

TEST_F(ExplainTest, SaysWhoIsAskedOutside) {
  EXPECT_EQ(text("example.com."),
            "example.com. A: asked of the servers outside\n"
            "  because the name is not within the cluster's domain cluster.local.\n"
            "  because all other names are asked of those of each node's resolv.conf\n");
  configure({{"upstreams", "10.0.0.2"}, {"stubDomains", "{corp.example: [10.1.0.1, 10.1.0.2]}"}});
  EXPECT_EQ(about("example.com.").names[0].upstreams, std::vector<std::string>{"10.0.0.2:53"});
  EXPECT_EQ(about("a.corp.example.").names[0].reasons.back(),
            "names in corp.example are asked of 10.1.0.1:53, 10.1.0.2:53");
  // The target of an ExternalName, too.
  EXPECT_EQ(about("cdn").names[0].reasons.back(),
            "names in corp.example are asked of 10.1.0.1:53, 10.1.0.2:53");
}

TEST_F(ExplainTest, KnowsTheConfiguration) {
  configure({{"hosts", "192.0.2.7 printer.office"},
             {"rewrites", "name exact shop.example web.shop.svc.cluster.local"},
             {"ttl", "7"},
             {"pods", "disabled"}});
  EXPECT_EQ(text("printer.office."),
            "printer.office. A: answered\n"
            "  because the hosts of ConfigMap kube-system/proa-dns have the name\n"
            "printer.office. 3600 A 192.0.2.7\n");
  EXPECT_EQ(text("shop.example."),
            "shop.example. A: answered\n"
            "  because the rewrite rule \"exact shop.example web.shop.svc.cluster.local\" makes it "
            "web.shop.svc.cluster.local.\n"
            "  because Service shop/web has the cluster IP 10.96.0.5\n"
            "shop.example. 7 A 10.96.0.5\n");
  EXPECT_EQ(text("10-244-0-1.shop.pod.cluster.local."),
            "10-244-0-1.shop.pod.cluster.local. A: does not exist (NXDOMAIN)\n"
            "  because the configuration disables names of pods\n");
}

TEST_F(ExplainTest, TakesAddresses) {
  EXPECT_EQ(text("10.96.0.5"),
            "5.0.96.10.in-addr.arpa. PTR: answered\n"
            "  because 10.96.0.5 is the cluster IP of Service shop/web\n"
            "5.0.96.10.in-addr.arpa. 30 PTR web.shop.svc.cluster.local.\n");
  const Explanation six = about("2001:db8::1");
  EXPECT_EQ(six.names[0].outcome, Outcome::kNotOurs);
  EXPECT_EQ(reverse_address(*Name::parse(six.names[0].name)), parse_ip("2001:db8::1"));
}

TEST_F(ExplainTest, NamesThatExistNowhereDoNotExist) {
  EXPECT_TRUE(about("web").exists());
  EXPECT_TRUE(about("web", "shop", Type::kAaaa).exists()) << "without an address of that family";
  EXPECT_TRUE(about("example.com").exists()) << "outside, perhaps";
  EXPECT_FALSE(about("wep").exists());
  EXPECT_FALSE(about("wep.shop.svc.cluster.local").exists());
}

TEST_F(ExplainTest, EndpointsNeedNotBeReadyWhereTheServiceSaysSo) {
  EXPECT_EQ(about("early").names[0].reasons,
            std::vector<std::string>{"Service shop/early is headless, with 1 address of endpoints, "
                                     "ready or not (publishNotReadyAddresses)"});
}

}  // namespace
}  // namespace proa::dns

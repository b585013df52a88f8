#include "dns/cluster/explain.h"

#include <gtest/gtest.h>

#include "testkit/dns/test_cluster.h"

namespace proa::dns {
namespace {

TEST(Explain, TriesNamesAsAPodDoes) {
  Index index;
  testkit::load_cluster(
      "{kind: Namespace, metadata: {name: shop}}\n---\n"
      "{kind: Service, metadata: {namespace: shop, name: web}, spec: {clusterIP: 10.96.0.5}}",
      index);
  index.set_synced();
  const Zone zone = *Zone::make({});
  const auto text = [&](std::string_view name, std::string_view name_space) {
    return explain(index, zone, {.name = name, .name_space = name_space}).value();
  };
  EXPECT_EQ(text("web", "shop"),
            "web.shop.svc.cluster.local. A: answered\n"
            "  because Service shop/web has the cluster IP 10.96.0.5\n"
            "web.shop.svc.cluster.local. 30 A 10.96.0.5\n");
  EXPECT_EQ(text("web.shop", "default"),
            "web.shop.default.svc.cluster.local. A: does not exist (NXDOMAIN)\n"
            "  because there is no Namespace default\n"
            "web.shop.svc.cluster.local. A: answered\n"
            "  because Service shop/web has the cluster IP 10.96.0.5\n"
            "web.shop.svc.cluster.local. 30 A 10.96.0.5\n");
  EXPECT_EQ(text("example.com.", "shop"),
            "example.com. A: asked of the servers outside\n"
            "  because the name is not within the cluster's domain cluster.local.\n");
  EXPECT_FALSE(explain(index, zone, {.name = "a..b"}).ok());
}

}  // namespace
}  // namespace proa::dns

#include "cli/node/dns/dns_flags.h"

#include <gtest/gtest.h>

#include "api/schema/builtin.h"
#include "json/parse.h"
#include "testkit/apiserver/test_clients.h"

namespace proa::cli {
namespace {

class FindClusterDnsTest : public ::testing::Test {
 protected:
  void create_service(const std::string& labels) {
    const auto made = api_.client().create(
        {.resource = api::builtin_schema().find_resource("", "v1", "services"),
         .name_space = "kube-system",
         .name = {},
         .subresource = {}},
        json::parse_literal(R"({"metadata":{"name":"kube-dns","labels":{)" + labels +
                            R"(}},"spec":{"clusterIP":"10.96.0.10","ports":[{"port":53}]}})"),
        {}, {});
    ASSERT_TRUE(made.ok()) << made.status().message();
  }
  ClusterDns find() {
    const auto found = find_cluster_dns(api_.client(), clock_, Duration::zero());
    EXPECT_TRUE(found.ok());
    return found.ok() ? *found : ClusterDns{};
  }

  apiserver::LocalTestClient api_;
  SystemClock clock_;
};

TEST_F(FindClusterDnsTest, NoneIsThere) { EXPECT_TRUE(find().addresses.empty()); }

TEST_F(FindClusterDnsTest, NodesAnswerThemselves) {
  create_service(R"("service.kubernetes.io/service-proxy-name":"proa-dns")");
  EXPECT_EQ(find().addresses, std::vector{parse_ip("10.96.0.10").value()});
  EXPECT_TRUE(find().ours);
}

TEST_F(FindClusterDnsTest, TheUserHasAnother) {
  create_service(R"("k8s-app":"kube-dns")");
  EXPECT_EQ(find().addresses, std::vector{parse_ip("10.96.0.10").value()});
  EXPECT_FALSE(find().ours);
}

}  // namespace
}  // namespace proa::cli

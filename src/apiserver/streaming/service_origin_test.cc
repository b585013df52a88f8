#include "apiserver/streaming/service_origin.h"

#include <gtest/gtest.h>

#include <set>

#include "api/schema/builtin.h"
#include "testkit/apiserver/running_api.h"

namespace proa::apiserver {
namespace {

class ServiceOriginTest : public testing::Test {
 protected:
  void put_service(const std::string& spec) {
    const auto made = api_.ask("POST", "/api/v1/namespaces/default/services",
                               R"({"metadata":{"name":"hook"},"spec":)" + spec + "}");
    ASSERT_EQ(made.code, 201) << made.body;
  }
  void put_slice(const std::string& name, const std::string& service, const std::string& endpoints,
                 const std::string& port = "https") {
    const auto made = api_.ask(
        "POST", "/apis/discovery.k8s.io/v1/namespaces/default/endpointslices",
        R"({"metadata":{"name":")" + name + R"(","labels":{"kubernetes.io/service-name":")" +
            service + R"("}},"addressType":"IPv4","endpoints":)" + endpoints +
            R"(,"ports":[{"name":")" + port + R"(","port":8443}]})");
    ASSERT_EQ(made.code, 201) << made.body;
  }
  std::string find(int64_t port = 443) {
    const ObjectReader objects(api_.store(), api::builtin_schema());
    const Result<http::Origin> found = find_service(
        objects, {.name_space = "default", .name = "hook", .port = port}, random_, egress_);
    if (!found) return found.status().message();
    return found->str() + (found->via.empty() ? "" : " by a tunnel");
  }

  testkit::RunningApi api_;
  SeededRandom random_{1};
  PodEgress egress_ = PodEgress::kDirect;
};

TEST_F(ServiceOriginTest, IsAnEndpointThatIsReady) {
  EXPECT_EQ(find(), R"(service "hook" not found)");
  put_service(R"({"ports":[{"name":"https","port":443}]})");
  EXPECT_EQ(find(), R"(no endpoints available for service "hook")");
  EXPECT_EQ(find(80), R"(no service port 80 found for service "hook")");
  put_slice("other", "other", R"([{"addresses":["10.0.0.9"]}])");
  put_slice("metrics", "hook", R"([{"addresses":["10.0.0.8"]}])", "metrics");
  put_slice("waiting", "hook", R"([{"addresses":["10.0.0.7"],"conditions":{"ready":false}}])");
  EXPECT_EQ(find(), R"(no endpoints available for service "hook")");
  put_slice("good", "hook", R"([{"addresses":["10.0.0.1"],"conditions":{"ready":true}}])");
  EXPECT_EQ(find(), "https://10.0.0.1:8443");
  put_slice("another", "hook", R"([{"addresses":["10.0.0.2"]}])");
  std::set<std::string> seen;
  for (int i = 0; i < 50; ++i) seen.insert(find());
  EXPECT_EQ(seen, (std::set<std::string>{"https://10.0.0.1:8443", "https://10.0.0.2:8443"}));
}

TEST_F(ServiceOriginTest, MayBeAName) {
  put_service(R"({"type":"ExternalName","externalName":"hooks.example.com"})");
  EXPECT_EQ(find(), "https://hooks.example.com");
  EXPECT_EQ(find(8443), "https://hooks.example.com:8443");
}

// It could be this server itself.
TEST_F(ServiceOriginTest, IsNoForbiddenAddress) {
  put_service(R"({"type":"ExternalName","externalName":"127.0.0.1"})");
  EXPECT_EQ(find(), "the external name of a service leads to 127.0.0.1: address not allowed");
}

// Where this server has no route to pods, their nodes have one.
TEST_F(ServiceOriginTest, OfAPodMayNeedATunnel) {
  put_service(R"({"ports":[{"name":"https","port":443}]})");
  put_slice("good", "hook",
            R"([{"addresses":["10.0.0.1"],"targetRef":{"kind":"Pod","name":"hook-1"}}])");
  egress_ = PodEgress::kNodes;
  EXPECT_EQ(find(), "https://10.0.0.1:8443");  // no such pod
  const auto node = api_.ask("POST", "/api/v1/nodes", R"({"metadata":{"name":"n1"}})");
  ASSERT_EQ(node.code, 201) << node.body;
  const http::Headers merge = {{"content-type", "application/merge-patch+json"}};
  ASSERT_EQ(
      api_.ask("PATCH", "/api/v1/nodes/n1/status",
               R"({"status":{"addresses":[{"type":"InternalIP","address":"10.0.1.1"}]}})", merge)
          .code,
      200);
  const auto pod = api_.ask("POST", "/api/v1/namespaces/default/pods",
                            R"({"metadata":{"name":"hook-1"},"spec":{"nodeName":"n1",)"
                            R"("containers":[{"name":"main","image":"hook"}]}})");
  ASSERT_EQ(pod.code, 201) << pod.body;
  ASSERT_EQ(api_.ask("PATCH", "/api/v1/namespaces/default/pods/hook-1/status",
                     R"({"status":{"podIP":"10.0.0.1","podIPs":[{"ip":"10.0.0.1"}]}})", merge)
                .code,
            200);
  EXPECT_EQ(find(), "https://10.0.0.1:8443 by a tunnel");
  egress_ = PodEgress::kDirect;
  EXPECT_EQ(find(), "https://10.0.0.1:8443");
}

}  // namespace
}  // namespace proa::apiserver

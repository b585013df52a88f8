#include "apiserver/objects/catalogue/extension_apis.h"

#include <gtest/gtest.h>

#include "api/schema/builtin.h"
#include "store/memory/memory_store.h"
#include "testkit/apiserver/put_object.h"
#include "testkit/fake_clock.h"

namespace proa::apiserver {
namespace {

class ExtensionApisTest : public testing::Test {
 protected:
  void put(const std::string& version, const std::string& group, const std::string& more,
           const std::string& status = "{}") {
    testkit::put_object(*store_, resource_,
                        R"({"metadata":{"name":")" + version + "." + group +
                            R"("},"spec":{"group":")" + group + R"(","version":")" + version +
                            R"(","groupPriorityMinimum":100,"versionPriority":15)" + more +
                            R"(},"status":)" + status + "}");
  }

  const api::Resource& resource_ =
      *api::builtin_schema().find_resource("apiregistration.k8s.io", "v1", "apiservices");
  testkit::FakeClock clock_;
  std::unique_ptr<store::Store> store_ = store::make_memory_store(clock_);
  ExtensionApis apis_{*store_, api::builtin_schema()};
};

constexpr const char* kService = R"(,"service":{"namespace":"kube-system","name":"metrics"})";

TEST_F(ExtensionApisTest, AreThoseWithAService) {
  EXPECT_EQ(apis_.find("metrics.k8s.io", "v1beta1"), nullptr);
  put("v1", "local.example.com", "");
  put("v1beta1", "metrics.k8s.io", std::string(kService) + R"(,"caBundle":"Q0E=")");
  const ExtensionApiPtr found = apis_.find("metrics.k8s.io", "v1beta1");
  ASSERT_NE(found, nullptr);
  EXPECT_EQ(found->server_name(), "metrics.kube-system.svc");
  EXPECT_EQ(found->port, 443);
  EXPECT_EQ(found->authority_pem, "CA");
  EXPECT_EQ(found->path(), "/apis/metrics.k8s.io/v1beta1");
  EXPECT_FALSE(found->available);
  EXPECT_EQ(apis_.find("local.example.com", "v1"), nullptr);
  EXPECT_EQ(apis_.find("k8s.io", "v1beta1.metrics"), nullptr);
  EXPECT_EQ(apis_.list()->apis.size(), 1U);
}

TEST_F(ExtensionApisTest, AreNeverBuiltInGroups) {
  put("v1", "apps", kService);
  put("v2", "rbac.authorization.k8s.io", kService);
  EXPECT_EQ(apis_.find("apps", "v1"), nullptr);
  EXPECT_EQ(apis_.find("rbac.authorization.k8s.io", "v2"), nullptr);
}

TEST_F(ExtensionApisTest, TellWhenTheyChange) {
  put("v1", "example.com", kService);
  const uint64_t first = apis_.list()->number;
  put("v1", "other.example.com", "");  // of no interest
  EXPECT_EQ(apis_.list()->number, first);
  put("v1", "example.com", kService,
      R"({"conditions":[{"type":"Available","status":"True","reason":"Passed"}]})");
  EXPECT_NE(apis_.list()->number, first);
  EXPECT_TRUE(apis_.find("example.com", "v1")->available);
  put("v1", "example.com", "");
  EXPECT_TRUE(apis_.list()->apis.empty());
}

}  // namespace
}  // namespace proa::apiserver

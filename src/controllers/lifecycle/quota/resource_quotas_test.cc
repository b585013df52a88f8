#include "controllers/lifecycle/quota/resource_quotas.h"

#include <gtest/gtest.h>

#include "json/print.h"
#include "kinds/core/quota/usage/amounts.h"
#include "testkit/controllers/custom_kind.h"

namespace proa::controllers {
namespace {

class ResourceQuotasTest : public testing::Test {
 protected:
  void create_quota(const std::string& name, const std::string& spec) {
    world_.create("", "resourcequotas", "default",
                  R"({"metadata":{"name":")" + name + R"("},"spec":)" + spec + "}");
  }
  void create_pod(const std::string& name, const std::string& more = "",
                  const std::string& requests = R"({"cpu":"1"})") {
    world_.create("", "pods", "default",
                  R"({"metadata":{"name":")" + name +
                      R"("},"spec":{"containers":[{"name":"c","image":"i","resources":)"
                      R"({"requests":)" +
                      requests + "}}]" + more + "}}");
  }
  void end_pod(const std::string& name) {
    world_.patch("", "pods", "default", name, R"({"status":{"phase":"Succeeded"}})", "status");
  }
  void remove_pod(const std::string& name) {
    ASSERT_TRUE(world_.client()
                    .remove(world_.place("", "pods", "default", name), {.grace_seconds = 0}, {})
                    .ok());
  }
  api::ObjectPtr quota(const std::string& name) {
    return world_.get("", "resourcequotas", "default", name);
  }
  // "pods=1,requests.cpu=2", of "used" or "hard".
  std::string status(const std::string& name, const char* field = "used") {
    const json::Document document = *quota(name)->document();
    return kinds::quota::text_of(
        kinds::quota::read_amounts(api::View(document.root())["status"][field]));
  }

  testkit::TestWorld world_{std::vector<ControllerEntry>{
      {"resourcequota", "resourcequota-controller", make_resource_quota_controller}}};
};

TEST_F(ResourceQuotasTest, CountsWhatIsThereAlready) {
  create_pod("a");
  create_pod("b");
  create_quota("q", R"({"hard":{"pods":"5","requests.cpu":"5","count/secrets":"3"}})");
  world_.settle();
  EXPECT_EQ(status("q"), "count/secrets=0,pods=2,requests.cpu=2");
  EXPECT_EQ(status("q", "hard"), "count/secrets=3,pods=5,requests.cpu=5");
}

TEST_F(ResourceQuotasTest, AgreesWithWhatAdmissionCharges) {
  create_quota("q", R"({"hard":{"pods":"5","requests.cpu":"5"}})");
  world_.settle();
  create_pod("a", "", R"({"cpu":"500m"})");
  create_pod("b", "", R"({"cpu":"1500m"})");
  const std::string charged = status("q");
  EXPECT_EQ(charged, "pods=2,requests.cpu=2");
  const std::string before(quota("q")->metadata().resource_version);
  world_.restart();
  world_.settle();
  EXPECT_EQ(quota("q")->metadata().resource_version, before);
}

TEST_F(ResourceQuotasTest, GivesBackWhatDeletionsSetFree) {
  create_quota("q", R"({"hard":{"pods":"2","services":"2","count/configmaps":"9"}})");
  world_.settle();
  EXPECT_EQ(status("q"), "count/configmaps=0,pods=0,services=1");  // the service "kubernetes"
  create_pod("a");
  create_pod("b");
  world_.create("", "services", "default",
                R"({"metadata":{"name":"s"},"spec":{"ports":[{"port":80}]}})");
  world_.create("", "configmaps", "default", R"({"metadata":{"name":"m"}})");
  world_.settle();
  EXPECT_EQ(status("q"), "count/configmaps=1,pods=2,services=2");
  remove_pod("a");
  world_.remove("", "services", "default", "s");
  world_.remove("", "configmaps", "default", "m");
  world_.settle();
  EXPECT_EQ(status("q"), "count/configmaps=0,pods=1,services=1");
  create_pod("c");
}

TEST_F(ResourceQuotasTest, GivesBackWhatPodsDoNotNeedAtTheirEnd) {
  create_quota("q", R"({"hard":{"pods":"2","count/pods":"9","requests.cpu":"2"}})");
  world_.settle();
  create_pod("a");
  end_pod("a");
  world_.settle();
  EXPECT_EQ(status("q"), "count/pods=1,pods=0,requests.cpu=0");
}

TEST_F(ResourceQuotasTest, CountsInScopesOnly) {
  create_quota("best-effort", R"({"hard":{"pods":"5"},"scopes":["BestEffort"]})");
  create_quota("ending", R"({"hard":{"pods":"5"},"scopes":["Terminating"]})");
  world_.settle();
  create_pod("a");
  create_pod("b", "", "{}");
  create_pod("c", R"(,"activeDeadlineSeconds":600)");
  world_.restart();
  world_.settle();
  EXPECT_EQ(status("best-effort"), "pods=1");
  EXPECT_EQ(status("ending"), "pods=1");
  remove_pod("b");
  remove_pod("c");
  world_.settle();
  EXPECT_EQ(status("best-effort"), "pods=0");
  EXPECT_EQ(status("ending"), "pods=0");
}

TEST_F(ResourceQuotasTest, FollowsTheSpec) {
  create_pod("a");
  create_quota("q", R"({"hard":{"pods":"5","secrets":"5"}})");
  world_.settle();
  world_.patch("", "resourcequotas", "default", "q",
               R"({"spec":{"hard":{"secrets":null,"pods":"7","requests.cpu":"3"}}})");
  world_.settle();
  EXPECT_EQ(status("q", "hard"), "pods=7,requests.cpu=3");
  EXPECT_EQ(status("q"), "pods=1,requests.cpu=1");
}

TEST_F(ResourceQuotasTest, FollowsServicesAndVolumeClaims) {
  create_quota("q", R"({"hard":{"services.nodeports":"5","requests.storage":"9Gi",)"
                    R"("persistentvolumeclaims":"3"}})");
  world_.settle();
  world_.create("", "services", "default",
                R"({"metadata":{"name":"s"},"spec":{"type":"NodePort","ports":[{"port":80}]}})");
  world_.create("", "persistentvolumeclaims", "default",
                R"({"metadata":{"name":"v"},"spec":{"accessModes":["ReadWriteOnce"],)"
                R"("resources":{"requests":{"storage":"1Gi"}}}})");
  world_.settle();
  EXPECT_EQ(status("q"), "persistentvolumeclaims=1,requests.storage=1Gi,services.nodeports=1");
  world_.patch("", "services", "default", "s",
               R"({"spec":{"type":"ClusterIP","ports":[{"port":80,"protocol":"TCP"}]}})");
  world_.patch("", "persistentvolumeclaims", "default", "v", R"({"metadata":{"finalizers":null}})");
  world_.remove("", "persistentvolumeclaims", "default", "v");
  world_.settle();
  EXPECT_EQ(status("q"), "persistentvolumeclaims=0,requests.storage=0,services.nodeports=0");
}

TEST_F(ResourceQuotasTest, RecountsEveryFiveMinutes) {
  create_pod("a");
  create_quota("q", R"({"hard":{"pods":"5"}})");
  world_.settle();
  world_.pass(std::chrono::seconds(15));
  world_.patch("", "resourcequotas", "default", "q", R"({"status":{"used":{"pods":"4"}}})",
               "status");
  world_.pass(std::chrono::minutes(4));
  EXPECT_EQ(status("q"), "pods=4");
  world_.pass(std::chrono::minutes(2));
  EXPECT_EQ(status("q"), "pods=1");
}

TEST_F(ResourceQuotasTest, OtherNamespacesAreNotCounted) {
  create_quota("q", R"({"hard":{"configmaps":"5"}})");
  world_.create("", "configmaps", "kube-system", R"({"metadata":{"name":"m"}})");
  world_.settle();
  EXPECT_EQ(status("q"), "configmaps=0");
}

TEST_F(ResourceQuotasTest, NothingIsWrittenWhenAllIsCounted) {
  create_pod("a");
  create_quota("q", R"({"hard":{"pods":"5","requests.cpu":"1500m"}})");
  world_.pass(std::chrono::minutes(6));
  const std::string before(quota("q")->metadata().resource_version);
  world_.restart();
  world_.pass(std::chrono::minutes(11));
  EXPECT_EQ(quota("q")->metadata().resource_version, before);
}

TEST_F(ResourceQuotasTest, CountsCustomObjects) {
  create_quota("q", R"({"hard":{"count/ships.example.com":"5"}})");
  world_.settle();
  EXPECT_EQ(status("q"), "");
  testkit::CustomKind ships(world_);
  EXPECT_EQ(status("q"), "count/ships.example.com=0");
  ships.create("default", R"({"metadata":{"name":"a"}})");
  ships.create("default", R"({"metadata":{"name":"b"}})");
  world_.pass(std::chrono::minutes(6));  // admission may have charged them, or not
  EXPECT_EQ(status("q"), "count/ships.example.com=2");
  ships.remove("default", "a");
  world_.settle();
  EXPECT_EQ(status("q"), "count/ships.example.com=1");
}

}  // namespace
}  // namespace proa::controllers

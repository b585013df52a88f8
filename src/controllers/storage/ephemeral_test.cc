#include "controllers/storage/ephemeral.h"

#include <gtest/gtest.h>

#include "testkit/controllers/storage_world.h"

namespace proa::controllers {
namespace {

using storage::TestClaim;

class EphemeralTest : public testing::Test {
 protected:
  api::ObjectPtr create_pod() {
    return world_.create(
        "", "pods", "default",
        R"({"metadata":{"name":"web"},"spec":{"containers":[{"name":"c","image":"i"}],)"
        R"("volumes":[{"name":"plain","emptyDir":{}},{"name":"d","ephemeral":{)"
        R"("volumeClaimTemplate":{"metadata":{"labels":{"a":"b"},"annotations":{"c":"d"}},)"
        R"("spec":{"accessModes":["ReadWriteOnce"],"storageClassName":"gold",)"
        R"("resources":{"requests":{"storage":"1Gi"}}}}}}]}})");
  }

  storage::StorageWorld world_{std::vector<ControllerEntry>{
      {"ephemeral-volume", "ephemeral-volume-controller", make_ephemeral_volumes}}};
};

TEST_F(EphemeralTest, CreatesAClaimOwnedByThePod) {
  const api::ObjectPtr pod = create_pod();
  world_.settle();
  EXPECT_EQ(world_.claim("web-d", "spec.storageClassName"), "gold");
  EXPECT_EQ(world_.claim("web-d", "spec.resources.requests.storage"), "1Gi");
  EXPECT_EQ(world_.claim("web-d", "metadata.labels.a"), "b");
  EXPECT_EQ(world_.claim("web-d", "metadata.annotations.c"), "d");
  EXPECT_EQ(world_.claim("web-d", "metadata.ownerReferences"),
            R"([{"apiVersion":"v1","kind":"Pod","name":"web","uid":")" +
                std::string(pod->metadata().uid) +
                R"(","controller":true,"blockOwnerDeletion":true}])");
  EXPECT_EQ(world_.list("", "persistentvolumeclaims", "default").size(), 1U);
  const std::vector<std::string> before = world_.versions();
  world_.restart();
  world_.settle();
  EXPECT_EQ(world_.versions(), before);
}

TEST_F(EphemeralTest, RecreatesADeletedClaim) {
  create_pod();
  world_.settle();
  world_.remove("", "persistentvolumeclaims", "default", "web-d");
  world_.patch("", "persistentvolumeclaims", "default", "web-d",
               R"({"metadata":{"finalizers":null}})");
  EXPECT_EQ(world_.claim("web-d", "metadata.name"), "(gone)");
  world_.settle();
  EXPECT_EQ(world_.claim("web-d", "metadata.name"), "web-d");
}

TEST_F(EphemeralTest, DoesNotUseAForeignClaim) {
  world_.create(TestClaim{.name = "web-d"});
  create_pod();
  world_.settle();
  EXPECT_EQ(world_.claim("web-d", "metadata.ownerReferences"), "");
  EXPECT_TRUE(world_.has_event("web",
                               "Warning FailedBinding: ephemeral volume d: PVC default/web-d was "
                               "not created for pod default/web (pod is not owner)"));
  world_.remove("", "persistentvolumeclaims", "default", "web-d");
  world_.patch("", "persistentvolumeclaims", "default", "web-d",
               R"({"metadata":{"finalizers":null}})");
  world_.settle();
  EXPECT_EQ(world_.claim("web-d", "metadata.labels.a"), "b");
}

TEST_F(EphemeralTest, APodThatIsLeavingGetsNone) {
  create_pod();
  world_.patch("", "pods", "default", "web", R"({"metadata":{"finalizers":["my.io/own"]}})");
  world_.remove("", "pods", "default", "web");
  world_.settle();
  EXPECT_TRUE(world_.list("", "persistentvolumeclaims", "default").empty());
}

}  // namespace
}  // namespace proa::controllers

#include "controllers/storage/protection.h"

#include <gtest/gtest.h>

#include "api/schema/builtin.h"
#include "testkit/controllers/storage_world.h"

namespace proa::controllers {
namespace {

using storage::TestClaim;
using storage::TestPod;
using storage::TestVolume;

class ProtectionTest : public testing::Test {
 protected:
  void delete_claim() { world_.remove("", "persistentvolumeclaims", "default", "data"); }
  void delete_pod_at_once() {
    ASSERT_TRUE(world_.client().remove(world_.place("", "pods", "default", "web"),
                                       {.grace_seconds = 0}, {}));
  }
  bool is_claim_there() { return world_.claim("data", "metadata.name") == "data"; }

  storage::StorageWorld world_{std::vector<ControllerEntry>{
      {"persistentvolumeclaim-protection", "pvc-protection-controller", make_claim_protection},
      {"persistentvolume-protection", "pv-protection-controller", make_volume_protection},
      {"volumeattributesclass-protection-controller", "volumeattributesclass-protection-controller",
       make_attributes_class_protection}}};
};

TEST_F(ProtectionTest, FinalizersComeBack) {
  world_.create(TestClaim{});
  world_.create(TestVolume{});
  world_.patch("", "persistentvolumeclaims", "default", "data",
               R"({"metadata":{"finalizers":["my.io/own"]}})");
  world_.patch("", "persistentvolumes", "", "v", R"({"metadata":{"finalizers":null}})");
  world_.settle();
  EXPECT_EQ(world_.claim("data", "metadata.finalizers"),
            R"(["my.io/own","kubernetes.io/pvc-protection"])");
  EXPECT_EQ(world_.volume("v", "metadata.finalizers"), R"(["kubernetes.io/pv-protection"])");
  const std::vector<std::string> before = world_.versions();
  world_.restart();
  world_.settle();
  EXPECT_EQ(world_.versions(), before);
}

TEST_F(ProtectionTest, AClaimThatNobodyUsesGoesAtOnce) {
  world_.create(TestClaim{});
  world_.settle();
  delete_claim();
  EXPECT_TRUE(is_claim_there());
  world_.settle();
  EXPECT_FALSE(is_claim_there());
}

TEST_F(ProtectionTest, AClaimStaysWhileAPodOnANodeUsesIt) {
  world_.create_node("n1");
  world_.create(TestClaim{});
  world_.create(TestPod{.node = "n1"});
  world_.settle();
  delete_claim();
  world_.settle();
  EXPECT_TRUE(is_claim_there());
  world_.restart();
  world_.settle();
  EXPECT_TRUE(is_claim_there());
  delete_pod_at_once();
  world_.settle();
  EXPECT_FALSE(is_claim_there());
}

TEST_F(ProtectionTest, AFinishedPodStillUsesItsClaimUntilItIsDeleted) {
  world_.create_node("n1");
  world_.create(TestClaim{});
  world_.create(TestPod{.node = "n1"});
  delete_claim();
  world_.patch("", "pods", "default", "web", R"({"status":{"phase":"Succeeded"}})", "status");
  world_.settle();
  EXPECT_TRUE(is_claim_there());
}

TEST_F(ProtectionTest, APodWithoutANodeDoesNotKeepAClaim) {
  world_.create(TestClaim{});
  world_.create(TestPod{});
  delete_claim();
  world_.settle();
  EXPECT_FALSE(is_claim_there());
}

// The cache of pods was filled before the pod came: only the server knows of it.
TEST_F(ProtectionTest, AClaimOfAPodThatTheCacheDoesNotKnowStays) {
  SeededRandom random(1);
  WorkerPool pool({.max_threads = 0});
  const api::Schema& schema = api::builtin_schema();
  Informers informers(world_.client(), schema, world_.clock(), random);
  client::EventRecorder events(world_.client(), world_.clock(), pool,
                               *schema.find_resource("", "v1", "events"), {});
  const ControllerOptions options;
  const std::unique_ptr<Controller> controller =
      make_claim_protection({.client = {world_.client(), world_.clock()},
                             .informers = informers,
                             .events = events,
                             .schema = schema,
                             .clock = world_.clock(),
                             .random = random,
                             .pool = pool,
                             .options = options});
  while (!informers.synced()) informers.poll();
  world_.create_node("n1");
  world_.create(TestClaim{});
  world_.create(TestPod{.node = "n1"});
  delete_claim();
  client::Informer& claims = informers.of("", "persistentvolumeclaims");
  while (claims.cache().size() == 0) claims.poll();
  claims.poll();
  ASSERT_EQ(informers.of("", "pods").cache().size(), 0U);
  ASSERT_TRUE(controller->reconcile({"default", "data"}));
  EXPECT_TRUE(is_claim_there());
  delete_pod_at_once();
  ASSERT_TRUE(controller->reconcile({"default", "data"}));
  EXPECT_FALSE(is_claim_there());
}

TEST_F(ProtectionTest, AnEphemeralClaimIsKeptByItsOwnPodOnly) {
  world_.create_node("n1");
  const api::ObjectPtr pod = world_.create(
      "", "pods", "default",
      R"({"metadata":{"name":"web"},"spec":{"nodeName":"n1","containers":[{"name":"c",)"
      R"("image":"i"}],"volumes":[{"name":"d","ephemeral":{"volumeClaimTemplate":{"spec":{)"
      R"("accessModes":["ReadWriteOnce"],"resources":{"requests":{"storage":"1Gi"}}}}}}]}})");
  world_.create(TestClaim{.name = "web-d"});  // somebody else's, of the same name
  world_.remove("", "persistentvolumeclaims", "default", "web-d");
  world_.settle();
  EXPECT_EQ(world_.claim("web-d", "metadata.name"), "(gone)");
  world_.create(TestClaim{.name = "web-d"});
  world_.patch("", "persistentvolumeclaims", "default", "web-d",
               R"({"metadata":{"ownerReferences":[{"apiVersion":"v1","kind":"Pod","name":"web",)"
               R"("controller":true,"uid":")" +
                   std::string(pod->metadata().uid) + "\"}]}}");
  world_.remove("", "persistentvolumeclaims", "default", "web-d");
  world_.settle();
  EXPECT_EQ(world_.claim("web-d", "metadata.name"), "web-d");
  delete_pod_at_once();
  world_.settle();
  EXPECT_EQ(world_.claim("web-d", "metadata.name"), "(gone)");
}

TEST_F(ProtectionTest, AVolumeStaysWhileItIsBound) {
  world_.create(TestVolume{});
  world_.patch("", "persistentvolumes", "", "v", R"({"status":{"phase":"Bound"}})", "status");
  world_.remove("", "persistentvolumes", "", "v");
  world_.settle();
  EXPECT_EQ(world_.volume("v", "metadata.name"), "v");
  world_.patch("", "persistentvolumes", "", "v", R"({"status":{"phase":"Released"}})", "status");
  world_.settle();
  EXPECT_EQ(world_.volume("v", "metadata.name"), "(gone)");
}

TEST_F(ProtectionTest, AClassOfAttributesStaysWhileAClaimNamesIt) {
  const auto name = [&] {
    return world_.at("storage.k8s.io", "volumeattributesclasses", "", "silver", "metadata.name");
  };
  world_.create("storage.k8s.io", "volumeattributesclasses", "",
                R"({"metadata":{"name":"silver"},"driverName":"gold.io","parameters":{"a":"b"}})");
  world_.create("", "persistentvolumeclaims", "default",
                R"({"metadata":{"name":"data"},"spec":{"accessModes":["ReadWriteOnce"],)"
                R"("volumeAttributesClassName":"silver","storageClassName":"",)"
                R"("resources":{"requests":{"storage":"1Gi"}}}})");
  world_.settle();
  world_.remove("storage.k8s.io", "volumeattributesclasses", "", "silver");
  world_.settle();
  EXPECT_EQ(name(), "silver");
  delete_claim();
  world_.settle();
  EXPECT_EQ(name(), "(gone)");
}

}  // namespace
}  // namespace proa::controllers

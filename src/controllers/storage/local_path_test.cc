#include "controllers/storage/local_path.h"

#include <gtest/gtest.h>

#include "controllers/storage/binder/binder.h"
#include "controllers/storage/protection.h"
#include "testkit/controllers/storage_world.h"

namespace proa::controllers {
namespace {

using storage::TestClaim;

class LocalPathTest : public testing::Test {
 protected:
  std::string class_at(std::string_view path) {
    return world_.at("storage.k8s.io", "storageclasses", "", "local-path", path);
  }
  std::string select_node(const std::string& node) {
    world_.patch(
        "", "persistentvolumeclaims", "default", "data",
        R"({"metadata":{"annotations":{"volume.kubernetes.io/selected-node":")" + node + "\"}}}");
    world_.settle();
    return "pvc-" + world_.claim("data", "metadata.uid");
  }

  storage::StorageWorld world_{std::vector<ControllerEntry>{
      {"local-path-provisioner", "local-path-provisioner", make_local_path_provisioner},
      {"persistentvolume-binder", "persistent-volume-binder", make_volume_binder},
      {"persistentvolumeclaim-protection", "pvc-protection-controller", make_claim_protection},
      {"persistentvolume-protection", "pv-protection-controller", make_volume_protection}}};
};

TEST_F(LocalPathTest, TheClassIsThereFromTheStart) {
  world_.settle();
  EXPECT_EQ(class_at("provisioner"), "proa.dev/local-path");
  EXPECT_EQ(class_at("volumeBindingMode"), "WaitForFirstConsumer");
  EXPECT_EQ(class_at("reclaimPolicy"), "Delete");
  EXPECT_EQ(class_at("metadata.annotations#storageclass.kubernetes.io/is-default-class"), "true");
}

TEST_F(LocalPathTest, KeepsUserChangesOfTheClass) {
  world_.settle();
  world_.patch("storage.k8s.io", "storageclasses", "", "local-path",
               R"({"metadata":{"annotations":null}})");
  world_.restart();
  world_.settle();
  EXPECT_EQ(class_at("metadata.annotations"), "");
  world_.remove("storage.k8s.io", "storageclasses", "", "local-path");
  world_.settle();
  EXPECT_EQ(class_at("metadata.name"), "(gone)");
}

TEST_F(LocalPathTest, AnotherDefaultClassStaysTheOnlyOne) {
  world_.create_class("mine", "gold.io/maker", "Immediate", true);
  world_.settle();
  EXPECT_EQ(class_at("metadata.name"), "local-path");
  EXPECT_EQ(class_at("metadata.annotations"), "");
}

TEST(LocalPath, WithoutTheRightThereIsNoClassAndNothingIsTriedAgain) {
  storage::StorageWorld world(std::vector<ControllerEntry>{
      {"local-path-provisioner", "persistent-volume-binder", make_local_path_provisioner}});
  world.settle();
  EXPECT_EQ(world.at("storage.k8s.io", "storageclasses", "", "local-path", "metadata.name"),
            "(gone)");
}

TEST_F(LocalPathTest, AClaimGetsAFolderOfTheNodeOfItsFirstPod) {
  world_.create_class("local-path", "proa.dev/local-path", "WaitForFirstConsumer");
  world_.create_node("n1");
  world_.create(TestClaim{.size = "3Gi", .storage_class = "local-path"});
  world_.settle();
  EXPECT_EQ(world_.claim("data", "status.phase"), "Pending");
  EXPECT_TRUE(world_.list("", "persistentvolumes", "").empty());
  const std::string volume = select_node("n1");
  EXPECT_EQ(world_.claim("data", "status.phase"), "Bound");
  EXPECT_EQ(world_.claim("data", "spec.volumeName"), volume);
  EXPECT_EQ(world_.claim("data", "status.capacity.storage"), "3Gi");
  EXPECT_EQ(world_.volume(volume, "spec.hostPath.path"), "/var/lib/proa/storage/" + volume);
  EXPECT_EQ(world_.volume(volume, "spec.hostPath.type"), "DirectoryOrCreate");
  EXPECT_EQ(world_.volume(volume, "spec.nodeAffinity.required.nodeSelectorTerms"),
            R"([{"matchExpressions":[{"key":"kubernetes.io/hostname","operator":"In",)"
            R"("values":["host-n1"]}]}])");
  EXPECT_EQ(world_.volume(volume, "spec.persistentVolumeReclaimPolicy"), "Delete");
  EXPECT_EQ(world_.volume(volume, "metadata.annotations#pv.kubernetes.io/provisioned-by"),
            "proa.dev/local-path");
  EXPECT_EQ(world_.volume(volume, "metadata.annotations#proa.dev/local-path-node"), "n1");
  const std::vector<std::string> before = world_.versions();
  world_.restart();
  world_.settle();
  EXPECT_EQ(world_.versions(), before);
}

TEST_F(LocalPathTest, DeletesTheVolumeOfADeletedClaim) {
  world_.create_class("local-path", "proa.dev/local-path", "WaitForFirstConsumer");
  world_.create_node("n1");
  world_.create(TestClaim{.storage_class = "local-path"});
  world_.settle();
  const std::string volume = select_node("n1");
  ASSERT_EQ(world_.volume(volume, "status.phase"), "Bound");
  world_.remove("", "persistentvolumeclaims", "default", "data");
  world_.restart();
  world_.settle();
  EXPECT_EQ(world_.claim("data", "metadata.name"), "(gone)");
  EXPECT_EQ(world_.volume(volume, "metadata.name"), "(gone)");
}

// A node whose kubelet manages directories of volumes.
class ManagedLocalPathTest : public LocalPathTest {
 protected:
  // Returns the volume of the claim "data", which is bound.
  std::string make_volume() {
    world_.create_class("local-path", "proa.dev/local-path", "WaitForFirstConsumer");
    world_.create("", "nodes", "",
                  R"({"metadata":{"name":"n1","annotations":{)"
                  R"("proa.dev/local-path-root":"/data/proa/storage"}}})");
    world_.create(TestClaim{.size = "3Gi", .storage_class = "local-path"});
    world_.settle();
    return select_node("n1");
  }
  std::string finalizers(const std::string& volume) {
    return world_.volume(volume, "metadata.finalizers");
  }
};

TEST_F(ManagedLocalPathTest, AVolumeIsBelowTheRootOfItsNode) {
  const std::string volume = make_volume();
  EXPECT_EQ(world_.claim("data", "status.phase"), "Bound");
  EXPECT_EQ(world_.claim("data", "status.capacity.storage"), "3Gi");
  EXPECT_EQ(world_.volume(volume, "spec.capacity.storage"), "3Gi");
  EXPECT_EQ(world_.volume(volume, "spec.local.path"), "/data/proa/storage/" + volume);
  EXPECT_EQ(world_.volume(volume, "spec.hostPath"), "");
  EXPECT_EQ(world_.volume(volume, "metadata.labels#proa.dev/local-path-node"), "n1");
  EXPECT_EQ(finalizers(volume), R"(["proa.dev/local-path","kubernetes.io/pv-protection"])");
}

TEST_F(ManagedLocalPathTest, ADeletedVolumeWaitsForItsNode) {
  const std::string volume = make_volume();
  world_.remove("", "persistentvolumeclaims", "default", "data");
  world_.settle();
  EXPECT_NE(world_.volume(volume, "metadata.deletionTimestamp"), "");
  EXPECT_EQ(finalizers(volume), R"(["proa.dev/local-path"])");
  world_.remove("", "nodes", "", "n1");
  world_.settle();
  EXPECT_EQ(world_.volume(volume, "metadata.name"), "(gone)");
}

TEST_F(ManagedLocalPathTest, ADeletedVolumeOfALostNodeGoesAfterARestart) {
  const std::string volume = make_volume();
  world_.remove("", "nodes", "", "n1");
  world_.remove("", "persistentvolumeclaims", "default", "data");
  world_.restart();
  world_.settle();
  EXPECT_EQ(world_.volume(volume, "metadata.name"), "(gone)");
}

TEST_F(LocalPathTest, SaysAtOnceThatAClaimCannotBeServed) {
  world_.create_class("local-path", "proa.dev/local-path", "WaitForFirstConsumer");
  world_.create(TestClaim{.mode = "ReadWriteMany", .storage_class = "local-path"});
  world_.settle();
  EXPECT_TRUE(world_.has_event("data",
                               "Warning ProvisioningFailed: Failed to provision volume with "
                               "StorageClass \"local-path\": only the access modes ReadWriteOnce "
                               "and ReadWriteOncePod are supported, not ReadWriteMany"));
}

TEST_F(LocalPathTest, AVolumeThatIsToBeRetainedStays) {
  world_.create("storage.k8s.io", "storageclasses", "",
                R"({"metadata":{"name":"kept"},"provisioner":"proa.dev/local-path",)"
                R"("reclaimPolicy":"Retain","volumeBindingMode":"WaitForFirstConsumer",)"
                R"("parameters":{"path":"/mnt/fast/"}})");
  world_.create_node("n1");
  world_.create(TestClaim{.storage_class = "kept"});
  world_.settle();
  const std::string volume = select_node("n1");
  EXPECT_EQ(world_.volume(volume, "spec.hostPath.path"), "/mnt/fast/" + volume);
  world_.remove("", "persistentvolumeclaims", "default", "data");
  world_.settle();
  EXPECT_EQ(world_.volume(volume, "status.phase"), "Released");
}

TEST_F(LocalPathTest, ClearsADeletedSelectedNode) {
  world_.create_class("local-path", "proa.dev/local-path", "WaitForFirstConsumer");
  world_.create(TestClaim{.storage_class = "local-path"});
  world_.settle();
  select_node("n9");
  EXPECT_EQ(world_.claim("data", "metadata.annotations#volume.kubernetes.io/selected-node"), "");
  world_.create_node("n1");
  select_node("n1");
  EXPECT_EQ(world_.claim("data", "status.phase"), "Bound");
}

struct RefusalCase {
  TestClaim claim;
  std::string mode;
  std::string why;
};

// Alone, as the binder tells people of the same claim at the same time.
TEST(LocalPath, RefusesWhatAFolderIsNot) {
  const std::string late = "WaitForFirstConsumer";
  const std::vector<RefusalCase> cases = {
      {{.mode = "ReadWriteMany"},
       late,
       "only the access modes ReadWriteOnce and ReadWriteOncePod are supported, not ReadWriteMany"},
      {{.volume_mode = "Block"}, late, "only the volumeMode Filesystem is supported"},
      {{.selector = "{}"}, late, "claim.spec.selector is not supported"},
      {{},
       "Immediate",
       "no node was selected: classes of proa.dev/local-path need the volumeBindingMode "
       "WaitForFirstConsumer"},
  };
  for (const RefusalCase& c : cases) {
    SCOPED_TRACE(c.why);
    storage::StorageWorld world(std::vector<ControllerEntry>{
        {"local-path-provisioner", "local-path-provisioner", make_local_path_provisioner}});
    world.create_class("local", "proa.dev/local-path", c.mode);
    world.create_node("n1");
    TestClaim claim = c.claim;
    claim.storage_class = "local";
    claim.annotations = {{"volume.kubernetes.io/storage-provisioner", "proa.dev/local-path"}};
    if (c.mode == late) claim.annotations["volume.kubernetes.io/selected-node"] = "n1";
    world.create(claim);
    world.settle();
    EXPECT_TRUE(world.list("", "persistentvolumes", "").empty());
    EXPECT_TRUE(world.has_event("data",
                                "Warning ProvisioningFailed: Failed to provision volume with "
                                "StorageClass \"local\": " +
                                    c.why));
  }
}

}  // namespace
}  // namespace proa::controllers

#include "controllers/storage/binder/binder.h"

#include <gtest/gtest.h>

#include "controllers/storage/protection.h"
#include "testkit/controllers/storage_world.h"

namespace proa::controllers {
namespace {

using storage::TestClaim;
using storage::TestPod;
using storage::TestVolume;

class BinderTest : public testing::Test {
 protected:
  std::string uid(std::string_view claim) { return world_.claim(claim, "metadata.uid"); }
  void expect_bound(const std::string& claim, const std::string& volume) {
    EXPECT_EQ(world_.claim(claim, "status.phase"), "Bound");
    EXPECT_EQ(world_.claim(claim, "spec.volumeName"), volume);
    EXPECT_EQ(world_.volume(volume, "status.phase"), "Bound");
    EXPECT_EQ(world_.volume(volume, "spec.claimRef.name"), claim);
    EXPECT_EQ(world_.volume(volume, "spec.claimRef.uid"), uid(claim));
  }
  void expect_nothing_written_after_restart() {
    const std::vector<std::string> before = world_.versions();
    world_.restart();
    world_.settle();
    EXPECT_EQ(world_.versions(), before);
  }

  storage::StorageWorld world_{std::vector<ControllerEntry>{
      {"persistentvolume-binder", "persistent-volume-binder", make_volume_binder},
      {"persistentvolumeclaim-protection", "pvc-protection-controller", make_claim_protection},
      {"persistentvolume-protection", "pv-protection-controller", make_volume_protection}}};
};

TEST_F(BinderTest, AClaimGetsTheSmallestVolumeThatFits) {
  world_.create(TestVolume{.name = "large", .size = "10Gi"});
  world_.create(TestVolume{.name = "small", .size = "2Gi"});
  world_.create(TestClaim{.size = "1Gi"});
  world_.settle();
  expect_bound("data", "small");
  EXPECT_EQ(world_.volume("large", "status.phase"), "Available");
  EXPECT_EQ(world_.claim("data", "status.capacity.storage"), "2Gi");
  EXPECT_EQ(world_.claim("data", "status.accessModes"), R"(["ReadWriteOnce"])");
  EXPECT_EQ(world_.claim("data", "metadata.annotations#pv.kubernetes.io/bind-completed"), "yes");
  EXPECT_EQ(world_.claim("data", "metadata.annotations#pv.kubernetes.io/bound-by-controller"),
            "yes");
  EXPECT_EQ(world_.volume("small", "metadata.annotations#pv.kubernetes.io/bound-by-controller"),
            "yes");
  EXPECT_EQ(world_.volume("small", "spec.claimRef.apiVersion"), "v1");
  EXPECT_EQ(world_.volume("small", "spec.claimRef.kind"), "PersistentVolumeClaim");
  expect_nothing_written_after_restart();
}

TEST_F(BinderTest, AClaimWaitsUntilThereIsAVolume) {
  world_.create(TestClaim{});
  world_.settle();
  EXPECT_EQ(world_.claim("data", "status.phase"), "Pending");
  EXPECT_TRUE(world_.has_event("data",
                               "Normal FailedBinding: no persistent volumes available for this "
                               "claim and no storage class is set"));
  world_.create(TestVolume{});
  world_.settle();
  expect_bound("data", "v");
}

TEST_F(BinderTest, NoVolumeIsGivenToTwoClaims) {
  for (int i = 0; i < 20; ++i) world_.create(TestClaim{.name = "c" + std::to_string(i)});
  for (int i = 0; i < 10; ++i) world_.create(TestVolume{.name = "v" + std::to_string(i)});
  world_.settle();
  std::map<std::string, int> owners;
  for (int i = 0; i < 20; ++i) {
    const std::string volume = world_.claim("c" + std::to_string(i), "spec.volumeName");
    if (volume.empty()) continue;
    ++owners[volume];
    expect_bound("c" + std::to_string(i), volume);
  }
  EXPECT_EQ(owners.size(), 10U);
  for (const auto& [volume, count] : owners) EXPECT_EQ(count, 1) << volume;
}

TEST_F(BinderTest, AClaimThatNamesItsVolumeGetsIt) {
  world_.create(TestVolume{.name = "a"});
  world_.create(TestVolume{.name = "b", .size = "9Gi"});
  world_.create(TestClaim{.volume = "b"});
  world_.settle();
  expect_bound("data", "b");
  EXPECT_EQ(world_.claim("data", "metadata.annotations#pv.kubernetes.io/bound-by-controller"), "");
}

TEST_F(BinderTest, AClaimThatNamesAVolumeWaitsForIt) {
  world_.create(TestClaim{.volume = "b"});
  world_.settle();
  EXPECT_EQ(world_.claim("data", "status.phase"), "Pending");
  world_.create(TestVolume{.name = "b"});
  world_.settle();
  expect_bound("data", "b");
}

TEST_F(BinderTest, AClaimCanNotHaveTheVolumeOfAnother) {
  world_.create(TestVolume{});
  world_.create(TestClaim{.name = "first"});
  world_.settle();
  world_.create(TestClaim{.name = "second", .volume = "v"});
  world_.settle();
  expect_bound("first", "v");
  EXPECT_EQ(world_.claim("second", "status.phase"), "Pending");
  EXPECT_TRUE(world_.has_event(
      "second", "Warning FailedBinding: volume \"v\" already bound to a different claim."));
}

TEST_F(BinderTest, AVolumeThatDoesNotFitIsNotGivenEvenByName) {
  world_.create(TestVolume{.size = "1Mi"});
  world_.create(TestClaim{.volume = "v"});
  world_.settle();
  EXPECT_EQ(world_.claim("data", "status.phase"), "Pending");
  EXPECT_TRUE(world_.has_event("data",
                               "Warning VolumeMismatch: Cannot bind to requested volume \"v\": "
                               "requested PV is too small"));
}

TEST_F(BinderTest, AReservedVolumeIsGivenToItsClaimOnly) {
  world_.create(TestVolume{.claim = "mine"});
  world_.create(TestClaim{.name = "other"});
  world_.settle();
  EXPECT_EQ(world_.claim("other", "status.phase"), "Pending");
  EXPECT_EQ(world_.volume("v", "status.phase"), "Available");
  world_.create(TestClaim{.name = "mine"});
  world_.settle();
  expect_bound("mine", "v");
  EXPECT_EQ(world_.volume("v", "metadata.annotations#pv.kubernetes.io/bound-by-controller"), "");
}

// The states that a binder leaves behind that dies after each of its writes.
TEST_F(BinderTest, AnInterruptedBindingIsFinished) {
  const api::ObjectPtr claim = world_.create(TestClaim{});
  world_.create(TestVolume{.name = "a-tempting"});
  world_.create(TestVolume{.name = "half",
                           .size = "9Gi",
                           .claim = "data",
                           .claim_uid = std::string(claim->metadata().uid),
                           .annotations = {{"pv.kubernetes.io/bound-by-controller", "yes"}}});
  world_.settle();
  expect_bound("data", "half");
  EXPECT_EQ(world_.volume("a-tempting", "status.phase"), "Available");

  const api::ObjectPtr second = world_.create(TestClaim{.name = "second", .volume = "mine"});
  world_.create(TestVolume{
      .name = "mine", .claim = "second", .claim_uid = std::string(second->metadata().uid)});
  world_.restart();
  world_.settle();
  expect_bound("second", "mine");
}

TEST_F(BinderTest, FreesAVolumeAfterAFailedBind) {
  world_.create(TestVolume{.name = "a"});
  const api::ObjectPtr claim = world_.create(TestClaim{});
  world_.settle();
  expect_bound("data", "a");
  // Another binder took these for the same claim, and died.
  world_.create(TestVolume{.name = "b",
                           .claim = "data",
                           .claim_uid = std::string(claim->metadata().uid),
                           .annotations = {{"pv.kubernetes.io/bound-by-controller", "yes"}}});
  world_.create(
      TestVolume{.name = "c", .claim = "data", .claim_uid = std::string(claim->metadata().uid)});
  world_.settle();
  expect_bound("data", "a");
  EXPECT_EQ(world_.volume("b", "spec.claimRef"), "");
  EXPECT_EQ(world_.volume("b", "status.phase"), "Available");
  EXPECT_EQ(world_.volume("c", "spec.claimRef.name"), "data");  // somebody's wish
  EXPECT_EQ(world_.volume("c", "spec.claimRef.uid"), "");
}

TEST_F(BinderTest, AClaimWithoutItsVolumeIsLost) {
  world_.create(TestVolume{});
  world_.create(TestClaim{});
  world_.settle();
  world_.pass(std::chrono::seconds(1));
  world_.remove("", "persistentvolumes", "", "v");
  world_.patch("", "persistentvolumes", "", "v", R"({"metadata":{"finalizers":null}})");
  world_.settle();
  EXPECT_EQ(world_.claim("data", "status.phase"), "Lost");
  EXPECT_EQ(world_.claim("data", "status.capacity"), "");
  EXPECT_TRUE(world_.has_event("data",
                               "Warning ClaimLost: Bound claim has lost its PersistentVolume. Data "
                               "on the volume is lost!"));
  expect_nothing_written_after_restart();
}

TEST_F(BinderTest, KeepsABoundVolumeUntilItsClaimIsDeleted) {
  world_.create(TestVolume{});
  world_.create(TestClaim{});
  world_.settle();
  world_.remove("", "persistentvolumes", "", "v");
  world_.settle();
  EXPECT_EQ(world_.volume("v", "status.phase"), "Bound");
  world_.remove("", "persistentvolumeclaims", "default", "data");
  world_.settle();
  EXPECT_EQ(world_.claim("data", "status.phase"), "(gone)");
  EXPECT_EQ(world_.volume("v", "status.phase"), "(gone)");
}

TEST_F(BinderTest, DoesNotReuseARetainedVolume) {
  world_.create(TestVolume{});
  world_.create(TestClaim{});
  world_.settle();
  const std::string old = uid("data");
  world_.remove("", "persistentvolumeclaims", "default", "data");
  world_.settle();
  EXPECT_EQ(world_.volume("v", "status.phase"), "Released");
  world_.create(TestClaim{});
  world_.settle();
  EXPECT_EQ(world_.claim("data", "status.phase"), "Pending");
  EXPECT_EQ(world_.volume("v", "spec.claimRef.uid"), old);
  expect_nothing_written_after_restart();
  // An administrator makes it available again.
  world_.patch("", "persistentvolumes", "", "v", R"({"spec":{"claimRef":null}})");
  world_.settle();
  expect_bound("data", "v");
}

TEST_F(BinderTest, LeavesDeletionToTheProvisioner) {
  world_.create(TestVolume{.policy = "Delete",
                           .annotations = {{"pv.kubernetes.io/provisioned-by", "gold.io/maker"}}});
  world_.create(TestClaim{});
  world_.settle();
  expect_bound("data", "v");
  world_.remove("", "persistentvolumeclaims", "default", "data");
  world_.settle();
  EXPECT_EQ(world_.volume("v", "status.phase"), "Released");
}

TEST_F(BinderTest, FailsAVolumeThatCannotBeDeleted) {
  world_.create(TestVolume{.policy = "Delete"});
  world_.create(TestVolume{.name = "t", .size = "2Gi", .policy = "Delete", .path = "/tmp/t"});
  world_.create(TestVolume{.name = "r", .size = "3Gi", .policy = "Recycle"});
  for (const char* name : {"a", "b", "c"}) {
    world_.create(TestClaim{.name = name});
    world_.settle();
  }
  for (const char* name : {"a", "b", "c"}) {
    world_.remove("", "persistentvolumeclaims", "default", name);
  }
  world_.settle();
  const std::string why = "host_path deleter only supports /tmp/.+ but received provided /data";
  EXPECT_EQ(world_.volume("v", "status.phase"), "Failed");
  EXPECT_EQ(world_.volume("v", "status.message"), why);
  EXPECT_TRUE(world_.has_event("v", "Warning VolumeFailedDelete: " + why));
  EXPECT_EQ(world_.volume("t", "status.phase"), "(gone)");
  EXPECT_EQ(world_.volume("r", "status.phase"), "Failed");
  EXPECT_TRUE(world_.has_event(
      "r", "Warning VolumeFailedRecycle: No recycler plugin found for the volume!"));
  expect_nothing_written_after_restart();
}

TEST_F(BinderTest, RequestsAVolumeFromTheProvisioner) {
  world_.create_class("gold", "gold.io/maker", "Immediate");
  const api::ObjectPtr claim = world_.create(TestClaim{.storage_class = "gold"});
  world_.settle();
  EXPECT_EQ(world_.claim("data", "metadata.annotations#volume.kubernetes.io/storage-provisioner"),
            "gold.io/maker");
  EXPECT_EQ(
      world_.claim("data", "metadata.annotations#volume.beta.kubernetes.io/storage-provisioner"),
      "gold.io/maker");
  EXPECT_TRUE(world_.has_event(
      "data",
      "Normal ExternalProvisioning: Waiting for a volume to be created either by the external "
      "provisioner 'gold.io/maker' or manually by the system administrator. If volume creation is "
      "delayed, please verify that the provisioner is running and correctly registered."));
  expect_nothing_written_after_restart();
  world_.create(TestVolume{.name = "made",
                           .storage_class = "gold",
                           .policy = "Delete",
                           .claim = "data",
                           .claim_uid = std::string(claim->metadata().uid),
                           .annotations = {{"pv.kubernetes.io/provisioned-by", "gold.io/maker"}}});
  world_.settle();
  expect_bound("data", "made");
}

TEST_F(BinderTest, AVolumeThatWasMadeInVainIsReleased) {
  world_.create_class("gold", "gold.io/maker", "Immediate");
  world_.create(TestVolume{.name = "found", .storage_class = "gold"});
  const api::ObjectPtr claim = world_.create(TestClaim{.storage_class = "gold"});
  world_.settle();
  expect_bound("data", "found");
  world_.create(TestVolume{.name = "made",
                           .storage_class = "gold",
                           .policy = "Delete",
                           .claim = "data",
                           .claim_uid = std::string(claim->metadata().uid),
                           .annotations = {{"pv.kubernetes.io/provisioned-by", "gold.io/maker"}}});
  world_.settle();
  EXPECT_EQ(world_.volume("made", "status.phase"), "Released");
}

TEST_F(BinderTest, AClaimOfALateClassWaitsForItsPod) {
  world_.create_class("late", "gold.io/maker", "WaitForFirstConsumer");
  world_.create(TestVolume{.storage_class = "late"});
  world_.create(TestClaim{.storage_class = "late"});
  world_.settle();
  EXPECT_EQ(world_.claim("data", "status.phase"), "Pending");
  EXPECT_TRUE(world_.has_event("data",
                               "Normal WaitForFirstConsumer: waiting for first consumer to be "
                               "created before binding"));
  world_.pass(std::chrono::seconds(1));
  world_.create(TestPod{});
  world_.settle();
  EXPECT_TRUE(
      world_.has_event("data", "Normal WaitForPodScheduled: waiting for pod web to be scheduled"));
  EXPECT_EQ(world_.claim("data", "metadata.annotations#volume.kubernetes.io/storage-provisioner"),
            "");
  world_.patch("", "persistentvolumeclaims", "default", "data",
               R"({"metadata":{"annotations":{"volume.kubernetes.io/selected-node":"n1"}}})");
  world_.settle();
  EXPECT_EQ(world_.claim("data", "metadata.annotations#volume.kubernetes.io/storage-provisioner"),
            "gold.io/maker");
  EXPECT_EQ(world_.volume("v", "status.phase"), "Available");
}

TEST_F(BinderTest, TheSchedulerBindsByReserving) {
  world_.create_class("late", "gold.io/maker", "WaitForFirstConsumer");
  const api::ObjectPtr claim = world_.create(TestClaim{.storage_class = "late"});
  world_.create(TestVolume{.storage_class = "late"});
  world_.settle();
  world_.patch("", "persistentvolumes", "", "v",
               R"({"metadata":{"annotations":{"pv.kubernetes.io/bound-by-controller":"yes"}},)"
               R"("spec":{"claimRef":{"namespace":"default","name":"data","uid":")" +
                   std::string(claim->metadata().uid) + "\"}}}");
  world_.settle();
  expect_bound("data", "v");
}

TEST_F(BinderTest, ReportsAMissingClass) {
  world_.create(TestClaim{.storage_class = "gold"});
  world_.settle();
  EXPECT_TRUE(world_.has_event(
      "data", "Warning ProvisioningFailed: storageclass.storage.k8s.io \"gold\" not found"));
  world_.create_class("gold", "gold.io/maker", "Immediate");
  world_.settle();
  EXPECT_EQ(world_.claim("data", "metadata.annotations#volume.kubernetes.io/storage-provisioner"),
            "gold.io/maker");
}

TEST_F(BinderTest, AClaimWithoutAClassGetsTheDefaultOneLater) {
  world_.create(TestClaim{.storage_class = std::nullopt});
  world_.create(TestClaim{.name = "none", .storage_class = ""});
  world_.settle();
  EXPECT_EQ(world_.claim("data", "spec.storageClassName"), "");
  world_.create_class("old", "gold.io/maker", "Immediate", true);
  world_.clock().advance(std::chrono::seconds(5));
  world_.create_class("new", "gold.io/maker", "Immediate", true);
  world_.settle();
  EXPECT_EQ(world_.claim("data", "spec.storageClassName"), "new");
  EXPECT_EQ(world_.claim("none", "spec.storageClassName"), "");
}

TEST_F(BinderTest, RepeatsTheEventOfAPendingClaim) {
  world_.create(TestClaim{});
  world_.settle();
  for (const api::ObjectPtr& event : world_.list("", "events", "default")) {
    world_.remove("", "events", "default", event->metadata().name);
  }
  world_.pass(std::chrono::minutes(4));
  EXPECT_TRUE(world_.events("data").empty());
  world_.pass(std::chrono::minutes(1));
  EXPECT_EQ(world_.events("data").size(), 1U);
}

TEST_F(BinderTest, ReportsAVolumeModeMismatch) {
  const api::ObjectPtr claim = world_.create(TestClaim{});
  // Of two new events about one object at the very same time one is lost.
  world_.pass(std::chrono::seconds(1));
  world_.create(TestVolume{
      .claim = "data", .claim_uid = std::string(claim->metadata().uid), .volume_mode = "Block"});
  world_.settle();
  EXPECT_EQ(world_.claim("data", "status.phase"), "Pending");
  EXPECT_TRUE(world_.has_event("data",
                               "Warning VolumeMismatch: Cannot bind PersistentVolume \"v\" to "
                               "requested PersistentVolumeClaim due to incompatible volumeMode."));
  EXPECT_TRUE(world_.has_event("v",
                               "Warning VolumeMismatch: Cannot bind PersistentVolume to requested "
                               "PersistentVolumeClaim \"data\" due to incompatible volumeMode."));
}

}  // namespace
}  // namespace proa::controllers

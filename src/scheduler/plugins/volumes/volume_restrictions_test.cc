#include "scheduler/plugins/volumes/volume_restrictions.h"

#include "testkit/scheduler/plugins/test_storage.h"

namespace proa::scheduler::volumes_test {
namespace volume_restrictions_test {

constexpr const char* kNoDisk = "Unschedulable: node(s) had no available disk";
constexpr const char* kInUse =
    "Unschedulable: node(s) unavailable due to PersistentVolumeClaim with ReadWriteOncePod access "
    "mode already in-use by another pod";

struct DiskCase {
  const char* name;
  const char* wanted;
  const char* there;
  bool conflict;
};

TEST(VolumeRestrictions, KeepsPodsApartThatCannotShareADisk) {
  const char* gce = R"({"gcePersistentDisk":{"pdName":"a"}})";
  const char* gce_read = R"({"gcePersistentDisk":{"pdName":"a","readOnly":true}})";
  const char* aws = R"({"awsElasticBlockStore":{"volumeID":"a"}})";
  const char* aws_read = R"({"awsElasticBlockStore":{"volumeID":"a","readOnly":true}})";
  const char* iscsi = R"({"iscsi":{"targetPortal":"t","iqn":"a","lun":0}})";
  const char* iscsi_read = R"({"iscsi":{"targetPortal":"t","iqn":"a","lun":0,"readOnly":true}})";
  const char* rbd = R"({"rbd":{"monitors":["m1","m2"],"pool":"p","image":"i"}})";
  const char* rbd_read = R"({"rbd":{"monitors":["m2"],"pool":"p","image":"i","readOnly":true}})";
  const DiskCase cases[] = {
      {"nothing is there", gce, "", false},
      {"the same GCE disk", gce, gce, true},
      {"one of them only reads", gce_read, gce, true},
      {"both only read", gce_read, gce_read, false},
      {"another GCE disk", gce, R"({"gcePersistentDisk":{"pdName":"b"}})", false},
      {"the same EBS disk", aws, aws, true},
      {"EBS disks are not even shared by those who read", aws_read, aws_read, true},
      {"another EBS disk", aws, R"({"awsElasticBlockStore":{"volumeID":"b"}})", false},
      {"of the same name, but another cloud's", aws, gce, false},
      {"the same ISCSI target", iscsi, iscsi, true},
      {"ISCSI: one of them only reads", iscsi, iscsi_read, true},
      {"ISCSI: both only read", iscsi_read, iscsi_read, false},
      {"another ISCSI target", iscsi, R"({"iscsi":{"targetPortal":"t","iqn":"b","lun":0}})", false},
      {"the same RBD image, by a monitor that both name", rbd, rbd_read, true},
      {"RBD: both only read", rbd_read, rbd_read, false},
      {"RBD: other monitors", rbd, R"({"rbd":{"monitors":["m3"],"pool":"p","image":"i"}})", false},
      {"RBD: another pool", rbd, R"({"rbd":{"monitors":["m1"],"pool":"q","image":"i"}})", false},
      {"RBD: another image", rbd, R"({"rbd":{"monitors":["m1"],"pool":"p","image":"j"}})", false},
  };
  for (const DiskCase& c : cases) {
    SCOPED_TRACE(c.name);
    StorageWorld world(make_volume_restrictions);
    const NodeIndex node = world.add(make_node("n1"));
    auto there = make_pod("there").node("n1");
    if (*c.there != 0) there.volume_json(c.there);
    world.add(there);
    const auto pod = make_pod("p").volume_json(c.wanted);
    EXPECT_EQ(world.check(pod, node), c.conflict ? kNoDisk : "");
    EXPECT_EQ(world.helped_by_deletion(pod, there), c.conflict);
  }
}

TEST(VolumeRestrictions, IsLocalForDisks) {
  StorageWorld world(make_volume_restrictions);
  const PreFiltered filtered =
      world.pre_filter(make_pod("p").volume_json(R"({"gcePersistentDisk":{"pdName":"a"}})"));
  ASSERT_NE(filtered.filter, nullptr);
  EXPECT_TRUE(filtered.filter->is_local());
}

TEST(VolumeRestrictions, AsksNoNodeForPodsWithoutSuchVolumes) {
  StorageWorld world(make_volume_restrictions);
  world.put(make_claim("once"), make_claim("free").modes({"ReadWriteOncePod"}));
  world.add(make_node("n1"));
  world.add(make_pod("there").node("n1").claim("once"));
  for (const auto& pod : {make_pod("p"), make_pod("p").volume_json(R"({"emptyDir":{}})"),
                          make_pod("p").claim("once"), make_pod("p").claim("free")}) {
    const PreFiltered filtered = world.pre_filter(pod);
    EXPECT_TRUE(filtered.verdict.ok());
    EXPECT_EQ(filtered.filter, nullptr);
  }
}

TEST(VolumeRestrictions, WantsClaimsToBeThere) {
  StorageWorld world(make_volume_restrictions);
  EXPECT_EQ(world.check(make_pod("p").claim("data")),
            "all: Unresolvable: persistentvolumeclaim \"data\" not found");
}

class ExclusiveClaim : public testing::Test {
 protected:
  ExclusiveClaim() {
    world_.put(make_claim("mine").modes({"ReadWriteOncePod"}));
    world_.add(make_node("n1"));
    world_.add(make_node("n2"));
  }

  StorageWorld world_{make_volume_restrictions};
};

TEST_F(ExclusiveClaim, IsTakenOnAllNodesWhereverItIsUsed) {
  world_.add(make_pod("there").node("n1").claim("mine"));
  for (const NodeIndex node : {0, 1})
    EXPECT_EQ(world_.check(make_pod("p").claim("mine"), node), kInUse);
  EXPECT_EQ(world_.suggestion(make_pod("p").claim("mine")),
            "delete the pod that uses claim mine (ReadWriteOncePod)");
}

TEST_F(ExclusiveClaim, IsNotTakenByOneOfThatNameInAnotherNamespace) {
  world_.add(make_pod("there").in("other").node("n1").claim("mine"));
  EXPECT_EQ(world_.check(make_pod("p").claim("mine")), "");
}

TEST_F(ExclusiveClaim, IsFreeWhenThePodIsPreempted) {
  const PodPtr there = world_.add(make_pod("there").node("n1").claim("mine"));
  const PodPtr stranger = world_.add(make_pod("there").in("other").node("n1").claim("mine"));
  const PreFiltered filtered = world_.pre_filter(make_pod("p").claim("mine"));
  ASSERT_NE(filtered.filter, nullptr);
  EXPECT_FALSE(filtered.filter->is_local());
  const auto answer = [&] { return world_.say(filtered.filter->check(0, world_.cluster.at(0))); };
  EXPECT_EQ(answer(), kInUse);
  filtered.filter->pod_removed(*stranger, 0);
  EXPECT_EQ(answer(), kInUse);
  filtered.filter->pod_added(*stranger, 0);
  filtered.filter->pod_removed(*there, 0);
  EXPECT_EQ(answer(), "");
  filtered.filter->pod_added(*there, 0);
  EXPECT_EQ(answer(), kInUse);
}

TEST_F(ExclusiveClaim, MayBeWaitedFor) {
  const auto pod = make_pod("p").claim("mine");
  EXPECT_TRUE(world_.helped_by_deletion(pod, make_pod("a").node("n1").claim("mine")));
  EXPECT_FALSE(world_.helped_by_deletion(pod, make_pod("a").node("n1").claim("another")));
  EXPECT_FALSE(world_.helped_by_deletion(pod, make_pod("a").in("other").node("n1").claim("mine")));
  const auto helped_by_claim = [&](const testkit::ClaimBuilder& claim) {
    return world_.helped_by(pod, EventResource::kPersistentVolumeClaim, nullptr,
                            claim.object().get());
  };
  EXPECT_TRUE(helped_by_claim(make_claim("mine")));
  EXPECT_FALSE(helped_by_claim(make_claim("another")));
  EXPECT_FALSE(helped_by_claim(make_claim("mine").in("other")));
}

}  // namespace volume_restrictions_test
}  // namespace proa::scheduler::volumes_test

#include "testkit/scheduler/oracle/oracle_volumes.h"

#include <gtest/gtest.h>

#include "testkit/scheduler/oracle/oracle_checks.h"

namespace proa::testkit {
namespace oracle_volumes_test {

using namespace oracle_checks;  // NOLINT: the words of these tests

TEST(OracleDisks, SomeCannotBeShared) {
  const struct {
    const char* name;
    const char* used;
    const char* wanted;
    bool fits;
  } cases[] = {
      {"same GCE disk", R"({"gcePersistentDisk":{"pdName":"foo"}})",
       R"({"gcePersistentDisk":{"pdName":"foo"}})", false},
      {"other GCE disk", R"({"gcePersistentDisk":{"pdName":"foo"}})",
       R"({"gcePersistentDisk":{"pdName":"bar"}})", true},
      {"both only read", R"({"gcePersistentDisk":{"pdName":"foo","readOnly":true}})",
       R"({"gcePersistentDisk":{"pdName":"foo","readOnly":true}})", true},
      {"one only reads", R"({"gcePersistentDisk":{"pdName":"foo","readOnly":true}})",
       R"({"gcePersistentDisk":{"pdName":"foo"}})", false},
      {"EBS is never shared", R"({"awsElasticBlockStore":{"volumeID":"foo","readOnly":true}})",
       R"({"awsElasticBlockStore":{"volumeID":"foo","readOnly":true}})", false},
      {"same RBD image", R"({"rbd":{"monitors":["a","b"],"pool":"foo","image":"bar"}})",
       R"({"rbd":{"monitors":["c","a"],"pool":"foo","image":"bar"}})", false},
      {"RBD with other monitors", R"({"rbd":{"monitors":["a","b"],"pool":"foo","image":"bar"}})",
       R"({"rbd":{"monitors":["c","d"],"pool":"foo","image":"bar"}})", true},
      {"same iSCSI name", R"({"iscsi":{"targetPortal":"a","iqn":"iqn.1:x","lun":0}})",
       R"({"iscsi":{"targetPortal":"b","iqn":"iqn.1:x","lun":1}})", false},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.name);
    const TestCluster cluster{.nodes = {roomy("n").object()},
                              .pods = {make_pod("q").node("n").volume_json(c.used).object()}};
    EXPECT_EQ(told(cluster, make_pod("p").volume_json(c.wanted)),
              c.fits ? Told() : Told({{"n", "VolumeRestrictions: node(s) had no available disk"}}));
  }
}

TEST(OracleDisks, ExclusiveClaimsAreForOnePodInTheCluster) {
  const TestCluster cluster{
      .nodes = {roomy("a").object(), roomy("b").object()},
      .pods = {make_pod("q").node("a").claim("c").object()},
      .claims = {make_claim("c").modes({"ReadWriteOncePod"}).volume("v").object(),
                 make_claim("d").modes({"ReadWriteOncePod"}).volume("w").object()},
      .volumes = {make_volume("v").object(), make_volume("w").object()}};
  const std::string reason =
      "VolumeRestrictions: node(s) unavailable due to PersistentVolumeClaim with ReadWriteOncePod "
      "access mode already in-use by another pod";
  EXPECT_EQ(told(cluster, make_pod("p").claim("c")), (Told{{"a", reason}, {"b", reason}}));
  EXPECT_EQ(told(cluster, make_pod("p").claim("d")), Told());
}

TEST(OracleBinding, BrokenClaimsKeepAPodFromAllNodes) {
  const char* ephemeral = R"({"name":"v","ephemeral":{"volumeClaimTemplate":{"spec":{
      "accessModes":["ReadWriteOnce"],"resources":{"requests":{"storage":"1Gi"}}}}}})";
  const auto lost = make_claim("c").volume("v").json("status.phase", R"("Lost")");
  const auto leaving =
      make_claim("c").volume("v").finalizer("a/b").deleted_at("2026-01-01T00:00:00Z");
  const struct {
    const char* name;
    std::vector<api::ObjectPtr> claims;
    PodBuilder pod;
    const char* said;
  } cases[] = {
      {"missing",
       {},
       make_pod("p").claim("c"),
       "VolumeRestrictions: persistentvolumeclaim \"c\" not found"},
      {"ephemeral, not there yet",
       {},
       make_pod("p").volume_json(ephemeral),
       "VolumeBinding: waiting for ephemeral volume controller to create the "
       "persistentvolumeclaim \"p-v\""},
      {"ephemeral, of somebody else",
       {make_claim("p-v").volume("v").object()},
       make_pod("p").volume_json(ephemeral),
       "VolumeBinding: PVC default/p-v was not created for pod default/p (pod is not owner)"},
      {"lost",
       {lost.object()},
       make_pod("p").claim("c"),
       "VolumeBinding: persistentvolumeclaim \"c\" bound to non-existent persistentvolume \"v\""},
      {"being deleted",
       {leaving.object()},
       make_pod("p").claim("c"),
       "VolumeBinding: persistentvolumeclaim \"c\" is being deleted"},
      {"not bound",
       {make_claim("c").storage_class("now").object()},
       make_pod("p").claim("c"),
       "VolumeBinding: pod has unbound immediate PersistentVolumeClaims"},
      {"bound to nothing",
       {make_claim("c").volume("v").object()},
       make_pod("p").claim("c"),
       "VolumeZone: persistentvolume \"v\" not found"},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.name);
    EXPECT_EQ(told({.nodes = {roomy("n").object()},
                    .claims = c.claims,
                    .storage_classes = {make_storage_class("now").object()}},
                   c.pod),
              (Told{{"*", c.said}}));
  }
}

NodeBuilder host(std::string_view name) { return roomy(name).label("host", name); }

const std::string kElsewhere =
    "(never) VolumeBinding: node(s) didn't match PersistentVolume's node affinity";
const std::string kNoVolume =
    "(never) VolumeBinding: node(s) didn't find available persistent volumes to bind";

TEST(OracleBinding, BoundVolumesAreSomewhere) {
  const TestCluster cluster{
      .nodes = {host("a").object(), host("b").object()},
      .claims = {make_claim("c").volume("v").object()},
      .volumes = {
          make_volume("v").claimed_by("default", "c").node_affinity("host", {"b"}).object()}};
  EXPECT_EQ(told(cluster, make_pod("p").claim("c")), (Told{{"a", kElsewhere}}));
}

// A claim that waits, in a cluster with these volumes.
TestCluster waiting(std::vector<api::ObjectPtr> volumes, const ClaimBuilder& claim,
                    const StorageClassBuilder& made_by = make_storage_class("wait")) {
  return {.nodes = {host("a").object(), host("b").object()},
          .claims = {ClaimBuilder(claim).storage_class("wait").object()},
          .volumes = std::move(volumes),
          .storage_classes = {StorageClassBuilder(made_by).wait_for_consumer().object()}};
}

VolumeBuilder available(std::string_view name, std::string_view node) {
  return make_volume(name)
      .storage_class("wait")
      .node_affinity("host", {std::string(node)})
      .json("status.phase", R"("Available")");
}

TEST(OracleBinding, WaitingClaimsTakeWhatFits) {
  const auto pod = make_pod("p").claim("c");
  const struct {
    const char* name;
    std::vector<api::ObjectPtr> volumes;
    ClaimBuilder claim;
    std::string without;  // the nodes where there is none
  } cases[] = {
      {"none", {}, make_claim("c"), "ab"},
      {"one", {available("v", "a").object()}, make_claim("c"), "b"},
      {"too small", {available("v", "a").object()}, make_claim("c").request("2Gi"), "ab"},
      {"of another mode",
       {available("v", "a").object()},
       make_claim("c").modes({"ReadWriteMany"}),
       "ab"},
      {"of somebody else",
       {available("v", "a").claimed_by("default", "other").object(), available("w", "b").object()},
       make_claim("c"),
       "a"},
      {"reserved",
       {available("v", "a").claimed_by("default", "c").object(), available("w", "b").object()},
       make_claim("c"),
       "b"},
      {"not free yet",
       {available("v", "a").json("status.phase", R"("Pending")").object()},
       make_claim("c"),
       "ab"},
      {"not selected",
       {available("v", "a").object(), available("w", "b").label("x", "y").object()},
       make_claim("c").json("spec.selector", R"({"matchLabels":{"x":"y"}})"),
       "a"},
      {"of another class",
       {available("v", "a").storage_class("other").object()},
       make_claim("c"),
       "ab"},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.name);
    Told expected;
    for (const char node : c.without) expected[std::string(1, node)] = kNoVolume;
    EXPECT_EQ(told(waiting(c.volumes, c.claim), pod), expected);
  }
}

TEST(OracleBinding, OneVolumeServesOneClaim) {
  auto cluster = waiting({available("v", "a").object(), available("w", "b").object(),
                          available("x", "b").capacity("5Gi").object()},
                         make_claim("c"));
  cluster.claims.push_back(make_claim("d").storage_class("wait").request("3Gi").object());
  EXPECT_EQ(told(cluster, make_pod("p").claim("d").claim("c")), (Told{{"a", kNoVolume}}));
}

TEST(OracleBinding, OthersAreMadeWhereTheClassAllows) {
  const auto made = make_storage_class("wait").provisioner("csi.x");
  const auto pod = make_pod("p").claim("c");
  EXPECT_EQ(told(waiting({}, make_claim("c"), made), pod), Told());
  EXPECT_EQ(
      told(waiting({}, make_claim("c"), StorageClassBuilder(made).topology("host", {"b"})), pod),
      (Told{{"a", kNoVolume}}));
  EXPECT_EQ(told(waiting({}, make_claim("c").selected_node("a"), made), pod),
            (Told{{"b", kNoVolume}}));
  auto cluster = waiting({}, make_claim("c").request("5Gi"), made);
  cluster.csi_drivers = {make_csi_driver("csi.x").has_storage_capacity().object()};
  cluster.csi_capacities = {make_csi_capacity("1")
                                .storage_class("wait")
                                .capacity("9Gi")
                                .topology({{"host", "a"}})
                                .object(),
                            make_csi_capacity("2")
                                .storage_class("wait")
                                .capacity("9Gi")
                                .largest("4Gi")
                                .topology({{"host", "b"}})
                                .object()};
  EXPECT_EQ(told(cluster, pod),
            (Told{{"b", "(never) VolumeBinding: node(s) did not have enough free storage"}}));
}

TEST(OracleZone, VolumesAreInZones) {
  const char* zone = "topology.kubernetes.io/zone";
  const char* old_zone = "failure-domain.beta.kubernetes.io/zone";
  const struct {
    const char* name;
    NodeBuilder node;
    VolumeBuilder volume;
    bool fits;
  } cases[] = {
      {"the same", roomy("n").label(zone, "1a"), make_volume("v").label(zone, "1a"), true},
      {"another", roomy("n").label(zone, "1a"), make_volume("v").label(zone, "1b"), false},
      {"one of several", roomy("n").label(zone, "1a"), make_volume("v").label(zone, "1b__1a"),
       true},
      {"a node without zones", roomy("n"), make_volume("v").label(zone, "1b"), true},
      {"a volume without zones", roomy("n").label(zone, "1a"), make_volume("v"), true},
      {"an old name on the volume", roomy("n").label(zone, "1a"),
       make_volume("v").label(old_zone, "1a"), true},
      {"an old name on the node", roomy("n").label(old_zone, "1a"),
       make_volume("v").label(zone, "1a"), false},
      {"a region is asked for", roomy("n").label(zone, "1a"),
       make_volume("v").label("topology.kubernetes.io/region", "r"), false},
      {"what cannot be read is ignored", roomy("n").label(zone, "1a"),
       make_volume("v").label(zone, "1b__"), true},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.name);
    const TestCluster cluster{
        .nodes = {c.node.object()},
        .claims = {make_claim("c").volume("v").object()},
        .volumes = {VolumeBuilder(c.volume).claimed_by("default", "c").object()}};
    EXPECT_EQ(told(cluster, make_pod("p").claim("c")),
              c.fits ? Told()
                     : Told({{"n", "(never) VolumeZone: node(s) had no available volume zone"}}));
  }
}

const std::string kTooManyVolumes = "NodeVolumeLimits: node(s) exceed max volume count";

// Volumes 1 to 3 of a driver, on a node that takes `limit` of them.
TestCluster limited(int64_t limit) {
  TestCluster cluster{.nodes = {roomy("n").object()},
                      .csi_nodes = {make_csi_node("n").driver("csi.x", limit).object()}};
  for (const char* number : {"1", "2", "3"}) {
    const std::string name = number;
    cluster.claims.push_back(make_claim("c" + name).volume("v" + name).object());
    cluster.volumes.push_back(make_volume("v" + name)
                                  .csi("csi.x", "h" + name)
                                  .claimed_by("default", "c" + name)
                                  .object());
  }
  return cluster;
}

TEST(OracleLimits, VolumesOfADriverAreCounted) {
  auto cluster = limited(2);
  cluster.pods = {make_pod("q").node("n").claim("c1").object()};
  EXPECT_EQ(told(cluster, make_pod("p").claim("c2")), Told());
  EXPECT_EQ(told(cluster, make_pod("p").claim("c2").claim("c3")), (Told{{"n", kTooManyVolumes}}));
  // What is there already is not one more.
  EXPECT_EQ(told(cluster, make_pod("p").claim("c1").claim("c2")), Told());
}

TEST(OracleLimits, AttachmentsAndVolumesToBeMadeCount) {
  auto cluster = limited(1);
  cluster.volume_attachments = {
      make_attachment("x").attacher("csi.x").node("n").volume("v1").object()};
  EXPECT_EQ(told(cluster, make_pod("p").claim("c2")), (Told{{"n", kTooManyVolumes}}));
  cluster = limited(1);
  cluster.storage_classes = {
      make_storage_class("wait").provisioner("csi.x").wait_for_consumer().object()};
  cluster.claims.push_back(make_claim("d").storage_class("wait").object());
  cluster.pods = {make_pod("q").node("n").claim("d").object()};
  EXPECT_EQ(told(cluster, make_pod("p").claim("c1")), (Told{{"n", kTooManyVolumes}}));
  cluster.csi_nodes = {make_csi_node("n").driver("csi.x").object()};
  EXPECT_EQ(told(cluster, make_pod("p").claim("c1")), Told());
}

TEST(OracleLimits, OldKindsAreTheirDriversVolumes) {
  const char* disk = R"({"awsElasticBlockStore":{"volumeID":"aws:///vol-1"}})";
  TestCluster cluster{
      .nodes = {roomy("n").object()},
      .pods = {make_pod("q").node("n").volume_json(disk).object()},
      .claims = {make_claim("c").volume("v").object(), make_claim("d").volume("w").object()},
      .volumes = {make_volume("v")
                      .source_json("awsElasticBlockStore", R"({"volumeID":"vol-2"})")
                      .claimed_by("default", "c")
                      .object(),
                  make_volume("w")
                      .source_json("awsElasticBlockStore", R"({"volumeID":"vol-1"})")
                      .claimed_by("default", "d")
                      .object()},
      .csi_nodes = {make_csi_node("n").driver("ebs.csi.aws.com", 1).object()}};
  EXPECT_EQ(told(cluster, make_pod("p").claim("c")), (Told{{"n", kTooManyVolumes}}));
  EXPECT_EQ(told(cluster, make_pod("p").claim("d")), Told());
  cluster.csi_nodes.clear();
  EXPECT_EQ(told(cluster, make_pod("p").claim("c")), Told());
}

TEST(OracleMigration, ZonesAreCalledAsTheDriverDoes) {
  const auto volume = make_volume("v")
                          .source_json("awsElasticBlockStore", R"({"volumeID":"vol-2"})")
                          .claimed_by("default", "c")
                          .node_affinity("topology.kubernetes.io/zone", {"1a"});
  TestCluster cluster{.nodes = {roomy("a").label("topology.ebs.csi.aws.com/zone", "1a").object(),
                                roomy("b").label("topology.kubernetes.io/zone", "1a").object()},
                      .claims = {make_claim("c").volume("v").object()},
                      .volumes = {volume.object()}};
  EXPECT_EQ(told(cluster, make_pod("p").claim("c")), (Told{{"a", kElsewhere}}));
  for (const char* node : {"a", "b"}) {
    cluster.csi_nodes.push_back(make_csi_node(node)
                                    .annotation("storage.alpha.kubernetes.io/migrated-plugins",
                                                "kubernetes.io/cinder,kubernetes.io/aws-ebs")
                                    .object());
  }
  EXPECT_EQ(told(cluster, make_pod("p").claim("c")), (Told{{"b", kElsewhere}}));
}

}  // namespace oracle_volumes_test
}  // namespace proa::testkit

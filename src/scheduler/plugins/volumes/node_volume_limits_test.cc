#include "scheduler/plugins/volumes/node_volume_limits.h"

#include "testkit/scheduler/plugins/test_storage.h"

namespace proa::scheduler::volumes_test {
namespace node_volume_limits_test {

using testkit::Names;
using testkit::PodBuilder;

constexpr const char* kEbs = "ebs.csi.aws.com";
constexpr const char* kPd = "pd.csi.storage.gke.io";
constexpr const char* kFull = "Unschedulable: node(s) exceed max volume count";
constexpr int kNoLimit = -1;

// Claims "ebs-0", "pd-0", "tree-0" (in-tree EBS), "path-0" with volumes; "open" and "open-2"
// without, of a class of EBS; "prebound" to a volume that is not there; "classless".
void put_claims(StorageWorld& world) {
  for (const char* number : {"0", "1", "2", "3"}) {
    const auto put = [&](const char* kind, testkit::VolumeBuilder volume) {
      const std::string name = std::string(kind) + "-" + number;
      world.put(std::move(volume), make_claim(name).volume(name));
    };
    const auto named = [&](const char* kind) {
      return make_volume(std::string(kind) + "-" + number);
    };
    put("ebs", named("ebs").csi(kEbs, std::string("vol-") + number));
    put("pd", named("pd").csi(kPd, std::string("pd-") + number));
    put("tree",
        named("tree").source_json("awsElasticBlockStore", R"({"volumeID":"aws://a/vol-tree)" +
                                                              std::string(number) + "\"}"));
    put("path", named("path"));
  }
  world.put(make_storage_class("ebs").provisioner(kEbs).wait_for_consumer(),
            make_storage_class("tree").provisioner("kubernetes.io/aws-ebs").wait_for_consumer());
  world.put(make_claim("open").storage_class("ebs"), make_claim("open-2").storage_class("tree"),
            make_claim("prebound").storage_class("ebs").json("spec.volumeName", "\"none\""),
            make_claim("classless").storage_class("none"));
}

PodBuilder pod_with(std::string_view name, const Names& claims) {
  PodBuilder pod = make_pod(name);
  for (const std::string& claim : claims) pod.claim(claim);
  return pod;
}
PodBuilder pod_with(std::string_view name, const char* volume) {
  return make_pod(name).volume_json(volume);
}

struct LimitCase {
  const char* name;
  PodBuilder pod;
  std::vector<PodBuilder> there;
  int limit;
  const char* answer;
  Names attached = {};  // volumes
};

TEST(NodeVolumeLimits, CountsTheVolumesOfADriver) {
  const char* inline_disk = R"({"awsElasticBlockStore":{"volumeID":"vol-inline"}})";
  const char* same_disk = R"({"awsElasticBlockStore":{"volumeID":"vol-1"}})";
  const PodBuilder one = pod_with("p", Names{"ebs-0"});
  const PodBuilder two = pod_with("a", Names{"ebs-1", "ebs-2"});
  const PodBuilder third = pod_with("b", Names{"ebs-3"});
  const LimitCase cases[] = {
      {"room is left", one, {two, third}, 4, ""},
      {"none is left", one, {two, third}, 3, kFull},
      {"the driver has no limit", one, {two, third}, kNoLimit, ""},
      {"of volumes that are used twice one counts", pod_with("p", Names{"ebs-1"}), {two}, 2, ""},
      {"what is attached counts, too", one, {}, 2, kFull, {"ebs-1", "ebs-2"}},
      {"one more fits", one, {}, 2, "", {"ebs-1"}},
      {"what is attached and used counts once", one, {two}, 3, "", {"ebs-1", "ebs-2"}},
      {"volumes that are not there yet", one, {two, pod_with("b", Names{"open"})}, 3, kFull},
      {"the same one twice",
       one,
       {two, pod_with("b", Names{"open"}), pod_with("c", Names{"open"})},
       4,
       ""},
      {"of an in-tree class", one, {two, pod_with("b", Names{"open-2"})}, 3, kFull},
      {"volumes that are named, but not there",
       one,
       {two, pod_with("b", Names{"prebound"})},
       3,
       kFull},
      {"claims of a class that is not there", one, {two, pod_with("b", Names{"classless"})}, 3, ""},
      {"claims that are not there, of pods that are", one, {two, pod_with("b", Names{"x"})}, 3, ""},
      {"another driver's", one, {pod_with("a", Names{"pd-0", "pd-1"}), third}, 2, ""},
      {"in-tree volumes", pod_with("p", Names{"tree-0"}), {two}, 2, kFull},
      {"in-tree volumes that are there", one, {pod_with("a", Names{"tree-0", "tree-1"})}, 2, kFull},
      {"volumes of no driver", pod_with("p", Names{"path-0"}), {two}, 2, ""},
      {"inline disks", pod_with("p", inline_disk), {two}, 2, kFull},
      {"an inline disk that is there as a CSI volume", pod_with("p", same_disk), {two}, 2, ""},
  };
  for (const LimitCase& c : cases) {
    SCOPED_TRACE(c.name);
    StorageWorld world(make_node_volume_limits);
    put_claims(world);
    const NodeIndex node = world.add(make_node("n1"));
    world.put(make_csi_node("n1").driver(kEbs, c.limit).driver(kPd, c.limit));
    for (const PodBuilder& pod : c.there) world.add(PodBuilder(pod).node("n1"));
    for (const std::string& volume : c.attached) {
      world.put(testkit::make_attachment("at-" + volume).attacher(kEbs).node("n1").volume(volume));
    }
    EXPECT_EQ(world.check(c.pod, node), c.answer);
  }
}

TEST(NodeVolumeLimits, KnowsNoLimitWithoutACsiNode) {
  StorageWorld world(make_node_volume_limits);
  put_claims(world);
  const NodeIndex node = world.add(make_node("n1"));
  EXPECT_EQ(world.check(pod_with("p", Names{"ebs-0"}), node), "");
  world.put(make_csi_node("n1").driver(kEbs, 0));
  EXPECT_EQ(world.check(pod_with("p", Names{"ebs-0"}), node), kFull);
  EXPECT_EQ(world.suggestion(pod_with("p", Names{"ebs-0"}), node),
            "detach 1 volume of ebs.csi.aws.com (limit 0)");
  world.remove(make_csi_node("n1"));
  EXPECT_EQ(world.check(pod_with("p", Names{"ebs-0"}), node), "");
}

TEST(NodeVolumeLimits, ForgetsWhatIsDetached) {
  StorageWorld world(make_node_volume_limits);
  put_claims(world);
  const NodeIndex node = world.add(make_node("n1"));
  world.put(make_csi_node("n1").driver(kEbs, 1));
  const auto attachment = testkit::make_attachment("at").attacher(kEbs).node("n1").volume("ebs-1");
  world.put(attachment);
  EXPECT_EQ(world.check(pod_with("p", Names{"ebs-0"}), node), kFull);
  world.remove(attachment);
  EXPECT_EQ(world.check(pod_with("p", Names{"ebs-0"}), node), "");
}

TEST(NodeVolumeLimits, WantsClaimsToBeThePods) {
  StorageWorld world(make_node_volume_limits);
  put_claims(world);
  const NodeIndex node = world.add(make_node("n1"));
  world.put(make_csi_node("n1").driver(kEbs, 1));
  const auto pod = make_pod("p").volume_json(kEphemeral);
  EXPECT_EQ(world.check(pod, node),
            "Unresolvable: looking up PVC default/p-scratch: persistentvolumeclaim \"p-scratch\" "
            "not found");
  world.put(make_claim("p-scratch").storage_class("ebs"));
  EXPECT_EQ(world.check(pod, node),
            "Error: PVC default/p-scratch was not created for pod default/p (pod is not owner)");
  world.put(make_ephemeral_claim("p", "scratch").storage_class("ebs"));
  EXPECT_EQ(world.check(pod, node), "");
  world.add(PodBuilder(pod).node("n1"));
  EXPECT_EQ(world.check(pod_with("q", Names{"ebs-0"}), node), kFull);
}

TEST(NodeVolumeLimits, AsksNoNodeForPodsWithoutSuchVolumes) {
  StorageWorld world(make_node_volume_limits);
  put_claims(world);
  for (const auto& pod : {make_pod("p"), make_pod("p").volume_json(R"({"secret":{}})"),
                          pod_with("p", Names{"path-0"})}) {
    EXPECT_EQ(world.pre_filter(pod).filter, nullptr);
  }
}

TEST(NodeVolumeLimits, KnowsWhatMayHelp) {
  StorageWorld world(make_node_volume_limits);
  const auto pod = pod_with("p", Names{"data"});
  const auto on_node = [&](PodBuilder gone) {
    return world.helped_by_deletion(pod, gone.node("n1"));
  };
  EXPECT_TRUE(on_node(pod_with("a", Names{"other"})));
  EXPECT_TRUE(on_node(pod_with("a", R"({"awsElasticBlockStore":{"volumeID":"v"}})")));
  EXPECT_TRUE(on_node(pod_with("a", kEphemeral)));
  EXPECT_FALSE(on_node(make_pod("a")));
  EXPECT_FALSE(world.helped_by_deletion(pod, pod_with("a", Names{"other"})));

  const auto helps = [&](const PodBuilder& waiting, EventResource resource,
                         const api::ObjectPtr& before, const api::ObjectPtr& after) {
    return world.helped_by(waiting, resource, before.get(), after.get());
  };
  const auto kClaim = EventResource::kPersistentVolumeClaim;
  EXPECT_TRUE(helps(pod, kClaim, nullptr, make_claim("data").object()));
  EXPECT_FALSE(helps(pod, kClaim, nullptr, make_claim("data").in("x").object()));
  EXPECT_TRUE(helps(make_pod("p").volume_json(kEphemeral), kClaim, nullptr,
                    make_claim("p-scratch").object()));
  const auto kNode = EventResource::kCsiNode;
  const auto limited = [](int limit) { return make_csi_node("n1").driver(kEbs, limit).object(); };
  EXPECT_TRUE(helps(pod, kNode, nullptr, limited(1)));
  EXPECT_TRUE(helps(pod, kNode, limited(1), limited(2)));
  EXPECT_FALSE(helps(pod, kNode, limited(2), limited(2)));
  EXPECT_FALSE(helps(pod, kNode, limited(2), limited(1)));
  const auto kAttachment = EventResource::kVolumeAttachment;
  const api::ObjectPtr of_ebs = testkit::make_attachment("a").attacher(kEbs).object();
  const auto disk = pod_with("p", R"({"awsElasticBlockStore":{"volumeID":"v"}})");
  EXPECT_TRUE(helps(pod, kAttachment, of_ebs, nullptr));
  EXPECT_TRUE(helps(disk, kAttachment, of_ebs, nullptr));
  EXPECT_FALSE(
      helps(disk, kAttachment, testkit::make_attachment("a").attacher(kPd).object(), nullptr));
  EXPECT_FALSE(helps(make_pod("p"), kAttachment, of_ebs, nullptr));
}

}  // namespace node_volume_limits_test
}  // namespace proa::scheduler::volumes_test

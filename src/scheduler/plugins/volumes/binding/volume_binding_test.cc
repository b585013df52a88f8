#include "scheduler/plugins/volumes/binding/volume_binding.h"

#include <thread>

#include "kinds/core/volumes/volume_facts.h"
#include "testkit/scheduler/plugins/test_storage.h"

namespace proa::scheduler::volumes_test {
namespace volume_binding_test {

using testkit::ClaimBuilder;
using testkit::make_csi_capacity;
using testkit::make_csi_driver;
using testkit::VolumeBuilder;

constexpr const char* kHost = "kubernetes.io/hostname";
const std::string kElsewhere = "node(s) didn't match PersistentVolume's node affinity";
const std::string kNoVolume = "node(s) didn't find available persistent volumes to bind";
const std::string kNoSpace = "node(s) did not have enough free storage";
const std::string kGone =
    "node(s) unavailable due to one or more pvc(s) bound to non-existent pv(s)";

ClaimBuilder waiting_claim(std::string_view name, std::string_view size = "1Gi") {
  return make_claim(name).storage_class("wait").request(size);
}
VolumeBuilder local_volume(std::string_view name, std::string_view node,
                           std::string_view size = "1Gi") {
  return make_volume(name).storage_class("wait").capacity(size).node_affinity(kHost,
                                                                              {std::string(node)});
}

// Nodes "n1" and "n2"; classes "now" (immediate), "wait" (static), "make" (of the driver "d").
class VolumeBindingTest : public testing::Test {
 protected:
  VolumeBindingTest() {
    world_.add(make_node("n1").hostname("n1").zone("a"));
    world_.add(make_node("n2").hostname("n2").zone("b"));
    world_.put(make_storage_class("now"), make_storage_class("wait").wait_for_consumer(),
               make_storage_class("make").provisioner("d").wait_for_consumer());
  }

  std::string check(const testkit::PodBuilder& pod, NodeIndex node = 0) {
    return world_.check(pod, node);
  }
  // it.
  std::string reserve(const testkit::PodBuilder& pod, NodeIndex node = 0) {
    const PodPtr read = world_.read(pod);
    if (const std::string why = world_.check(pod, node); !why.empty()) return why;
    const Verdict verdict = world_.as<ReservePlugin>().reserve(*read, node);
    return StorageWorld::say(verdict);
  }
  void unreserve(const testkit::PodBuilder& pod) {
    world_.as<ReservePlugin>().unreserve(*world_.read(pod));
  }
  bool has_work(const testkit::PodBuilder& pod) {
    return world_.as<PreBindPlugin>().has_work(*world_.read(pod), api::NodeNameView("n1"));
  }

  StorageWorld world_{make_volume_binding};
};

TEST_F(VolumeBindingTest, WantsClaimsInOrder) {
  world_.put(make_claim("lost").volume("v").json("status.phase", "\"Lost\""),
             make_claim("going").volume("v").deleted_at("2026-01-01T00:00:00Z").finalizer("f"),
             make_claim("now").storage_class("now"), make_claim("classless"),
             make_claim("odd").storage_class("none"),
             waiting_claim("prebound").json("spec.volumeName", "\"v\""),
             make_claim("stolen-scratch").storage_class("wait"));
  const std::string immediate = "pod has unbound immediate PersistentVolumeClaims";
  const std::pair<testkit::PodBuilder, std::string> cases[] = {
      {make_pod("p").claim("none"), "persistentvolumeclaim \"none\" not found"},
      {make_pod("p").claim("lost"),
       "persistentvolumeclaim \"lost\" bound to non-existent persistentvolume \"v\""},
      {make_pod("p").claim("going"), "persistentvolumeclaim \"going\" is being deleted"},
      {make_pod("p").claim("now"), immediate},
      {make_pod("p").claim("classless"), immediate},
      {make_pod("p").claim("odd"), immediate},
      {make_pod("p").claim("prebound"), immediate},
      {make_pod("p").volume_json(kEphemeral),
       "waiting for ephemeral volume controller to create the persistentvolumeclaim \"p-scratch\""},
      {make_pod("stolen").volume_json(kEphemeral),
       "PVC default/stolen-scratch was not created for pod default/stolen (pod is not owner)"},
  };
  for (const auto& [pod, why] : cases) EXPECT_EQ(check(pod), "all: Unresolvable: " + why);
}

TEST_F(VolumeBindingTest, AsksNoNodeWhereAllAreTheSame) {
  world_.put(make_volume("v").claimed_by("default", "data"), make_claim("data").volume("v"));
  for (const auto& pod : {make_pod("p"), make_pod("p").claim("data"),
                          make_pod("p").volume_json(R"({"csi":{"driver":"d"}})")}) {
    const PreFiltered filtered = world_.pre_filter(pod);
    EXPECT_TRUE(filtered.verdict.ok());
    EXPECT_EQ(filtered.filter, nullptr);
    EXPECT_EQ(reserve(pod), "");
    EXPECT_FALSE(has_work(pod));
  }
}

struct NodeCase {
  const char* name;
  testkit::PodBuilder pod;
  std::vector<std::string> problems;
};

TEST_F(VolumeBindingTest, FindsVolumesForNodes) {
  world_.put(local_volume("here", "n1").claimed_by("default", "here"),
             local_volume("there", "n2").claimed_by("default", "there"),
             make_claim("here").volume("here"), make_claim("there").volume("there"),
             make_claim("gone").volume("gone"));
  world_.put(local_volume("v1", "n1", "2Gi"), local_volume("v2", "n1", "5Gi"),
             local_volume("v3", "n2", "50Gi"));
  world_.put(waiting_claim("small"), waiting_claim("large", "5Gi"), waiting_claim("huge", "50Gi"),
             waiting_claim("chosen").selected_node("n2"), make_claim("made").storage_class("make"),
             make_claim("made-here").storage_class("make").selected_node("n1"),
             make_ephemeral_claim("p", "scratch").storage_class("wait"));
  const auto pod = [](const testkit::Names& claims) {
    testkit::PodBuilder made = make_pod("p");
    for (const std::string& claim : claims) made.claim(claim);
    return made;
  };
  const NodeCase cases[] = {
      {"bound, and here", pod({"here"}), {}},
      {"bound, and elsewhere", pod({"there"}), {kElsewhere}},
      {"bound to what is not there", pod({"gone"}), {kGone}},
      {"one volume is free", pod({"small"}), {}},
      {"two are free", pod({"large", "small"}), {}},
      {"but not three", pod({"large", "small", "small"}), {kNoVolume}},
      {"too large", pod({"huge"}), {kNoVolume}},
      {"bound and free", pod({"here", "small"}), {}},
      {"bound elsewhere, and none is free", pod({"there", "huge"}), {kElsewhere, kNoVolume}},
      {"one is free, and what is bound is gone", pod({"gone", "small"}), {kGone}},
      {"none is free, and what is bound is gone", pod({"gone", "huge"}), {kNoVolume, kGone}},
      {"another node was chosen", pod({"chosen"}), {kNoVolume}},
      {"one that can be made", pod({"made"}), {}},
      {"one that is being made for this node", pod({"made-here"}), {}},
      {"one is free, another can be made", pod({"small", "made"}), {}},
      {"an ephemeral volume", make_pod("p").volume_json(kEphemeral), {}},
  };
  for (const NodeCase& c : cases) {
    std::string expected = c.problems.empty() ? "" : "Unresolvable: ";
    for (size_t i = 0; i < c.problems.size(); ++i) {
      expected += (i == 0 ? "" : ", ") + c.problems[i];
    }
    EXPECT_EQ(check(c.pod), expected) << c.name;
  }
  EXPECT_EQ(check(pod({"huge"}), 1), "");
  EXPECT_EQ(world_.suggestion(pod({"huge"})),
            "add a volume with 50Gi of class wait for claim huge");
  EXPECT_EQ(world_.suggestion(pod({"there"})),
            "volume there requires a node that matches its node affinity");
  EXPECT_EQ(world_.suggestion(pod({"chosen"})), "claim chosen is being provisioned for node n2");
}

TEST_F(VolumeBindingTest, MakesVolumesWhereTheClassAllowsIt) {
  world_.put(make_storage_class("zonal").provisioner("d").wait_for_consumer().topology(
                 "topology.kubernetes.io/zone", {"b", "c"}),
             make_claim("data").storage_class("zonal"));
  EXPECT_EQ(check(make_pod("p").claim("data"), 0), "Unresolvable: " + kNoVolume);
  EXPECT_EQ(check(make_pod("p").claim("data"), 1), "");
}

TEST_F(VolumeBindingTest, MakesVolumesWhereThereIsSpace) {
  world_.put(make_claim("data").storage_class("make").request("10Gi"));
  const auto pod = make_pod("p").claim("data");
  world_.put(make_csi_driver("d"));
  EXPECT_EQ(check(pod), "") << "a driver that says nothing of space";
  world_.put(make_csi_driver("d").has_storage_capacity());
  EXPECT_EQ(check(pod), "Unresolvable: " + kNoSpace);
  EXPECT_EQ(world_.suggestion(pod), "add space for 10Gi of class make for claim data");
  const auto pool = make_csi_capacity("pool").storage_class("make").topology({{kHost, "n1"}});
  struct {
    const char* name;
    testkit::CsiCapacityBuilder pool;
    bool enough;
  } const cases[] = {
      {"enough", testkit::CsiCapacityBuilder(pool).capacity("10Gi"), true},
      {"too little", testkit::CsiCapacityBuilder(pool).capacity("9Gi"), false},
      {"the largest volume counts",
       testkit::CsiCapacityBuilder(pool).capacity("90Gi").largest("9Gi"), false},
      {"even where less is left", testkit::CsiCapacityBuilder(pool).capacity("9Gi").largest("10Gi"),
       true},
      {"nothing is said", pool, false},
      {"of another class", testkit::CsiCapacityBuilder(pool).capacity("10Gi").storage_class("x"),
       false},
      {"of another node",
       testkit::CsiCapacityBuilder(pool).capacity("10Gi").topology({{kHost, "n2"}}), false},
      {"of no node", make_csi_capacity("pool").storage_class("make").capacity("10Gi"), false},
  };
  for (const auto& c : cases) {
    world_.put(c.pool);
    EXPECT_EQ(check(pod), c.enough ? "" : "Unresolvable: " + kNoSpace) << c.name;
  }
}

TEST_F(VolumeBindingTest, ReadsAffinityAsTheDriverThatTookADiskOver) {
  world_.add(make_node("n3").label("topology.gke.io/zone", "a"));
  world_.put(make_volume("v")
                 .source_json("gcePersistentDisk", R"({"pdName":"d"})")
                 .node_affinity("topology.kubernetes.io/zone", {"a"}),
             make_claim("data").volume("v"));
  const auto pod = make_pod("p").claim("data");
  EXPECT_EQ(check(pod, 0), "");
  EXPECT_EQ(check(pod, 2), "Unresolvable: " + kElsewhere);
  for (const char* node : {"n1", "n3"}) {
    world_.put(make_csi_node(node).annotation("storage.alpha.kubernetes.io/migrated-plugins",
                                              "kubernetes.io/aws-ebs,kubernetes.io/gce-pd"));
  }
  EXPECT_EQ(check(pod, 0), "Unresolvable: " + kElsewhere);
  EXPECT_EQ(check(pod, 2), "");
}

TEST_F(VolumeBindingTest, GivesNoVolumeToTwoPods) {
  world_.put(local_volume("v", "n1"), waiting_claim("one"), waiting_claim("two"));
  const auto first = make_pod("p").claim("one");
  const auto second = make_pod("q").claim("two");
  EXPECT_EQ(reserve(first), "");
  EXPECT_TRUE(has_work(first));
  EXPECT_EQ(check(second), "Unresolvable: " + kNoVolume);
  EXPECT_EQ(check(make_pod("r").claim("one")), "") << "it is its own claim's";
  unreserve(first);
  EXPECT_FALSE(has_work(first));
  EXPECT_EQ(check(second), "");
  unreserve(second);  // which has nothing
}

TEST_F(VolumeBindingTest, SticksToTheNodeThatItChose) {
  world_.put(make_claim("data").storage_class("make"));
  const auto pod = make_pod("p").claim("data");
  EXPECT_EQ(reserve(pod), "");
  EXPECT_EQ(check(make_pod("q").claim("data"), 0), "");
  EXPECT_EQ(check(make_pod("q").claim("data"), 1), "Unresolvable: " + kNoVolume);
  unreserve(pod);
  EXPECT_EQ(check(make_pod("q").claim("data"), 1), "");
}

TEST_F(VolumeBindingTest, ForgetsWhatItAssumedWhenTheServerKnowsBetter) {
  world_.put(local_volume("v", "n1"), waiting_claim("one"), waiting_claim("two"));
  EXPECT_EQ(reserve(make_pod("p").claim("one")), "");
  world_.put(local_volume("v", "n1").label("new", "state"));
  EXPECT_EQ(check(make_pod("q").claim("two")), "");
}

TEST_F(VolumeBindingTest, GivesTheSmallestVolumeToTheSmallestClaim) {
  world_.put(local_volume("larger", "n1", "6Gi"), local_volume("smaller", "n1", "5Gi"),
             waiting_claim("large", "5Gi"), waiting_claim("small"));
  const auto pod = make_pod("p").claim("large").claim("small");
  ASSERT_EQ(reserve(pod), "");
  const Until now{.deadline = world_.clock.steady(), .stop = {}};  // it writes, and does not wait
  EXPECT_FALSE(
      world_.as<PreBindPlugin>().pre_bind(*world_.read(pod), api::NodeNameView("n1"), now).ok());
  std::map<std::string, std::string> claims;
  for (const api::ObjectPtr& volume : world_.server.written()) {
    const kinds::VolumeFacts& facts = kinds::volume_facts(*volume);
    claims[facts.name] = facts.claim->name;
  }
  EXPECT_EQ(claims,
            (std::map<std::string, std::string>{{"larger", "large"}, {"smaller", "small"}}));
}

// Binds on a thread, as the scheduler does; the test is the server and the controller.
class BindVolumesTest : public VolumeBindingTest {
 protected:
  BindVolumesTest() {
    world_.put(make_pod("p"));
    world_.put(local_volume("v", "n1"), waiting_claim("one"),
               make_claim("two").storage_class("make"));
    pod_ = std::make_unique<testkit::PodBuilder>(make_pod("p").claim("one").claim("two"));
    EXPECT_EQ(reserve(*pod_), "");
    read_ = world_.read(*pod_);
  }
  ~BindVolumesTest() override {
    if (thread_.joinable()) thread_.join();
  }

  void start() {
    thread_ = std::jthread([this] {
      bound_ = world_.as<PreBindPlugin>().pre_bind(
          *read_, api::NodeNameView("n1"),
          Until{.deadline = Steady::max(), .stop = stop_.get_token()});
    });
  }
  void start_and_wait() {
    start();
    world_.clock.await_waiters(1);
  }
  // "": bound.
  std::string finish() {
    thread_.join();
    return bound_ ? "" : bound_.status().message();
  }
  // The caches hear of what was written.
  void tell_written() {
    const auto written = world_.server.written();
    world_.tell("persistentvolumes", written[0]);
    world_.tell("persistentvolumeclaims", written[1]);
  }

  std::unique_ptr<testkit::PodBuilder> pod_;
  PodPtr read_;
  std::stop_source stop_;
  Result<void> bound_;
  std::jthread thread_;
};

TEST_F(BindVolumesTest, WritesWhatWasReservedAndWaitsForTheController) {
  start_and_wait();
  const auto written = world_.server.written();
  ASSERT_EQ(written.size(), 2U);
  const kinds::VolumeFacts& volume = kinds::volume_facts(*written[0]);
  EXPECT_EQ(volume.name, "v");
  ASSERT_TRUE(volume.claim.has_value());
  EXPECT_EQ(volume.claim->name, "one");
  EXPECT_EQ(volume.claim->uid, "uid-default-one");
  EXPECT_TRUE(volume.bound_by_controller);
  EXPECT_EQ(kinds::claim_facts(*written[1]).selected_node, "n1");
  tell_written();
  world_.clock.await_waiters(1);
  world_.put(waiting_claim("one").volume("v"));
  world_.clock.await_waiters(1);
  world_.put(make_claim("two").storage_class("make").selected_node("n1").volume("new"));
  world_.clock.await_waiters(1);  // the volume is not in the cache yet
  world_.put(make_volume("new").claimed_by("default", "two"));
  EXPECT_EQ(finish(), "");
  EXPECT_FALSE(has_work(*pod_));
}

TEST_F(BindVolumesTest, GivesUpAfterAWhile) {
  start_and_wait();
  world_.clock.advance(std::chrono::seconds(601));
  EXPECT_EQ(finish(), "binding volumes: context deadline exceeded");
}

TEST_F(BindVolumesTest, StopsWhenItIsTold) {
  start_and_wait();
  stop_.request_stop();
  EXPECT_EQ(finish(), "binding volumes: context canceled");
}

TEST_F(BindVolumesTest, FailsWhenTheProvisionerGivesTheNodeUp) {
  start_and_wait();
  tell_written();
  world_.put(waiting_claim("one").volume("v"));
  world_.put(make_claim("two").storage_class("make"));
  EXPECT_EQ(finish(), "binding volumes: provisioning failed for PVC \"two\"");
}

TEST_F(BindVolumesTest, FailsWhenTheVolumeIsTakenAway) {
  start_and_wait();
  world_.put(local_volume("v", "n1"));
  EXPECT_EQ(finish(), "binding volumes: ClaimRef got reset for pv \"v\"");
}

TEST_F(BindVolumesTest, FailsWhenTheVolumeIsMadeElsewhere) {
  start_and_wait();
  tell_written();
  world_.put(waiting_claim("one").volume("v"), local_volume("new", "n2"));
  world_.put(make_claim("two").storage_class("make").selected_node("n1").volume("new"));
  EXPECT_EQ(finish(),
            "binding volumes: pv \"new\" node affinity doesn't match node \"n1\": no matching "
            "NodeSelectorTerms");
}

TEST_F(BindVolumesTest, FailsWhenThePodOrItsNodeGoes) {
  start_and_wait();
  world_.remove(make_pod("p"));
  EXPECT_EQ(finish(), "binding volumes: pod does not exist any more: pod \"p\" not found");
  world_.put(make_pod("p"));
  start_and_wait();
  world_.remove(make_node("n1"));
  EXPECT_EQ(finish(), "binding volumes: failed to get node \"n1\": node \"n1\" not found");
}

TEST_F(BindVolumesTest, TakesBackOnlyWhatIsNotWritten) {
  world_.server.refuse_after(1);
  start();
  EXPECT_EQ(finish(), "it has changed");
  unreserve(*pod_);
  world_.put(waiting_claim("other"));
  EXPECT_EQ(check(make_pod("q").claim("other")), "Unresolvable: " + kNoVolume)
      << "the volume is its claim's, as the caches will know soon";
  EXPECT_EQ(check(make_pod("q").claim("two"), 1), "") << "no node was chosen for it";
}

TEST_F(VolumeBindingTest, KnowsWhatMayHelp) {
  const auto pod = make_pod("p").claim("data").volume_json(R"({"name":"c","csi":{"driver":"d"}})");
  const auto helps = [&](EventResource resource, const api::ObjectPtr& before,
                         const api::ObjectPtr& after) {
    return world_.helped_by(pod, resource, before.get(), after.get());
  };
  const auto kClaim = EventResource::kPersistentVolumeClaim;
  EXPECT_TRUE(helps(kClaim, nullptr, make_claim("data").object()));
  EXPECT_FALSE(helps(kClaim, nullptr, make_claim("other").object()));
  EXPECT_FALSE(helps(kClaim, nullptr, make_claim("data").in("other").object()));
  EXPECT_TRUE(world_.helped_by(make_pod("p").volume_json(kEphemeral), kClaim, nullptr,
                               make_claim("p-scratch").object().get()));
  const auto kClass = EventResource::kStorageClass;
  const auto plain = make_storage_class("c").object();
  EXPECT_TRUE(helps(kClass, nullptr, plain));
  EXPECT_FALSE(helps(kClass, plain, make_storage_class("c").label("a", "b").object()));
  EXPECT_TRUE(helps(kClass, plain, make_storage_class("c").topology("zone", {"a"}).object()));
  const auto kNode = EventResource::kCsiNode;
  const auto csi_node = make_csi_node("n1").object();
  EXPECT_TRUE(helps(kNode, nullptr, csi_node));
  EXPECT_FALSE(helps(kNode, csi_node, make_csi_node("n1").driver("d").object()));
  EXPECT_TRUE(helps(kNode, csi_node,
                    make_csi_node("n1")
                        .annotation("storage.alpha.kubernetes.io/migrated-plugins", "x")
                        .object()));
  const auto kPool = EventResource::kCsiStorageCapacity;
  const auto pool = [](const char* size) { return make_csi_capacity("c").capacity(size).object(); };
  EXPECT_TRUE(helps(kPool, nullptr, pool("1Gi")));
  EXPECT_TRUE(helps(kPool, pool("1Gi"), pool("2Gi")));
  EXPECT_TRUE(helps(kPool, make_csi_capacity("c").object(), pool("1Gi")));
  EXPECT_FALSE(helps(kPool, pool("1Gi"), pool("1Gi")));
  EXPECT_FALSE(helps(kPool, pool("2Gi"), pool("1Gi")));
  const auto kDriver = EventResource::kCsiDriver;
  const auto silent = make_csi_driver("d").object();
  const auto counting = make_csi_driver("d").has_storage_capacity().object();
  EXPECT_TRUE(helps(kDriver, counting, silent));
  EXPECT_FALSE(helps(kDriver, silent, counting));
  EXPECT_FALSE(helps(kDriver, make_csi_driver("e").has_storage_capacity().object(),
                     make_csi_driver("e").object()));
}

TEST(VolumeBindingArgs, AreChecked) {
  const std::pair<const char*, const char*> cases[] = {
      {R"({"bindTimeoutSeconds":-10})",
       "bindTimeoutSeconds: Invalid value: -10: invalid BindTimeoutSeconds, should not be a "
       "negative value"},
      {R"({"shape":[]})",
       "shape: Invalid value: []: unexpected field `shape`, remove it or turn on the feature gate "
       "StorageCapacityScoring"},
  };
  StorageWorld world(make_volume_binding, R"({"bindTimeoutSeconds":0})");
  for (const auto& [args, why] : cases) {
    const json::Document document = json::parse(args).value();
    const auto made = make_volume_binding(world.context(), document.root());
    ASSERT_TRUE(made.is(Reason::kBadRequest)) << args;
    EXPECT_EQ(made.status().message(), why);
  }
}

}  // namespace volume_binding_test
}  // namespace proa::scheduler::volumes_test

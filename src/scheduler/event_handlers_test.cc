#include "scheduler/event_handlers.h"

#include <gtest/gtest.h>

#include "testkit/scheduler/builders.h"
#include "testkit/scheduler/test_context.h"

namespace proa::scheduler {
namespace {

using testkit::make_node;
using testkit::make_pod;
using testkit::NodeBuilder;
using testkit::PodBuilder;

// Rejects pods, and notes down the events it is asked about: that is how a test sees them.
class Listener final : public QueueSortPlugin {
 public:
  std::string_view name() const override { return "Listener"; }
  bool goes_before(const QueuedPod& a, const QueuedPod& b) const override {
    return a.pod->name() < b.pod->name();
  }
  std::vector<EventInterest> events() const override {
    std::vector<EventInterest> all;
    for (int i = 0; i <= static_cast<int>(EventResource::kVolumeAttachment); ++i) {
      all.push_back({.resource = static_cast<EventResource>(i), .actions = action::kAll});
    }
    return all;
  }
  bool may_help(const Pod&, const ClusterEvent& event) const override {
    const Pod* pod = event.new_pod != nullptr ? event.new_pod : event.old_pod;
    heard.push_back(event_label(event.resource, event.action) +
                    (pod == nullptr ? "" : " " + std::string(pod->name())));
    return false;
  }
  mutable std::vector<std::string> heard;
};

class FeedTest : public testing::Test {
 protected:
  FeedTest() {
    std::vector<std::unique_ptr<Profile>> made;
    made.push_back(std::make_unique<Profile>());
    made.back()->scheduler_name = "default-scheduler";
    auto plugin = std::make_unique<Listener>();
    listener = plugin.get();
    made.back()->queue_sort = plugin.get();
    made.back()->plugins.push_back(std::move(plugin));
    profiles.set(std::move(made));
    handlers.listen(world.informers, [this] { ++woken; });
    for (int i = 0; i < 3; ++i) world.informers.poll();
    // Somebody who waits, and is asked whether events help.
    put(make_pod("waiting"));
    reject();
  }
  void reject() { queue.put_back(queue.pop(), {listener}); }
  void put(const PodBuilder& pod) { world.put("pods", pod); }
  void put(const NodeBuilder& node) { world.put("nodes", node); }
  void remove(const PodBuilder& pod) { world.remove("pods", pod); }
  static api::Uid uid(std::string_view name) {
    return api::Uid(testkit::usual_uid("default", name));
  }
  // Since the last call.
  std::vector<std::string> heard() { return std::exchange(listener->heard, {}); }
  using Heard = std::vector<std::string>;

  testkit::TestContext world;
  Listener* listener = nullptr;
  Profiles profiles;
  SchedulingQueue queue{world.clock, profiles, {}};
  EventHandlers handlers{world.cluster, queue, world.nominations, profiles};
  int woken = 0;
};

TEST_F(FeedTest, PutsPodsWithoutANodeIntoTheQueue) {
  woken = 0;
  put(make_pod("a"));
  put(make_pod("other").scheduler_name("somebody-else"));
  put(make_pod("done").phase("Succeeded"));
  put(make_pod("leaving").deleted_at("2026-01-01T00:00:00Z"));
  EXPECT_TRUE(queue.has(uid("a")));
  for (const char* name : {"other", "done", "leaving"}) EXPECT_FALSE(queue.has(uid(name))) << name;
  EXPECT_EQ(world.cluster.pod_count(), 0u);
  EXPECT_GT(woken, 0);
  remove(make_pod("a"));
  EXPECT_FALSE(queue.has(uid("a")));
}

TEST_F(FeedTest, TakesAPodOutOfTheQueueThatIsOnItsWayOut) {
  put(make_pod("a"));
  put(make_pod("a").deleted_at("2026-01-01T00:00:00Z"));
  EXPECT_FALSE(queue.has(uid("a")));
}

TEST_F(FeedTest, PutsPodsWithANodeIntoTheCluster) {
  put(make_node("n1"));
  heard();
  put(make_pod("a"));
  put(make_pod("a").node("n1"));
  EXPECT_FALSE(queue.has(uid("a")));
  EXPECT_NE(world.cluster.pod(uid("a")), nullptr);
  EXPECT_EQ(heard(), Heard{"AssignedPodAdd a"});
  put(make_pod("a").node("n1").label("app", "web"));
  put(make_pod("a").node("n1").label("app", "web").started("2026-01-01T00:00:00Z"));
  EXPECT_EQ(heard(), (Heard{"AssignedPodUpdatePodLabel a", "AssignedPodUpdate a"}));
  remove(make_pod("a").node("n1"));
  EXPECT_EQ(world.cluster.pod(uid("a")), nullptr);
  EXPECT_EQ(heard(), Heard{"AssignedPodDelete a"});
}

TEST_F(FeedTest, CountsPodsOfOtherSchedulersOnNodes) {
  put(make_pod("a").scheduler_name("somebody-else").node("n1"));
  EXPECT_EQ(world.cluster.pod_count(), 1u);
}

TEST_F(FeedTest, FreesWhatAPodHadThatIsDone) {
  put(make_pod("a").node("n1"));
  heard();
  put(make_pod("a").node("n1").phase("Failed"));
  EXPECT_EQ(world.cluster.pod_count(), 0u);
  EXPECT_EQ(heard(), Heard{"AssignedPodDelete a"});
  remove(make_pod("a").node("n1").phase("Failed"));
  EXPECT_EQ(heard(), Heard{});
}

TEST_F(FeedTest, TellsAPodFromOneThatTookItsName) {
  put(make_pod("a").uid("first").node("n1"));
  heard();
  put(make_pod("a").uid("second"));
  EXPECT_EQ(world.cluster.pod_count(), 0u);
  EXPECT_TRUE(queue.has(api::UidView("second")));
  EXPECT_EQ(heard(), Heard{"AssignedPodDelete a"});
}

TEST_F(FeedTest, ConfirmsWhatWasAssumed) {
  put(make_node("n1"));
  put(make_pod("a"));
  const WaitingPtr a = queue.pop();
  world.cluster.assume(on_node(*a->pod, api::NodeNameView("n1")));
  heard();
  put(make_pod("a").label("seen", "late"));
  EXPECT_FALSE(queue.has(uid("a"))) << "it has a node";
  put(make_pod("a").node("n1"));
  EXPECT_FALSE(world.cluster.is_assumed(uid("a")));
  EXPECT_EQ(world.cluster.pod_count(), 1u);
  EXPECT_EQ(heard(), Heard{"AssignedPodAdd a"});
}

TEST_F(FeedTest, FreesWhatWasAssumedForAPodThatIsGone) {
  put(make_node("n1"));
  put(make_pod("a"));
  world.cluster.assume(on_node(*queue.pop()->pod, api::NodeNameView("n1")));
  heard();
  remove(make_pod("a"));
  EXPECT_EQ(world.cluster.pod_count(), 0u);
  EXPECT_EQ(heard(), Heard{"AssignedPodDelete a"});
}

TEST_F(FeedTest, FollowsNominations) {
  put(make_pod("a").nominated("n1"));
  EXPECT_EQ(world.nominations.node_of(uid("a")), "n1");
  heard();
  put(make_pod("a").nominated("n2"));
  EXPECT_EQ(world.nominations.node_of(uid("a")), "n2");
  EXPECT_EQ(heard(), Heard{"AssignedPodDelete a"}) << "the room on n1 is free";
  put(make_pod("a").nominated("n2").label("app", "web"));
  EXPECT_EQ(heard(), Heard{});
  put(make_pod("a"));
  EXPECT_EQ(world.nominations.node_of(uid("a")), "");
  EXPECT_EQ(heard(), Heard{"AssignedPodDelete a"});
}

TEST_F(FeedTest, KeepsANominationThatTheApiHasNotSaidYet) {
  put(make_pod("a"));
  heard();
  world.nominations.set(queue.pop()->pod, api::NodeNameView("n1"));
  put(make_pod("a").label("app", "web"));
  EXPECT_EQ(world.nominations.node_of(uid("a")), "n1");
  const std::string_view* label = world.nominations.find(uid("a"))->shape->labels.find("app");
  EXPECT_NE(label, nullptr) << "with the latest state of the pod";
  put(make_pod("a").nominated("n1"));
  EXPECT_EQ(world.nominations.node_of(uid("a")), "n1");
  EXPECT_EQ(heard(), Heard{});
  put(make_pod("a"));
  EXPECT_TRUE(world.nominations.empty()) << "the API said so, and takes it back";
  EXPECT_EQ(heard(), Heard{"AssignedPodDelete a"});
}

TEST_F(FeedTest, EndsTheNominationOfAPodThatIsGone) {
  put(make_pod("a").nominated("n1"));
  heard();
  remove(make_pod("a").nominated("n1"));
  EXPECT_TRUE(world.nominations.empty());
  EXPECT_EQ(heard(), Heard{"AssignedPodDelete a"});
}

TEST_F(FeedTest, TellsOfFreedRoomOnlyThoseWhoMindedIt) {
  queue.remove(uid("waiting"));
  put(make_pod("high").priority(10));
  reject();
  put(make_pod("a").priority(5).nominated("n1"));
  heard();
  remove(make_pod("a").priority(5).nominated("n1"));
  EXPECT_EQ(heard(), Heard{});
}

TEST_F(FeedTest, EndsTheNominationOfAPodThatGotANode) {
  put(make_pod("a").nominated("n1"));
  put(make_pod("a").node("n1"));
  EXPECT_TRUE(world.nominations.empty());
}

TEST_F(FeedTest, TellsOfNodes) {
  put(make_node("n1").capacity({{"cpu", "1"}}));
  EXPECT_EQ(heard(), Heard{"NodeAdd"});
  put(make_node("n1").capacity({{"cpu", "1"}}));
  EXPECT_EQ(heard(), Heard{}) << "a heartbeat";
  put(make_node("n1").capacity({{"cpu", "2"}}));
  EXPECT_EQ(heard(), Heard{"NodeUpdateNodeAllocatable"});
  EXPECT_EQ(world.cluster.at(0).facts().allocatable.milli_cpu, 2000);
  world.remove("nodes", make_node("n1"));
  EXPECT_EQ(heard(), Heard{"NodeDelete"});
  EXPECT_EQ(world.cluster.node_count(), 0u);
}

TEST_F(FeedTest, TellsOfStorage) {
  world.put("persistentvolumeclaims", testkit::make_claim("data"));
  world.put("persistentvolumeclaims", testkit::make_claim("data").label("a", "b"));
  world.remove("persistentvolumeclaims", testkit::make_claim("data"));
  world.put("csinodes", testkit::make_csi_node("n1"));
  EXPECT_EQ(heard(), (Heard{"PersistentVolumeClaimAdd", "PersistentVolumeClaimUpdate",
                            "PersistentVolumeClaimDelete", "storage.k8s.io/CSINodeAdd"}));
}

}  // namespace
}  // namespace proa::scheduler

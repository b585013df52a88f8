#include "kubelet/workers/housekeeper.h"

#include <gtest/gtest.h>

#include "testkit/kubelet/worker/worker_world.h"

namespace proa::kubelet {
namespace {

using namespace std::chrono_literals;
using Lines = std::vector<std::string>;

const std::string kPod = R"({"containers":[{"name":"a","image":"i"}]})";

class HousekeeperTest : public testing::Test {
 protected:
  // When it wants to be called again.
  Duration poll() {
    const Steady next = world.housekeeper().poll();
    world.work();
    return next == Steady::max() ? Duration::max() : next - world.clock.steady();
  }
  // Until it looks no oftener than always.
  void settle() {
    for (Duration wait = poll(); wait < 60s; wait = poll()) world.advance(wait);
  }
  // Events of the runtime get lost.
  void deafen() { world.fake.on_change({}); }

  testkit::WorkerWorld world;
};

TEST_F(HousekeeperTest, FindsWhatNoEventTold) {
  world.put("web", kPod);
  world.work();
  settle();
  deafen();
  world.fake.finish(world.fake.newest("a"), 1);
  world.advance(59s);
  EXPECT_EQ(poll(), 1s);
  EXPECT_EQ(world.running("a"), 0U);
  world.advance(1s);
  poll();
  EXPECT_EQ(world.running("a"), 1U);
  ASSERT_TRUE(world.fake.remove_sandbox(world.fake.newest_sandbox("web"), {}).ok());
  world.housekeeper().resync_now();
  poll();
  EXPECT_TRUE(world.work_until([&] { return world.running("a") == 1; }));
}

TEST_F(HousekeeperTest, LooksOnlyAtWhatChanged) {
  world.put("web", kPod);
  world.work();
  poll();
  const size_t looks = world.looks();
  world.housekeeper().resync_now();
  poll();
  EXPECT_EQ(world.looks(), looks);
  EXPECT_EQ(world.cgroups.balanced, 1U);
}

TEST_F(HousekeeperTest, LeavesStrangersAloneUntilAllAreKnown) {
  world.put("web", kPod);
  world.put("known", kPod);
  world.work();
  world.all_known = false;
  world.drop(world.uid_of("web"));
  world.restart_kubelet();
  world.work();
  EXPECT_LE(poll(), 1s) << "it looks again soon";
  EXPECT_EQ(world.running("a"), 2U);
  deafen();
  const std::vector<cri::Container> all = *world.fake.containers({}, {});
  for (const cri::Container& one : all) {
    if (one.labels.at("io.kubernetes.pod.name") == "known") world.fake.finish(one.id, 1);
  }
  world.housekeeper().resync_now();
  poll();
  EXPECT_EQ(world.running("a"), 2U) << "those that are known are looked after";
  world.all_known = true;
  poll();
  EXPECT_EQ(world.running("a"), 1U);
}

TEST_F(HousekeeperTest, RemovesWhatIsLeftOfPodsThatNobodyKnows) {
  world.volumes.leave_behind(api::UidView("gone"));
  ASSERT_TRUE(
      world.files.make_dirs(world.paths.pod_logs("d", "x", api::UidView("other")) + "/a", 0755)
          .ok());
  ASSERT_TRUE(world.files
                  .write_file_atomic(
                      world.paths.pod_logs("d", "x", api::UidView("other")) + "/a/0.log", "x", 0640)
                  .ok());
  poll();
  EXPECT_EQ(world.leftovers(), Lines());
}

TEST_F(HousekeeperTest, HasTheRuntimeTidiedAtEachLook) {
  settle();
  const int before = world.tidied;
  world.advance(60s);
  poll();
  EXPECT_EQ(world.tidied, before + 1);
}

TEST_F(HousekeeperTest, TriesAgainWhenTheRuntimeDoesNotAnswer) {
  world.put("web", kPod);
  world.work();
  settle();
  deafen();
  world.fake.finish(world.fake.newest("a"), 1);
  world.clock.advance(60s);
  world.fake.fail_next("containers", Status(Reason::kServiceUnavailable, "away"));
  poll();
  EXPECT_EQ(world.running("a"), 0U);
  world.clock.advance(60s);
  poll();
  EXPECT_EQ(world.running("a"), 1U);
}

// A hurry that comes while a look is under way is not lost.
TEST_F(HousekeeperTest, LooksOnceMoreForAHurryMeanwhile) {
  poll();
  int looks = 0;
  world.faults.during("sandboxes", [&] {
    ++looks;
    world.housekeeper().resync_now();
    EXPECT_EQ(world.housekeeper().poll(), Steady::max()) << "its end wakes whoever polls";
    world.faults.during("sandboxes", [&] { ++looks; });
  });
  world.housekeeper().resync_now();
  poll();
  EXPECT_EQ(looks, 1);
  poll();
  EXPECT_EQ(looks, 2);
}

}  // namespace
}  // namespace proa::kubelet

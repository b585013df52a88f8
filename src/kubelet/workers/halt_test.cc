#include <gtest/gtest.h>

#include <algorithm>

#include "testkit/kubelet/worker/worker_world.h"

namespace proa::kubelet {
namespace {

using namespace std::chrono_literals;
using Lines = std::vector<std::string>;
using testkit::WorkerWorld;

const std::string kWithHook =
    R"({"terminationGracePeriodSeconds":20,"containers":[{"name":"a","image":"i",
        "lifecycle":{"preStop":{"exec":{"command":["bye"]}}}}]})";

class HaltTest : public testing::Test {
 protected:
  void start(const std::string& spec) {
    world.put("web", spec);
    world.work();
    ASSERT_EQ(world.running("a"), 1U);
    world.done();
  }
  void halt(Duration most_grace) {
    world.halt().begin(most_grace);
    world.look(world.uid_of("web"));
    world.work();
  }

  WorkerWorld world;
};

TEST_F(HaltTest, RunsHandlersAndGivesEachPodItsGrace) {
  start(kWithHook);
  halt(Duration::max());
  EXPECT_EQ(world.running("a"), 0U);
  EXPECT_EQ(world.done(), Lines({"exec a bye", "stop_container a 20s"}));
  EXPECT_FALSE(world.registry().any_may_run());
}

TEST_F(HaltTest, GivesNoMoreGraceThanItMay) {
  start(kWithHook);
  halt(5s);
  EXPECT_EQ(world.done(), Lines({"exec a bye", "stop_container a 5s"}));
}

TEST_F(HaltTest, StartsNothingAnyMore) {
  start(kWithHook);
  halt(Duration::max());
  world.done();
  world.put("late", kWithHook);
  world.look(world.uid_of("web"));
  world.advance(10min);
  EXPECT_EQ(world.done(), Lines());
}

TEST_F(HaltTest, APodIsStartedAgainByTheNextKubelet) {
  start(kWithHook);
  halt(Duration::max());
  EXPECT_EQ(world.phase("web"), "Running") << "the pod has not ended";
  world.restart_kubelet();
  world.look(world.uid_of("web"));
  world.advance(10min);
  EXPECT_EQ(world.running("a"), 1U);
  EXPECT_EQ(world.fake.containers({}, {})->size(), 2U) << "the previous instance is kept";
}

}  // namespace
}  // namespace proa::kubelet

#include <gtest/gtest.h>

#include "testkit/kubelet/worker/worker_world.h"

namespace proa::kubelet {
namespace {

using testkit::WorkerWorld;

// On a node with four processors.
const std::string kMost = R"({"restartPolicy":"Never","containers":[{"name":"a","image":"i",
                              "resources":{"requests":{"cpu":"3"}}}]})";

// The scheduler reads the final phase of the first pod and places the second one on this node,
// while the first one's volumes are being removed.
TEST(Admission, DoesNotCountAPodWhoseFinalPhaseIsPublished) {
  WorkerWorld world;
  world.put("first", kMost);
  world.work();
  ASSERT_EQ(world.running("a"), 1U);
  size_t others = 1;
  world.faults.during("unmount", [&] {
    EXPECT_EQ(world.phase("first"), "Succeeded");
    others = world.registry().admitted().size();
  });
  world.fake.finish(world.fake.newest("a"), 0);
  world.work();
  EXPECT_EQ(others, 0U);
}

TEST(Admission, CountsAPodThatFailedWhileItsContainersRun) {
  WorkerWorld world;
  world.put("first", R"({"activeDeadlineSeconds":60,"containers":[{"name":"a","image":"i"}]})");
  world.work();
  size_t others = 0;
  world.faults.during("stop_container", [&] { others = world.registry().admitted().size(); });
  world.advance(std::chrono::seconds(60));
  EXPECT_EQ(world.phase("first"), "Failed");
  EXPECT_EQ(others, 1U);
}

}  // namespace
}  // namespace proa::kubelet

#include "kubelet/workers/start/container_starter.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "testkit/kubelet/worker/worker_world.h"

namespace proa::kubelet {
namespace {

using testkit::WorkerWorld;

TEST(ContainerStarter, WaitsUntilAddressesOfThePodHaveRules) {
  WorkerWorld world;
  world.prepare_network = Status(Reason::kTimeout, "rules were not written in time");
  world.put("web", R"({"containers":[{"name":"a","image":"i"}]})");
  world.put("host", R"({"hostNetwork":true,"containers":[{"name":"h","image":"i"}]})");
  world.work();
  EXPECT_EQ(world.phase("web"), "Pending");
  EXPECT_EQ(world.phase("host"), "Running") << "addresses of the node have none";
  const auto done = world.done();
  EXPECT_EQ(std::ranges::find(done, "create_container a"), done.end());
  EXPECT_FALSE(world.prepared.empty());
  world.prepare_network = {};
  EXPECT_TRUE(world.work_until([&] { return world.phase("web") == "Running"; }));
}

TEST(ContainerStarter, AsksForRulesOfStaticPodsToo) {
  WorkerWorld world;
  world.put_static("web", R"({"containers":[{"name":"a","image":"i"}]})", "hash");
  world.work();
  EXPECT_FALSE(world.prepared.empty());
}

}  // namespace
}  // namespace proa::kubelet

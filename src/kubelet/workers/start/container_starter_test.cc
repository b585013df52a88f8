#include "kubelet/workers/start/container_starter.h"

#include <gmock/gmock.h>

#include <algorithm>

#include "json/parse.h"
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

class ImageVolumes : public testing::Test {
 protected:
  using Lines = std::vector<std::string>;
  static constexpr const char* kSpec =
      R"({"containers":[
        {"name":"a","image":"i","volumeMounts":[{"name":"one","mountPath":"/1"},
                                                {"name":"two","mountPath":"/2","subPath":"s"}]},
        {"name":"b","image":"i","volumeMounts":[{"name":"one","mountPath":"/1"}]},
        {"name":"c","image":"i"}]})";

  ImageVolumes() {
    world.volumes.volumes =
        MountedVolumes{{"one", {.read_only = true, .image = VolumeImage{.specified = "one:1"}}},
                       {"two", {.read_only = true, .image = VolumeImage{.specified = "two:1"}}}};
  }
  static ImageState failed(const std::string& reason, Duration later, const Clock& clock) {
    return {.kind = ImageState::Kind::kFailed,
            .reason = reason,
            .message = "because",
            .again = clock.steady() + later};
  }
  // Events with this text since the last call.
  Lines heard(std::string_view text) {
    Lines lines = world.events.take();
    std::erase_if(lines,
                  [&](const std::string& line) { return line.find(text) == std::string::npos; });
    return lines;
  }

  WorkerWorld world;
};

TEST_F(ImageVolumes, AreMountedByTheReferenceThatWasPulled) {
  world.put("web", kSpec);
  world.work();
  EXPECT_EQ(world.phase("web"), "Running");
  EXPECT_EQ(world.images.volumes_asked, (Lines{"one", "two"})) << "once for both containers";
  const auto config = *json::parse(world.fake.config_of(world.fake.newest("a")));
  const api::View mount = api::View(config.root())["mounts"].item(1);
  EXPECT_EQ(mount["image"]["image"].text(), "sha256:two:1");
  EXPECT_EQ(mount["image"]["user_specified_image"].text(), "two:1");
  EXPECT_EQ(mount["image_sub_path"].text(), "s");
  EXPECT_TRUE(mount["readonly"].flag());
  EXPECT_FALSE(mount["host_path"].exists());
}

TEST_F(ImageVolumes, AreWaitedForByContainersThatMountThem) {
  world.images.volume_states["two"] = {};
  world.put("web", kSpec);
  world.work();
  EXPECT_EQ(world.state("web", "a"), "waiting: ContainerCreating");
  EXPECT_EQ(world.state("web", "b"), "running");
  EXPECT_EQ(world.state("web", "c"), "running");
  EXPECT_EQ(heard("Error"), Lines{});
  world.images.volume_states.clear();
  world.look(world.uid_of("web"));
  world.work();
  EXPECT_EQ(world.state("web", "a"), "running");
}

// Otherwise each of two images with the pull policy Always would be pulled while the other one is.
TEST_F(ImageVolumes, AreNotPulledAgainWhileOthersArePulled) {
  world.images.volume_states["two"] = {};
  world.put("web", R"({"containers":[{"name":"a","image":"i","volumeMounts":[
      {"name":"one","mountPath":"/1"},{"name":"two","mountPath":"/2"}]}]})");
  world.work();
  world.images.volume_states.clear();
  world.images.states["a"] = {};
  world.look(world.uid_of("web"));
  world.work();
  world.images.states.clear();
  world.look(world.uid_of("web"));
  world.work();
  EXPECT_EQ(world.state("web", "a"), "running");
  EXPECT_EQ(std::ranges::count(world.images.volumes_asked, "one"), 1);
  // A restart follows the pull policy.
  world.fake.finish(world.fake.newest("a"), 0);
  EXPECT_TRUE(world.work_until([&] { return world.running("a") == 1; }));
  EXPECT_EQ(std::ranges::count(world.images.volumes_asked, "one"), 2);
}

TEST_F(ImageVolumes, ThatCannotBePulledAreTheStateOfTheContainer) {
  using namespace std::chrono_literals;
  world.images.volume_states["one"] = failed("ErrImagePull", 20s, world.clock);
  world.images.volume_states["two"] = failed("InvalidImageName", 60s, world.clock);
  world.put("web", kSpec);
  world.work();
  EXPECT_EQ(world.state("web", "a"), "waiting: InvalidImageName") << "the last one, as upstream";
  EXPECT_EQ(world.state("web", "b"), "waiting: ErrImagePull");
  EXPECT_EQ(world.state("web", "c"), "running");
  EXPECT_THAT(heard("Error: "),
              testing::IsSupersetOf({"Warning Failed spec.containers{a} Error: ErrImagePull",
                                     "Warning Failed spec.containers{a} Error: InvalidImageName",
                                     "Warning Failed spec.containers{b} Error: ErrImagePull"}));
  world.images.volume_states.clear();
  const Steady begin = world.clock.steady();
  EXPECT_TRUE(world.work_until([&] { return world.running("a") + world.running("b") == 2; }));
  EXPECT_LE(world.clock.steady() - begin, 21s) << "the first one that may be tried again";
}

TEST_F(ImageVolumes, HoldNoVariables) {
  world.put("web", R"({"containers":[{"name":"a","image":"i","env":[{"name":"X","valueFrom":
      {"fileKeyRef":{"volumeName":"one","path":"etc/passwd","key":"x"}}}]}]})");
  world.work();
  EXPECT_EQ(world.state("web", "a"), "waiting: CreateContainerConfigError");
  EXPECT_THAT(heard("cannot find the volume \"one\""), testing::Not(testing::IsEmpty()));
}

}  // namespace
}  // namespace proa::kubelet

#include "kubelet/runtime/images/image_collector.h"

#include <gtest/gtest.h>

#include "json/parse.h"
#include "testkit/fake_clock.h"
#include "testkit/kubelet/fake_runtime.h"
#include "testkit/kubelet/recorded_events.h"

namespace proa::kubelet {
namespace {

using namespace std::chrono_literals;
using Lines = std::vector<std::string>;

class ImageCollectorTest : public testing::Test {
 protected:
  void add(const std::string& name, int64_t size, bool pinned = false) {
    cri::Image image;
    image.id = "sha256:" + name;
    image.tags = {name};
    image.size = size;
    image.pinned = pinned;
    runtime.add_image(name, image);
  }
  // A container that runs the image "used"; `more`: fields of its configuration. Returns its id.
  std::string create(const std::string& more) {
    const auto sandbox = *json::parse(R"({"metadata":{"name":"p","namespace":"d","uid":"u"}})");
    const std::string id = *runtime.run_sandbox(sandbox.root(), "", {});
    const auto config = *json::parse(R"({"metadata":{"name":"web"},"image":{"image":"used"})" +
                                     std::string(more.empty() ? "" : ",") + more + "}");
    return *runtime.create_container(id, config.root(), sandbox.root(), {});
  }
  // The images that went, or why not.
  std::string collect() {
    runtime.clear_calls();
    const auto collected = collector.collect({});
    std::string text;
    for (const std::string& call : runtime.calls()) text += call + " ";
    return collected.ok() ? text : text + collected.status().message();
  }

  testkit::FakeClock clock;
  testkit::FakeRuntime runtime{clock};
  testkit::RecordedEvents events{clock};
  DiskSpace disk{.capacity = 1000, .available = 500};
  size_t seen = 0;
  ImageCollector collector{{runtime,
                            clock,
                            events.recorder(),
                            [] {
                              client::ObjectReference node;
                              node.kind = "Node";
                              node.name = "n1";
                              return node;
                            },
                            {"pause"},
                            [this](const std::vector<cri::Image>& images) { seen = images.size(); },
                            [this](const std::string&) { return Result<DiskSpace>(disk); }}};
};

TEST_F(ImageCollectorTest, RemovesTheOldestUntilThereIsRoom) {
  add("a", 60);
  EXPECT_EQ(collect(), "");
  EXPECT_EQ(seen, 1u);
  clock.advance(1min);
  add("b", 60);
  add("pause", 60);
  add("pinned", 60, true);
  EXPECT_EQ(collect(), "");
  clock.advance(5min);
  add("new", 60);
  disk.available = 150;  // 85 % used: 50 bytes are wanted
  EXPECT_EQ(collect(), "remove_image sha256:a ");
  disk.available = 149;
  EXPECT_EQ(collect().substr(0, 22), "remove_image sha256:b ");
  disk.available = 160;
  clock.advance(5min);
  EXPECT_EQ(collect(), "");
}

TEST_F(ImageCollectorTest, KeepsWhatContainersMount) {
  add("a", 60);
  add("used", 500);
  add("mounted", 500);
  const std::string id = create(R"("mounts":[{"image":{"image":"sha256:mounted"}}])");
  EXPECT_EQ(collect(), "");
  clock.advance(3min);
  disk.available = 0;
  // The mounts of a container are asked for once.
  runtime.fail_next("container", Status(Reason::kServiceUnavailable, "gone"));
  EXPECT_EQ(collect().substr(0, 34), "remove_image sha256:a Insufficient");
  ASSERT_TRUE(runtime.remove_container(id, {}).ok());
  EXPECT_EQ(collect(), "remove_image sha256:mounted ");
  add("new", 10);
  create("");
  EXPECT_EQ(collect(), "gone") << "nothing is removed while mounts are unknown";
}

TEST_F(ImageCollectorTest, IgnoresContainersThatJustLeft) {
  add("used", 500);
  create("");
  runtime.fail_next("container", Status(Reason::kNotFound, "gone"));
  EXPECT_EQ(collect(), "");
}

TEST_F(ImageCollectorTest, KeepsWhatIsUsedAndSaysThatItIsNotEnough) {
  add("a", 10);
  add("used", 500);
  create("");
  collect();
  clock.advance(3min);
  disk.available = 0;
  const std::string why =
      "Insufficient free disk space on the node's image filesystem (100% of 1000 B used). Failed "
      "to free sufficient space by deleting unused images (freed 10 bytes). Investigate disk "
      "usage, as it could be used by active images, logs, volumes, or other data.";
  EXPECT_EQ(collect(), "remove_image sha256:a " + why);
  EXPECT_EQ(events.take(), Lines{"Warning FreeDiskSpaceFailed " + why});
  disk.capacity = 0;
  EXPECT_EQ(collect(), "invalid capacity 0 on image filesystem");
}

}  // namespace
}  // namespace proa::kubelet

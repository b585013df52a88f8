#include "kubelet/workers/static_pods/mirror_keeper.h"

#include <gtest/gtest.h>

#include "kubelet/workers/static_pods/manifest.h"
#include "testkit/controllers/test_world.h"

namespace proa::kubelet {
namespace {

class MirrorKeeperTest : public testing::Test {
 protected:
  MirrorKeeperTest() : world_(std::vector<controllers::ControllerEntry>{}) {
    if (world_.get("", "namespaces", "", "default") == nullptr)
      world_.create("", "namespaces", "", R"({"metadata":{"name":"default"}})");
    node_ = world_.create("", "nodes", "", R"({"metadata":{"name":"n"}})");
    pod_ = *ManifestReader(api::NodeName("n"))
                .read(R"({"apiVersion":"v1","kind":"Pod","metadata":{"name":"a"},)"
                      R"("spec":{"containers":[{"name":"c","image":"i"}]}})",
                      "/a", Time{});
  }
  PodPtr mirror() {
    const api::ObjectPtr object = world_.get("", "pods", "default", "a-n");
    return object == nullptr ? nullptr : *Pod::read(object, Pod::Source::kApi);
  }
  // When it wants to be asked again.
  Duration look() {
    const Result<client::Again> done = keeper_.reconcile({.name_space = "default", .name = "a-n"});
    EXPECT_TRUE(done.ok()) << done.status().message();
    return done.ok() ? done->after : Duration::zero();
  }

  testkit::TestWorld world_;
  api::ObjectPtr node_;
  PodPtr pod_;
  std::string asked_;
  MirrorKeeper keeper_{{.client = {world_.client(), world_.clock()},
                        .pods = *world_.place("", "pods", "", "").resource,
                        .static_pod =
                            [this](const api::PodKey& key) {
                              asked_ = key.str();
                              return pod_;
                            },
                        .mirror = [this](const api::PodKey&) { return mirror(); },
                        .node = [this] { return node_; }}};
};

TEST_F(MirrorKeeperTest, ShowsAPodAsLongAsItsFileIsThere) {
  EXPECT_EQ(look(), Duration::zero());
  EXPECT_EQ(asked_, "default/a-n");
  ASSERT_NE(mirror(), nullptr);
  const api::Uid first = mirror()->uid();
  look();
  EXPECT_EQ(mirror()->uid(), first) << "it is as it should be";
  pod_ = nullptr;
  look();
  EXPECT_EQ(mirror(), nullptr);
  look();
  EXPECT_EQ(mirror(), nullptr);
}

TEST_F(MirrorKeeperTest, MakesAnotherOneForWhomSomebodyDeleted) {
  look();
  const api::Uid first = mirror()->uid();
  world_.client()
      .remove(world_.place("", "pods", "default", "a-n"), {.grace_seconds = 0}, {})
      .value();
  look();
  ASSERT_NE(mirror(), nullptr);
  EXPECT_NE(mirror()->uid(), first);
}

TEST_F(MirrorKeeperTest, WaitsForTheNodeThatOwnsMirrors) {
  const api::ObjectPtr node = std::exchange(node_, nullptr);
  EXPECT_EQ(look(), Duration::zero()) << "who registers it tells";
  EXPECT_EQ(mirror(), nullptr);
  node_ = api::Object::make(
      R"({"metadata":{"name":"n","uid":"u","deletionTimestamp":"2026-01-01T00:00:00Z"}})");
  EXPECT_GT(look(), Duration::zero()) << "another one comes in its place";
  EXPECT_EQ(mirror(), nullptr);
  node_ = node;
  look();
  EXPECT_NE(mirror(), nullptr);
}

TEST_F(MirrorKeeperTest, TakesAMirrorAwayThoughTheNodeIsUnknown) {
  look();
  pod_ = nullptr;
  node_ = nullptr;
  look();
  EXPECT_EQ(mirror(), nullptr);
}

}  // namespace
}  // namespace proa::kubelet

#include "scheduler/plugins/basic/default_binder.h"

#include <gtest/gtest.h>

#include "json/parse.h"
#include "testkit/controllers/test_world.h"
#include "testkit/scheduler/plugins/test_bench.h"

namespace proa::scheduler {
namespace {

using testkit::make_pod;
using testkit::TestWorld;

class DefaultBinderTest : public testing::Test {
 protected:
  PodPtr create_pod(std::string_view name) {
    return reader_.read(
        world_.create("", "pods", "default",
                      R"({"metadata":{"name":")" + std::string(name) +
                          R"("},"spec":{"containers":[{"name":"c","image":"i"}]}})"));
  }
  Result<bool> bind(const Pod& pod, std::string_view node) {
    return bench_.as<BindPlugin>().bind(pod, api::NodeNameView(node), {});
  }
  std::string node_of(std::string_view name) {
    return reader_.read(world_.get("", "pods", "default", name))->node.str();
  }

  TestWorld world_{std::vector<controllers::ControllerEntry>{}};
  TestBench bench_{make_default_binder, &world_.client()};
  PodReader reader_;
};

TEST_F(DefaultBinderTest, PutsThePodOnTheNode) {
  const PodPtr pod = create_pod("p");
  const Result<bool> bound = bind(*pod, "n1");
  ASSERT_TRUE(bound.ok()) << bound.status().message();
  EXPECT_TRUE(*bound);
  EXPECT_EQ(node_of("p"), "n1");
}

TEST_F(DefaultBinderTest, SaysWhyAPodCannotBeBound) {
  const PodPtr pod = create_pod("p");
  ASSERT_TRUE(bind(*pod, "n1").ok());
  EXPECT_TRUE(bind(*pod, "n2").is(Reason::kConflict));
  EXPECT_EQ(node_of("p"), "n1");
  EXPECT_TRUE(bind(*reader_.read(make_pod("other").object()), "n1").is(Reason::kNotFound));
}

TEST_F(DefaultBinderTest, LeavesAloneAnotherPodOfTheSameName) {
  create_pod("p");
  const PodPtr before = reader_.read(make_pod("p").uid("of-one-that-is-gone").object());
  EXPECT_FALSE(bind(*before, "n1").ok());
  EXPECT_EQ(node_of("p"), "");
}

}  // namespace
}  // namespace proa::scheduler

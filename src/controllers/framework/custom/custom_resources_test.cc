#include "controllers/framework/custom/custom_resources.h"

#include <gtest/gtest.h>

#include "controllers/framework/custom/custom_informers.h"
#include "testkit/controllers/custom_kind.h"
#include "testkit/controllers/quiet_world.h"

namespace proa::controllers {
namespace {

class CustomResourcesTest : public testing::Test {
 protected:
  void remove_definition(testkit::CustomKind& kind) {
    kind.remove_definition();
    quiet_.world.patch("apiextensions.k8s.io", "customresourcedefinitions", "", kind.name(),
                       R"({"metadata":{"finalizers":null}})");
  }

  QuietWorld quiet_;
  CustomResources& custom_ = quiet_.informers.custom();
};

TEST_F(CustomResourcesTest, FollowDefinitions) {
  quiet_.look();
  testkit::CustomKind ships(quiet_.world);
  EXPECT_FALSE(custom_.find_kind("example.com/v1", "Ship"));
  quiet_.look();
  const CustomVersion found = custom_.find_kind("example.com/v1", "Ship");
  ASSERT_TRUE(found);
  EXPECT_EQ(found.resource->name, "ships");
  EXPECT_EQ(custom_.find("example.com", "ships"), found.definition);
  EXPECT_EQ(custom_.versions_of("example.com", "Ship").size(), 1U);
  EXPECT_EQ(custom_.all().size(), 1U);
  EXPECT_FALSE(custom_.find_kind("example.com/v2", "Ship"));
  EXPECT_FALSE(custom_.find_kind("v1", "Ship"));
  EXPECT_EQ(custom_.find("other.com", "ships"), nullptr);
  remove_definition(ships);
  quiet_.look();
  EXPECT_FALSE(custom_.find_kind("example.com/v1", "Ship"));
  EXPECT_TRUE(custom_.all().empty());
  EXPECT_EQ(found.resource->version, "v1");  // still usable
}

TEST_F(CustomResourcesTest, ObjectsAreFollowedWithTheirDefinition) {
  std::vector<std::string> heard;
  CustomInformers& objects = quiet_.informers.custom_objects();
  objects.add_follower({.started =
                            [&](const FollowedCustomPtr& one) {
                              heard.push_back("start " + std::string(one->definition().name()));
                            },
                        .changed =
                            [&](const FollowedCustomPtr&, const client::Change& change) {
                              heard.push_back((change.after == nullptr ? "-" : "+") +
                                              change.key.str());
                            },
                        .stopped =
                            [&](const FollowedCustomPtr& one) {
                              heard.push_back("stop with " + std::to_string(one->cache().size()));
                            }});
  quiet_.look();
  EXPECT_TRUE(objects.settled());
  testkit::CustomKind ships(quiet_.world);
  ships.create("default", R"({"metadata":{"name":"a"}})");
  quiet_.look();
  EXPECT_TRUE(objects.settled());
  ships.create("default", R"({"metadata":{"name":"b"}})");
  ships.remove("default", "a");
  quiet_.look();
  ASSERT_NE(objects.find(ships.name()), nullptr);
  EXPECT_EQ(objects.find(ships.name())->cache().size(), 1U);
  remove_definition(ships);
  quiet_.look();
  EXPECT_EQ(heard, (std::vector<std::string>{"start ships.example.com", "+default/a", "+default/b",
                                             "-default/a", "stop with 1"}));
  EXPECT_EQ(objects.find(ships.name()), nullptr);
}

TEST_F(CustomResourcesTest, WhoeverHoldsObjectsMayOutliveTheInformers) {
  testkit::CustomKind ships(quiet_.world);
  FollowedCustomPtr held;
  {
    Informers others(quiet_.world.client(), api::builtin_schema(), quiet_.world.clock(),
                     quiet_.random);
    CustomInformers& objects = others.custom_objects();
    for (int i = 0; i < 3; ++i) others.poll();
    held = objects.find(ships.name());
    ASSERT_NE(held, nullptr);
  }
  ships.create("default", R"({"metadata":{"name":"a"}})");  // wakes nobody
  EXPECT_EQ(held->cache().size(), 0U);
}

}  // namespace
}  // namespace proa::controllers

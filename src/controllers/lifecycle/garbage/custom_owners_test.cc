#include <gtest/gtest.h>

#include "controllers/lifecycle/garbage/garbage_collector.h"
#include "testkit/controllers/custom_kind.h"

namespace proa::controllers {
namespace {

// Owners and dependents of custom kinds.
class CustomOwnersTest : public testing::Test {
 protected:
  static std::string metadata(const std::string& name, const api::ObjectPtr& owner = nullptr,
                              std::string_view kind = "Ship") {
    std::string text = R"({"metadata":{"name":")" + name + R"(")";
    if (owner == nullptr) return text + "}}";
    const std::string version(kind == "Ship" ? "example.com/v1" : "v1");
    return text + R"(,"ownerReferences":[{"apiVersion":")" + version + R"(","kind":")" +
           std::string(kind) + R"(","name":")" + std::string(owner->metadata().name) +
           R"(","uid":")" + std::string(owner->metadata().uid) +
           R"(","blockOwnerDeletion":true}]}})";
  }
  bool has_map(const std::string& name) {
    return world_.get("", "configmaps", "default", name) != nullptr;
  }

  testkit::TestWorld world_;
};

TEST_F(CustomOwnersTest, TakeTheirDependentsWithThem) {
  testkit::CustomKind ships(world_);
  const api::ObjectPtr ship = ships.create("default", metadata("a"));
  ships.create("default", metadata("b", ship));
  world_.create("", "configmaps", "default", metadata("c", ship));
  world_.settle();
  EXPECT_TRUE(ships.has("default", "b"));
  EXPECT_TRUE(has_map("c"));
  ships.remove("default", "a");
  world_.settle();
  EXPECT_FALSE(ships.has("default", "b"));
  EXPECT_FALSE(has_map("c"));
}

TEST_F(CustomOwnersTest, AreForgottenWhenTheyOrphan) {
  testkit::CustomKind ships(world_);
  const api::ObjectPtr ship = ships.create("default", metadata("a"));
  ships.create("default", metadata("b", ship));
  world_.settle();
  ships.remove("default", "a", api::Propagation::kOrphan);
  world_.pass(std::chrono::seconds(5));
  EXPECT_FALSE(ships.has("default", "a"));
  EXPECT_TRUE(ships.has("default", "b"));
}

TEST_F(CustomOwnersTest, WaitForTheirDependentsInForegroundDeletion) {
  testkit::CustomKind ships(world_);
  const api::ObjectPtr ship = ships.create("default", metadata("a"));
  ships.create("default", metadata("b", ship));
  ships.patch("default", "b", R"({"metadata":{"finalizers":["example.com/hold"]}})");
  world_.settle();
  ships.remove("default", "a", api::Propagation::kForeground);
  world_.restart();
  world_.pass(std::chrono::seconds(5));
  EXPECT_TRUE(ships.has("default", "a"));
  ships.patch("default", "b", R"({"metadata":{"finalizers":null}})");
  world_.pass(std::chrono::seconds(5));
  EXPECT_FALSE(ships.has("default", "a"));
  EXPECT_FALSE(ships.has("default", "b"));
}

TEST_F(CustomOwnersTest, AreCollectedThemselves) {
  testkit::CustomKind ships(world_);
  const api::ObjectPtr owner = world_.create("", "configmaps", "default", metadata("o"));
  ships.create("default", metadata("a", owner, "ConfigMap"));
  world_.settle();
  EXPECT_TRUE(ships.has("default", "a"));
  world_.remove("", "configmaps", "default", "o");
  world_.settle();
  EXPECT_FALSE(ships.has("default", "a"));
}

TEST_F(CustomOwnersTest, TakeTheirDependentsWithThemWhenTheDefinitionGoes) {
  testkit::CustomKind ships(world_);
  for (int i = 0; i < 5; ++i) {
    const std::string number = std::to_string(i);
    const api::ObjectPtr ship = ships.create("default", metadata("ship" + number));
    world_.create("", "configmaps", "default", metadata("map" + number, ship));
  }
  world_.settle();
  ships.remove_definition();
  world_.pass(std::chrono::seconds(10));
  EXPECT_EQ(ships.definition(), nullptr);
  for (int i = 0; i < 5; ++i) EXPECT_FALSE(has_map("map" + std::to_string(i)));
}

TEST_F(CustomOwnersTest, OfAnUnknownKindKeepTheirDependents) {
  const api::ObjectPtr other = world_.create("", "configmaps", "default", metadata("o"));
  world_.create("", "configmaps", "default", metadata("c", other, "Ship"));
  world_.pass(std::chrono::minutes(11));
  EXPECT_TRUE(has_map("c"));
  // Known now, and not there.
  testkit::CustomKind ships(world_);
  world_.pass(std::chrono::minutes(11));
  EXPECT_FALSE(has_map("c"));
}

}  // namespace
}  // namespace proa::controllers

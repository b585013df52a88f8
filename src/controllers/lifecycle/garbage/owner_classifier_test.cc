#include "controllers/lifecycle/garbage/owner_classifier.h"

#include <gtest/gtest.h>

#include "testkit/controllers/quiet_world.h"

namespace proa::controllers {
namespace {

class StandingTest : public testing::Test {
 protected:
  api::ObjectPtr make(const std::string& name, const std::string& finalizers = "") {
    return world_.create(
        "", "configmaps", "default",
        R"({"metadata":{"name":")" + name + R"(","finalizers":[)" + finalizers + "]}}");
  }
  static std::string reference(std::string_view api_version, std::string_view kind,
                               const api::Object& owner) {
    return R"({"apiVersion":")" + std::string(api_version) + R"(","kind":")" + std::string(kind) +
           R"(","name":")" + std::string(owner.metadata().name) + R"(","uid":")" +
           std::string(owner.metadata().uid) + R"("})";
  }
  // How something with these owners stands. It need not be there itself.
  ClassifiedOwners check(const std::string& owners) {
    checked_ = api::Object::make(
        R"({"metadata":{"name":"d","namespace":"default","ownerReferences":[)" + owners + "]}}");
    return classifier_.classify(*checked_).value();
  }
  void remove(const std::string& name, api::Propagation how) {
    client::RemoveChoices choices;
    choices.propagation = how;
    ASSERT_TRUE(
        world_.client().remove(world_.place("", "configmaps", "default", name), choices, {}).ok());
  }

  QuietWorld quiet_;
  testkit::TestWorld& world_ = quiet_.world;
  AbsentOwners absent_;
  OwnerGraph graph_{quiet_.resources};
  OwnerClassifier classifier_{{world_.client(), world_.clock()}, quiet_.resources, graph_, absent_};
  api::ObjectPtr checked_;
};

TEST_F(StandingTest, WhatNoCacheHasIsAskedFor) {
  const api::ObjectPtr owner = make("owner");
  const std::string named = reference("v1", "ConfigMap", *owner);
  const ClassifiedOwners before = check(named);
  EXPECT_EQ(before.solid, 1u);
  EXPECT_TRUE(before.not_in_cache);
  quiet_.look();
  const ClassifiedOwners after = check(named);
  EXPECT_EQ(after.solid, 1u);
  EXPECT_FALSE(after.not_in_cache);
}

TEST_F(StandingTest, WhatIsNotThereIsLostAndRemembered) {
  const api::ObjectPtr owner = make("owner");
  remove("owner", api::Propagation::kBackground);
  make("owner");  // another one
  for (int i = 0; i < 2; ++i) {
    const ClassifiedOwners owners = check(reference("v1", "ConfigMap", *owner));
    EXPECT_EQ(owners.solid + owners.waiting, 0u);
    EXPECT_EQ(owners.lost.size(), 1u);
    EXPECT_TRUE(owners.misplaced.empty());
    quiet_.look();
  }
  OwnerIdentity identity;
  identity.resource = quiet_.resources.find_kind("v1", "ConfigMap")->resource;
  identity.name_space = "default";
  identity.name = "owner";
  identity.uid = owner->metadata().uid;
  EXPECT_EQ(absent_.find(identity), std::optional(false));
}

TEST_F(StandingTest, ForegroundOwnersWaitAndOthersStay) {
  const api::ObjectPtr waits = make("waits");
  const api::ObjectPtr held = make("held", R"("example.com/hold")");
  const api::ObjectPtr orphans = make("orphans");
  remove("waits", api::Propagation::kForeground);
  remove("held", api::Propagation::kBackground);
  remove("orphans", api::Propagation::kOrphan);
  for (int i = 0; i < 2; ++i) {
    const ClassifiedOwners owners =
        check(reference("v1", "ConfigMap", *waits) + "," + reference("v1", "ConfigMap", *held) +
              "," + reference("v1", "ConfigMap", *orphans));
    EXPECT_EQ(owners.waiting, 1u);
    EXPECT_EQ(owners.solid, 2u);
    EXPECT_EQ(owners.lost, std::set<std::string_view>{waits->metadata().uid});
    quiet_.look();
  }
}

TEST_F(StandingTest, WhatACacheHasIsBelieved) {
  const api::ObjectPtr owner = make("owner");
  quiet_.look();
  remove("owner", api::Propagation::kBackground);
  EXPECT_EQ(check(reference("v1", "ConfigMap", *owner)).solid, 1u);
}

TEST_F(StandingTest, UnknownKindsAreNotJudged) {
  const api::ObjectPtr owner = make("owner");
  EXPECT_EQ(check(reference("example.com/v1", "Thing", *owner)).solid, 1u);
  EXPECT_EQ(check(reference("v1", "Binding", *owner)).solid, 1u);  // nobody can ask for one
  EXPECT_EQ(check(reference("v1", "Secret", *owner)).solid, 0u);
}

TEST_F(StandingTest, OwnersThatNobodyFollowsAreAskedForAgain) {
  const api::ObjectPtr event = world_.create(
      "", "events", "default",
      R"({"metadata":{"name":"e"},"involvedObject":{"namespace":"default"},"reason":"r"})");
  quiet_.look();
  const ClassifiedOwners owners = check(reference("v1", "Event", *event));
  EXPECT_EQ(owners.solid, 1u);
  EXPECT_TRUE(owners.unwatched);
  EXPECT_FALSE(owners.not_in_cache);
}

}  // namespace
}  // namespace proa::controllers

#include "controllers/lifecycle/definitions/finalizer.h"

#include <gtest/gtest.h>

#include "api/object/view.h"
#include "json/print.h"
#include "testkit/controllers/custom_kind.h"

namespace proa::controllers {
namespace {

class DefinitionFinalizerTest : public testing::Test {
 protected:
  void create(const std::string& plural, const std::string& kind) {
    world_.create(kGroup, kResource, "",
                  R"({"metadata":{"name":")" + plural +
                      R"(.example.com"},"spec":{"group":"example.com","scope":"Namespaced",)" +
                      R"("names":{"plural":")" + plural + R"(","kind":")" + kind +
                      R"("},"versions":[{"name":"v1","served":true,"storage":true,"schema":)" +
                      R"({"openAPIV3Schema":{"type":"object"}}}]}})");
  }
  void remove(const std::string& plural) {
    world_.remove(kGroup, kResource, "", plural + ".example.com");
  }
  // "True InstanceDeletionPending"
  std::string terminating(const std::string& plural) {
    const api::ObjectPtr found = world_.get(kGroup, kResource, "", plural + ".example.com");
    if (found == nullptr) return "gone";
    const json::Document document = found->document().value();
    for (const api::View one : api::View(document.root())["status"]["conditions"].items()) {
      if (one["type"].text() != "Terminating") continue;
      return std::string(one["status"].text()) + " " + std::string(one["reason"].text());
    }
    return "";
  }

  static constexpr const char* kGroup = "apiextensions.k8s.io";
  static constexpr const char* kResource = "customresourcedefinitions";
  testkit::TestWorld world_;
};

TEST_F(DefinitionFinalizerTest, LetsADefinitionWithoutObjectsGo) {
  create("ships", "Ship");
  world_.settle();
  EXPECT_EQ(terminating("ships"), "");
  remove("ships");
  EXPECT_EQ(terminating("ships"), "True InstanceDeletionPending");
  world_.restart();
  world_.settle();
  EXPECT_EQ(terminating("ships"), "gone");
}

TEST_F(DefinitionFinalizerTest, LetsADefinitionGoThatWasNeverEstablished) {
  create("ships", "Ship");
  world_.settle();
  create("vessels", "Ship");
  world_.settle();
  remove("vessels");
  world_.settle();
  EXPECT_EQ(terminating("vessels"), "gone");
  EXPECT_EQ(terminating("ships"), "");
}

// Whoever may define resources must not be able to delete others by that.
TEST_F(DefinitionFinalizerTest, LeavesTheObjectsOfBuiltInResources) {
  world_.create("networking.k8s.io", "networkpolicies", "default",
                R"({"metadata":{"name":"mine"},"spec":{"podSelector":{}}})");
  world_.create(
      kGroup, kResource, "",
      R"({"metadata":{"name":"networkpolicies.networking.k8s.io","annotations":)"
      R"({"api-approved.kubernetes.io":"https://github.com/kubernetes/kubernetes/pull/1"}},)"
      R"("spec":{"group":"networking.k8s.io","scope":"Namespaced","names":)"
      R"({"plural":"networkpolicies","kind":"NetworkPolicy"},"versions":[{"name":"v1",)"
      R"("served":true,"storage":true,"schema":{"openAPIV3Schema":{"type":"object"}}}]}})");
  world_.settle();
  world_.remove(kGroup, kResource, "", "networkpolicies.networking.k8s.io");
  world_.pass(std::chrono::minutes(2));
  EXPECT_NE(world_.get("networking.k8s.io", "networkpolicies", "default", "mine"), nullptr);
  EXPECT_EQ(world_.get(kGroup, kResource, "", "networkpolicies.networking.k8s.io"), nullptr);
}

TEST_F(DefinitionFinalizerTest, LetsADefinitionGoThatIsNotServedAnyMore) {
  testkit::CustomKind ships(world_);
  ships.create("default", R"({"metadata":{"name":"a"}})");
  world_.settle();
  const std::string name = "ships.example.com";
  const json::Document definition = world_.get(kGroup, kResource, "", name)->document().value();
  std::string versions = json::print(*api::View(definition.root())["spec"]["versions"].value());
  const size_t place = versions.find(R"("served":true)");
  ASSERT_NE(place, std::string::npos) << versions;
  versions.replace(place, std::string_view(R"("served":true)").size(), R"("served":false)");
  world_.patch(kGroup, kResource, "", name, R"({"spec":{"versions":)" + versions + "}}");
  world_.settle();
  remove("ships");
  world_.pass(std::chrono::minutes(2));
  EXPECT_EQ(terminating("ships"), "gone");
}

TEST_F(DefinitionFinalizerTest, LeavesTheFinalizersOfOthers) {
  create("ships", "Ship");
  world_.patch(kGroup, kResource, "", "ships.example.com",
               R"({"metadata":{"finalizers":["example.com/hold"]}})");
  world_.settle();
  remove("ships");
  world_.settle();
  EXPECT_EQ(terminating("ships"), "False InstanceDeletionCompleted");
  world_.patch(kGroup, kResource, "", "ships.example.com", R"({"metadata":{"finalizers":null}})");
  EXPECT_EQ(terminating("ships"), "gone");
}

TEST_F(DefinitionFinalizerTest, DeletesAllObjectsFirst) {
  world_.create("", "namespaces", "", R"({"metadata":{"name":"team"}})");
  testkit::CustomKind ships(world_);
  ships.create("default", R"({"metadata":{"name":"a"}})");
  ships.create("team", R"({"metadata":{"name":"b","finalizers":["example.com/hold"]}})");
  world_.settle();
  ships.remove_definition();
  world_.settle();
  EXPECT_FALSE(ships.has("default", "a"));
  EXPECT_TRUE(ships.has("team", "b"));
  EXPECT_EQ(terminating("ships"), "True InstanceDeletionInProgress");
  world_.pass(std::chrono::minutes(2));
  EXPECT_EQ(terminating("ships"), "True InstanceDeletionCheck");
  const Result<api::ObjectPtr> refused = world_.client().create(
      ships.place("default", ""), json::parse_literal(R"({"metadata":{"name":"c"}})"), {}, {});
  EXPECT_FALSE(refused.ok());
  ships.patch("team", "b", R"({"metadata":{"finalizers":null}})");
  world_.settle();  // at once, by the event
  EXPECT_EQ(terminating("ships"), "gone");
}

}  // namespace
}  // namespace proa::controllers

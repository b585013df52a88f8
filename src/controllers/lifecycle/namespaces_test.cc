#include "controllers/lifecycle/namespaces.h"
#include "json/parse.h"

#include <gtest/gtest.h>

#include "api/object/view.h"
#include "testkit/controllers/custom_kind.h"

namespace proa::controllers {
namespace {

class NamespacesTest : public testing::Test {
 protected:
  NamespacesTest() = default;
  explicit NamespacesTest(testkit::TestWorld::Options options) : world_(std::move(options)) {}

  void SetUp() override {
    world_.create("", "namespaces", "", R"({"metadata":{"name":"team"}})");
    world_.settle();
  }
  std::string condition(std::string_view type) {
    const api::ObjectPtr found = world_.get("", "namespaces", "", "team");
    if (found == nullptr) return "gone";
    const json::Document document = found->document().value();
    for (const api::View one : api::View(document.root())["status"]["conditions"].items()) {
      if (one["type"].text() == type) {
        return std::string(one["status"].text()) + " " + std::string(one["reason"].text()) + ": " +
               std::string(one["message"].text());
      }
    }
    return "";
  }
  bool gone() { return world_.get("", "namespaces", "", "team") == nullptr; }

  testkit::TestWorld world_;
};

TEST_F(NamespacesTest, GoWithEverythingInThem) {
  world_.create("", "configmaps", "team", R"({"metadata":{"name":"a"}})");
  world_.create("apps", "deployments", "team",
                R"({"metadata":{"name":"web"},"spec":{"selector":{"matchLabels":{"a":"b"}},)"
                R"("template":{"metadata":{"labels":{"a":"b"}},"spec":{"containers":)"
                R"([{"name":"c","image":"nginx"}]}}}})");
  world_.remove("", "namespaces", "", "team");
  EXPECT_FALSE(gone());
  world_.settle();
  EXPECT_TRUE(gone());
  EXPECT_EQ(world_.get("", "configmaps", "team", "a"), nullptr);
  EXPECT_EQ(world_.get("apps", "deployments", "team", "web"), nullptr);
  EXPECT_EQ(world_.get("", "serviceaccounts", "team", "default"), nullptr);
}

TEST_F(NamespacesTest, WaitForFinalizers) {
  world_.create("", "configmaps", "team",
                R"({"metadata":{"name":"held","finalizers":["example.com/hold"]}})");
  world_.remove("", "namespaces", "", "team");
  world_.settle();
  EXPECT_EQ(condition("NamespaceContentRemaining"),
            "True SomeResourcesRemain: Some resources are remaining: configmaps. has 1 resource "
            "instances");
  EXPECT_EQ(condition("NamespaceFinalizersRemaining"),
            "True SomeFinalizersRemain: Some content in the namespace has finalizers remaining: "
            "example.com/hold in 1 resource instances");
  EXPECT_EQ(condition("NamespaceDeletionContentFailure"),
            "False ContentDeleted: All content successfully deleted, may be waiting on "
            "finalization");
  ASSERT_TRUE(world_.client()
                  .patch(world_.place("", "configmaps", "team", "held"), api::PatchType::kMerge,
                         json::parse_literal(R"({"metadata":{"finalizers":null}})"), {}, {})
                  .ok());
  world_.clock().advance(std::chrono::seconds(20));
  world_.settle();
  EXPECT_TRUE(gone());
}

TEST_F(NamespacesTest, PodsGoFirst) {
  world_.create(
      "", "pods", "team",
      R"({"metadata":{"name":"p","finalizers":["example.com/hold"]},"spec":{"containers":)"
      R"([{"name":"c","image":"nginx"}]}})");
  world_.create("", "configmaps", "team", R"({"metadata":{"name":"needed"}})");
  world_.remove("", "namespaces", "", "team");
  world_.settle();
  EXPECT_NE(world_.get("", "configmaps", "team", "needed"), nullptr);
  ASSERT_TRUE(world_.client()
                  .patch(world_.place("", "pods", "team", "p"), api::PatchType::kMerge,
                         json::parse_literal(R"({"metadata":{"finalizers":null}})"), {}, {})
                  .ok());
  world_.clock().advance(std::chrono::seconds(60));
  world_.settle();
  EXPECT_TRUE(gone());
}

TEST_F(NamespacesTest, GoWithCustomObjects) {
  testkit::CustomKind ships(world_);
  ships.create("default", R"({"metadata":{"name":"a"}})");
  ships.create("team", R"({"metadata":{"name":"b","finalizers":["example.com/hold"]}})");
  ships.create("team", R"({"metadata":{"name":"c"}})");
  world_.remove("", "namespaces", "", "team");
  world_.settle();
  EXPECT_FALSE(ships.has("team", "c"));
  EXPECT_EQ(condition("NamespaceContentRemaining"),
            "True SomeResourcesRemain: Some resources are remaining: ships.example.com has 1 "
            "resource instances");
  ships.patch("team", "b", R"({"metadata":{"finalizers":null}})");
  world_.pass(std::chrono::seconds(20));
  EXPECT_TRUE(gone());
  EXPECT_TRUE(ships.has("default", "a"));
}

// An extension server with resources of every sort.
class ExtendedNamespaces : public NamespacesTest {
 protected:
  ExtendedNamespaces() : NamespacesTest(options(this)) {
    world_.create("apiregistration.k8s.io", "apiservices", "",
                  R"({"metadata":{"name":"v1.example.com"},"spec":{"group":"example.com",)"
                  R"("version":"v1","groupPriorityMinimum":1000,"versionPriority":15,)"
                  R"("insecureSkipTLSVerify":true,"service":{"namespace":"default","name":"x"}}})");
  }
  void set_available(const std::string& status) {
    world_.patch("apiregistration.k8s.io", "apiservices", "", "v1.example.com",
                 R"({"status":{"conditions":[{"type":"Available","status":")" + status + R"("}]}})",
                 "status");
  }

  std::vector<std::string> removed_;
  std::vector<std::string> objects_ = {"a"};
  std::string problem_;

 private:
  static testkit::TestWorld::Options options(ExtendedNamespaces* test) {
    testkit::TestWorld::Options wanted;
    wanted.entries = {{"namespace", "namespace-controller", make_namespace_controller}};
    wanted.flags.call_extension = [test](const ControllerOptions::ExtensionCall& call) {
      return test->answer(call);
    };
    return wanted;
  }
  Result<std::string> answer(const ControllerOptions::ExtensionCall& call) {
    EXPECT_EQ(call.api_service, "v1.example.com");
    if (call.path == "/apis/example.com/v1") {
      return std::string(
          R"({"resources":[{"name":"flunders","namespaced":true,"verbs":["list","delete"]},)"
          R"({"name":"ships","namespaced":true,"verbs":["list","delete","deletecollection"]},)"
          R"({"name":"fixed","namespaced":true,"verbs":["list"]},)"
          R"({"name":"wide","verbs":["list","delete"]}]})");
    }
    if (call.method == "DELETE") {
      removed_.push_back(call.path);
      if (!problem_.empty()) return Status(Reason::kForbidden, problem_);
      objects_.clear();
      return std::string("{}");
    }
    std::string items;
    for (const std::string& name : objects_)
      items += (items.empty() ? "" : ",") + (R"({"metadata":{"name":")" + name) + R"("}})";
    return R"({"items":[)" + items + "]}";
  }
};

TEST_F(ExtendedNamespaces, GoWithWhatExtensionServersHold) {
  set_available("True");
  world_.remove("", "namespaces", "", "team");
  world_.settle();
  EXPECT_TRUE(gone());
  EXPECT_EQ(removed_, std::vector<std::string>{"/apis/example.com/v1/namespaces/team/flunders/a"
                                               "?propagationPolicy=Background"});
}

TEST_F(ExtendedNamespaces, StayWhileAnExtensionServerIsAway) {
  set_available("False");
  world_.remove("", "namespaces", "", "team");
  world_.settle();
  EXPECT_EQ(condition("NamespaceDeletionDiscoveryFailure"),
            "True DiscoveryFailed: Discovery failed for some groups, 1 failing: unable to retrieve "
            "the complete list of server APIs: example.com/v1: stale GroupVersion discovery: "
            "example.com/v1");
  EXPECT_TRUE(removed_.empty());
  set_available("True");
  problem_ = "flunders are held";
  world_.pass(std::chrono::seconds(20));
  EXPECT_TRUE(condition("NamespaceDeletionDiscoveryFailure").starts_with("False "));
  EXPECT_EQ(condition("NamespaceDeletionContentFailure"),
            "True ContentDeletionFailed: Failed to delete all resource types, 2 remaining: "
            "flunders are held, flunders are held");
  problem_.clear();
  world_.pass(std::chrono::seconds(20));
  EXPECT_TRUE(gone());
  EXPECT_EQ(removed_.back(),
            "/apis/example.com/v1/namespaces/team/flunders/a?propagationPolicy=Background");
}

TEST_F(NamespacesTest, IgnoresOtherNamespaces) {
  world_.create("", "configmaps", "team", R"({"metadata":{"name":"a"}})");
  world_.restart();
  world_.settle();
  EXPECT_FALSE(gone());
  EXPECT_NE(world_.get("", "configmaps", "team", "a"), nullptr);
}

}  // namespace
}  // namespace proa::controllers

#include "controllers/lifecycle/garbage/garbage_collector.h"

#include <gtest/gtest.h>

#include "api/object/view.h"
#include "testkit/controllers/test_world.h"

namespace proa::controllers {
namespace {

using api::Propagation;

const ControllerEntry kEntry{"garbage-collector", "generic-garbage-collector",
                             make_garbage_collector};

// The words of a reference to an owner.
std::string reference(std::string_view kind, const api::Object& owner, bool blocks = false) {
  const std::string version(kind == "ClusterRole" ? "rbac.authorization.k8s.io/v1" : "v1");
  return R"({"apiVersion":")" + version + R"(","kind":")" + std::string(kind) + R"(","name":")" +
         std::string(owner.metadata().name) + R"(","uid":")" + std::string(owner.metadata().uid) +
         R"(","blockOwnerDeletion":)" + (blocks ? "true}" : "false}");
}

class GarbageCollectorTest : public testing::Test {
 protected:
  void SetUp() override {
    world_.create("", "namespaces", "", R"({"metadata":{"name":"team"}})");
    world_.settle();
  }

  api::ObjectPtr make(const std::string& name, const std::vector<std::string>& owners = {},
                      std::string_view name_space = "default", std::string_view more = "") {
    return world_.create("", "configmaps", name_space, json(name, owners, more));
  }
  static std::string json(const std::string& name, const std::vector<std::string>& owners,
                          std::string_view more = "") {
    std::string list;
    for (const std::string& owner : owners) list += (list.empty() ? "" : ",") + owner;
    return R"({"metadata":{"name":")" + name + R"(","ownerReferences":[)" + list + "]" +
           std::string(more) + "}}";
  }
  std::string on(const api::ObjectPtr& owner, bool blocks = false) {
    return reference("ConfigMap", *owner, blocks);
  }
  void remove(const std::string& name, Propagation propagation) {
    client::RemoveChoices choices;
    choices.propagation = propagation;
    ASSERT_TRUE(
        world_.client().remove(world_.place("", "configmaps", "default", name), choices, {}).ok());
  }
  api::ObjectPtr find(const std::string& name, std::string_view name_space = "default") {
    return world_.get("", "configmaps", name_space, name);
  }
  bool is_there(const std::string& name) { return find(name) != nullptr; }
  // Names of those that are left in a namespace.
  std::string left(std::string_view name_space = "default") {
    std::string names;
    for (const api::ObjectPtr& one : world_.list("", "configmaps", name_space)) {
      names += (names.empty() ? "" : " ") + std::string(one->metadata().name);
    }
    return names;
  }
  size_t owners_of(const std::string& name) { return find(name)->metadata().owners.size(); }
  void release(const std::string& name) {
    world_.patch("", "configmaps", "default", name, R"({"metadata":{"finalizers":null}})");
  }
  std::vector<std::string> events() {
    std::vector<std::string> told;
    for (const char* name_space : {"default", "team"}) {
      for (const api::ObjectPtr& event : world_.list("", "events", name_space)) {
        const json::Document document = event->document().value();
        const api::View root = document.root();
        told.push_back(std::string(root["type"].text()) + " " +
                       std::string(root["involvedObject"]["name"].text()) + " " +
                       std::string(root["reason"].text()) + ": " +
                       std::string(root["message"].text()));
      }
    }
    return told;
  }

  static constexpr std::string_view kHeld = R"(,"finalizers":["example.com/hold"])";
  testkit::TestWorld world_{std::vector<ControllerEntry>{kEntry}};
};

TEST_F(GarbageCollectorTest, WhatHasNoOwnersStays) {
  make("alone");
  world_.settle();
  EXPECT_EQ(left(), "alone");
}

TEST_F(GarbageCollectorTest, DependentsGoInTheBackground) {
  const api::ObjectPtr top = make("top");
  const api::ObjectPtr middle = make("middle", {on(top)});
  make("bottom", {on(middle)});
  world_.settle();
  EXPECT_EQ(left(), "bottom middle top");
  remove("top", Propagation::kBackground);
  EXPECT_EQ(left(), "bottom middle");
  world_.settle();
  EXPECT_EQ(left(), "");
}

// So that whoever watches both does not hear of the dependent's end first.
TEST_F(GarbageCollectorTest, DependentsGoAMomentAfterTheirOwner) {
  make("bottom", {on(make("top"))});
  world_.settle();
  remove("top", Propagation::kBackground);
  const Steady before = world_.clock().steady();
  for (int turn = 0; turn < 10; ++turn) world_.controllers().step();
  EXPECT_EQ(left(), "bottom");
  world_.settle();
  EXPECT_EQ(left(), "");
  EXPECT_LE(world_.clock().steady() - before, std::chrono::milliseconds(50));
}

TEST_F(GarbageCollectorTest, DependentsOfWhatWentWhileNobodyLookedGo) {
  make("bottom", {on(make("top"))});
  remove("top", Propagation::kBackground);
  world_.restart();
  world_.settle();
  EXPECT_EQ(left(), "");
}

TEST_F(GarbageCollectorTest, DependentsOfWhatNeverWasGo) {
  api::ObjectPtr owner = make("owner");
  remove("owner", Propagation::kBackground);
  world_.settle();
  make("late", {on(owner)});
  world_.settle();
  EXPECT_EQ(left(), "");
}

// Another object of that name is another owner.
TEST_F(GarbageCollectorTest, OwnersAreMeantByTheirUid) {
  const api::ObjectPtr old = make("owner");
  make("mine", {on(old)});
  world_.settle();
  remove("owner", Propagation::kBackground);
  make("theirs", {on(make("owner"))});
  world_.settle();
  EXPECT_EQ(left(), "owner theirs");
}

TEST_F(GarbageCollectorTest, OneOwnerIsEnoughAndOthersAreForgotten) {
  const api::ObjectPtr first = make("first");
  const api::ObjectPtr second = make("second");
  make("shared", {on(first), on(second)});
  world_.settle();
  remove("first", Propagation::kBackground);
  world_.settle();
  ASSERT_TRUE(is_there("shared"));
  ASSERT_EQ(owners_of("shared"), 1u);
  EXPECT_EQ(find("shared")->metadata().owners[0].name, "second");
  remove("second", Propagation::kForeground);
  world_.settle();
  EXPECT_EQ(left(), "");
}

TEST_F(GarbageCollectorTest, InTheForegroundTheOwnerGoesLast) {
  const api::ObjectPtr top = make("top");
  make("held", {on(top, true)}, "default", kHeld);
  make("free", {on(top, true)});
  world_.settle();
  remove("top", Propagation::kForeground);
  world_.settle();
  EXPECT_EQ(left(), "held top");
  EXPECT_TRUE(find("held")->metadata().being_deleted);
  world_.restart();
  world_.settle();
  EXPECT_EQ(left(), "held top");
  release("held");
  world_.settle();
  EXPECT_EQ(left(), "");
}

TEST_F(GarbageCollectorTest, InTheForegroundWholeTreesGoFromTheirLeaves) {
  const api::ObjectPtr top = make("top");
  const api::ObjectPtr middle = make("middle", {on(top, true)});
  make("leaf", {on(middle, true)}, "default", kHeld);
  world_.settle();
  remove("top", Propagation::kForeground);
  world_.settle();
  EXPECT_EQ(left(), "leaf middle top");
  EXPECT_NE(find("middle")->json().find("foregroundDeletion"), std::string_view::npos);
  release("leaf");
  world_.settle();
  EXPECT_EQ(left(), "");
}

TEST_F(GarbageCollectorTest, WhoDoesNotBlockIsNotWaitedFor) {
  const api::ObjectPtr top = make("top");
  make("held", {on(top, false)}, "default", kHeld);
  world_.settle();
  remove("top", Propagation::kForeground);
  world_.settle();
  EXPECT_EQ(left(), "held");
  EXPECT_TRUE(find("held")->metadata().being_deleted);
}

TEST_F(GarbageCollectorTest, WhoStopsToBlockLetsTheOwnerGo) {
  const api::ObjectPtr top = make("top");
  make("held", {on(top, true)}, "default", kHeld);
  world_.settle();
  remove("top", Propagation::kForeground);
  world_.settle();
  EXPECT_EQ(left(), "held top");
  world_.patch("", "configmaps", "default", "held",
               R"({"metadata":{"ownerReferences":[)" + on(top, false) + "]}}");
  world_.settle();
  EXPECT_EQ(left(), "held");
}

TEST_F(GarbageCollectorTest, AnotherOwnerKeepsWhatTheForegroundWaitsFor) {
  const api::ObjectPtr top = make("top");
  const api::ObjectPtr other = make("other");
  make("shared", {on(top, true), on(other, true)});
  world_.settle();
  remove("top", Propagation::kForeground);
  world_.settle();
  EXPECT_EQ(left(), "other shared");
  EXPECT_EQ(owners_of("shared"), 1u);
}

TEST_F(GarbageCollectorTest, NewDependentsOfWhatWaitsGoToo) {
  const api::ObjectPtr top = make("top");
  make("held", {on(top, true)}, "default", kHeld);
  remove("top", Propagation::kForeground);
  world_.settle();
  make("late", {on(top, true)});
  world_.settle();
  EXPECT_EQ(left(), "held top");
}

TEST_F(GarbageCollectorTest, OrphansStayAndForgetTheirOwner) {
  const api::ObjectPtr top = make("top");
  const api::ObjectPtr other = make("other");
  make("one", {on(top, true)});
  make("two", {on(top, false), on(other)});
  world_.settle();
  remove("top", Propagation::kOrphan);
  EXPECT_TRUE(is_there("top"));
  world_.settle();
  EXPECT_EQ(left(), "one other two");
  EXPECT_EQ(owners_of("one"), 0u);
  EXPECT_EQ(owners_of("two"), 1u);
}

TEST_F(GarbageCollectorTest, OrphaningGoesOnAfterARestart) {
  const api::ObjectPtr top = make("top");
  make("one", {on(top, true)});
  world_.settle();
  remove("top", Propagation::kOrphan);
  world_.restart();
  world_.settle();
  EXPECT_EQ(left(), "one");
  EXPECT_EQ(owners_of("one"), 0u);
}

TEST_F(GarbageCollectorTest, KindsThatOrphanByThemselvesDo) {
  const api::ObjectPtr job = world_.create(
      "batch", "jobs", "default",
      R"({"metadata":{"name":"work"},"spec":{"template":{"spec":{"restartPolicy":"Never",)"
      R"("containers":[{"name":"c","image":"nginx"}]}}}})");
  make("result", {R"({"apiVersion":"batch/v1","kind":"Job","name":"work","uid":")" +
                  std::string(job->metadata().uid) + R"("})"});
  world_.settle();
  world_.remove("batch", "jobs", "default", "work");
  world_.settle();
  EXPECT_EQ(world_.get("batch", "jobs", "default", "work"), nullptr);
  EXPECT_EQ(left(), "result");
  EXPECT_EQ(owners_of("result"), 0u);
}

// What somebody wished for a dependent before it is collected is done with its own dependents.
TEST_F(GarbageCollectorTest, FinalizersOfDependentsAreWishes) {
  const api::ObjectPtr top = make("top");
  const api::ObjectPtr middle = make("middle", {on(top)}, "default", R"(,"finalizers":["orphan"])");
  make("bottom", {on(middle)});
  world_.settle();
  remove("top", Propagation::kBackground);
  world_.settle();
  EXPECT_EQ(left(), "bottom");
  EXPECT_EQ(owners_of("bottom"), 0u);
}

TEST_F(GarbageCollectorTest, CirclesStayUntilOneOfThemIsDeleted) {
  for (const Propagation how : {Propagation::kBackground, Propagation::kForeground}) {
    const api::ObjectPtr a = make("a");
    const api::ObjectPtr b = make("b", {on(a, true)});
    const api::ObjectPtr c = make("c", {on(b, true)});
    world_.patch("", "configmaps", "default", "a",
                 R"({"metadata":{"ownerReferences":[)" + on(c, true) + "]}}");
    world_.settle();
    EXPECT_EQ(left(), "a b c");
    remove("b", how);
    world_.settle();
    EXPECT_EQ(left(), "");
  }
}

TEST_F(GarbageCollectorTest, CirclesInWhichAllWaitForEachOtherGo) {
  const api::ObjectPtr a = make("a");
  const api::ObjectPtr b = make("b", {on(a, true)});
  make("leaf", {on(b, true)}, "default", kHeld);
  world_.patch("", "configmaps", "default", "a",
               R"({"metadata":{"ownerReferences":[)" + on(b, true) + "]}}");
  world_.settle();
  remove("a", Propagation::kForeground);
  remove("b", Propagation::kForeground);
  world_.settle();
  // The one that has to wait for something outside of the circle does.
  EXPECT_EQ(left(), "b leaf");
  release("leaf");
  world_.settle();
  EXPECT_EQ(left(), "");
}

TEST_F(GarbageCollectorTest, WhoOwnsItselfGoesInTheForeground) {
  const api::ObjectPtr self = make("self");
  world_.patch("", "configmaps", "default", "self",
               R"({"metadata":{"ownerReferences":[)" + on(self, true) + "]}}");
  world_.settle();
  EXPECT_EQ(left(), "self");
  remove("self", Propagation::kForeground);
  world_.settle();
  EXPECT_EQ(left(), "");
}

TEST_F(GarbageCollectorTest, OwnersInOtherNamespacesCountAsAbsent) {
  const api::ObjectPtr owner = make("owner");
  const api::ObjectPtr near = make("near", {}, "team");
  make("lost", {on(owner)}, "team");
  make("found", {on(owner), on(near)}, "team");
  world_.settle();
  EXPECT_EQ(left("team"), "found near");
  EXPECT_EQ(find("found", "team")->metadata().owners.size(), 1u);
  const std::string message = "ownerRef [v1/ConfigMap, namespace: team, name: owner, uid: " +
                              std::string(owner->metadata().uid) +
                              "] does not exist in namespace \"team\"";
  EXPECT_EQ(events(),
            (std::vector<std::string>{"Warning found OwnerRefInvalidNamespace: " + message,
                                      "Warning lost OwnerRefInvalidNamespace: " + message}));
}

TEST_F(GarbageCollectorTest, WhatIsOfNoNamespaceCanOwnInAll) {
  const api::ObjectPtr role = world_.create("rbac.authorization.k8s.io", "clusterroles", "",
                                            R"({"metadata":{"name":"owner"},"rules":[]})");
  make("here", {reference("ClusterRole", *role)});
  make("there", {reference("ClusterRole", *role)}, "team");
  world_.settle();
  EXPECT_EQ(left() + left("team"), "herethere");
  world_.remove("rbac.authorization.k8s.io", "clusterroles", "", "owner");
  world_.settle();
  EXPECT_EQ(left() + left("team"), "");
}

TEST_F(GarbageCollectorTest, WhatIsOfNoNamespaceIsNotCollectedForAnOwnerInOne) {
  const api::ObjectPtr owner = make("owner");
  world_.create(
      "rbac.authorization.k8s.io", "clusterroles", "",
      R"({"metadata":{"name":"odd","ownerReferences":[)" + on(owner, true) + R"(]},"rules":[]})");
  world_.settle();
  EXPECT_NE(world_.get("rbac.authorization.k8s.io", "clusterroles", "", "odd"), nullptr);
  ASSERT_EQ(events().size(), 1u);
  EXPECT_EQ(events()[0],
            "Warning odd OwnerRefInvalidNamespace: ownerRef [v1/ConfigMap, namespace: "
            ", name: owner, uid: " +
                std::string(owner->metadata().uid) + "] does not exist in namespace \"\"");
  // Nor does it hold up the owner.
  remove("owner", Propagation::kForeground);
  world_.settle();
  EXPECT_EQ(left(), "");
}

TEST_F(GarbageCollectorTest, OwnersThatAreNamedWronglyAreAbsent) {
  const api::ObjectPtr owner = make("owner");
  make("mine", {reference("Secret", *owner)});
  world_.settle();
  EXPECT_EQ(left(), "owner");
}

TEST_F(GarbageCollectorTest, OwnersThatAreNamedWronglyAreForgotten) {
  const api::ObjectPtr owner = make("owner", {}, "team");
  const api::ObjectPtr near = make("near");
  make("mine", {on(near), reference("ClusterRole", *owner)});
  world_.settle();
  EXPECT_EQ(owners_of("mine"), 1u);
}

TEST_F(GarbageCollectorTest, UnknownKindsMayOwn) {
  const std::string strange =
      R"({"apiVersion":"example.com/v1","kind":"Thing","name":"t","uid":"strange"})";
  make("theirs", {strange});
  const api::ObjectPtr owner = make("owner");
  make("both", {strange, on(owner)});
  remove("owner", Propagation::kBackground);
  world_.settle();
  EXPECT_EQ(left(), "both theirs");
  EXPECT_EQ(owners_of("both"), 1u);
}

TEST_F(GarbageCollectorTest, OwnersAreFoundInAnyOfTheirVersions) {
  const api::ObjectPtr scaler = world_.create(
      "autoscaling", "horizontalpodautoscalers", "default",
      R"({"apiVersion":"autoscaling/v1","kind":"HorizontalPodAutoscaler","metadata":{"name":"s"},)"
      R"("spec":{"maxReplicas":3,"scaleTargetRef":{"apiVersion":"apps/v1","kind":"Deployment",)"
      R"("name":"web"}}})");
  for (const char* version : {"v1", "v2"}) {
    make(std::string("of-") + version, {R"({"apiVersion":"autoscaling/)" + std::string(version) +
                                        R"(","kind":"HorizontalPodAutoscaler","name":"s","uid":")" +
                                        std::string(scaler->metadata().uid) + R"("})"});
  }
  world_.settle();
  EXPECT_EQ(left(), "of-v1 of-v2");
  world_.remove("autoscaling", "horizontalpodautoscalers", "default", "s");
  world_.settle();
  EXPECT_EQ(left(), "");
}

TEST_F(GarbageCollectorTest, WritesNothingInASteadyState) {
  const api::ObjectPtr top = make("top");
  make("one", {on(top, true)});
  make("held", {on(top, true)}, "default", kHeld);
  world_.settle();
  remove("top", Propagation::kForeground);
  world_.settle();
  const std::string before = std::string(find("top")->json()) + std::string(find("held")->json());
  world_.restart();
  world_.settle();
  world_.pass(std::chrono::hours(1));
  EXPECT_EQ(std::string(find("top")->json()) + std::string(find("held")->json()), before);
}

TEST_F(GarbageCollectorTest, LooksAtNobodyInVain) {
  const api::ObjectPtr top = make("top");
  for (int i = 0; i < 20; ++i) make("d" + std::to_string(i), {on(top)});
  world_.settle();
  world_.restart();
  EXPECT_EQ(world_.settle(), 0u);
  make("other");
  world_.patch("", "configmaps", "default", "d3", R"({"data":{"a":"b"}})");
  EXPECT_EQ(world_.settle(), 0u);
}

// Each of them costs one look and one deletion, not one for each of the others.
TEST_F(GarbageCollectorTest, ManyDependentsGoWithoutMoreWorkThanTheirNumber) {
  constexpr size_t kCount = 300;
  for (const Propagation how : {Propagation::kBackground, Propagation::kForeground}) {
    const api::ObjectPtr top = make("top");
    for (size_t i = 0; i < kCount; ++i) make("d" + std::to_string(i), {on(top, true)});
    world_.settle();
    remove("top", how);
    EXPECT_LE(world_.settle(), kCount + 3);
    EXPECT_EQ(left(), "");
  }
}

}  // namespace
}  // namespace proa::controllers

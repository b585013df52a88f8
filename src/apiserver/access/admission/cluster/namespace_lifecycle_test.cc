#include "apiserver/access/admission/cluster/namespace_lifecycle.h"

#include <gtest/gtest.h>

#include "apiserver/access/admission/cluster/plugin_case.h"

namespace proa::apiserver {
namespace {

class NamespaceLifecycleTest : public testing::Test {
 protected:
  NamespaceLifecycleTest() {
    world_.put("", "namespaces", "{metadata: {name: alive}, status: {phase: Active}}");
    world_.put("", "namespaces",
               "{metadata: {name: ending, deletionTimestamp: '2026-01-02T15:04:05Z'}, "
               "status: {phase: Terminating}}");
  }

  Result<void> admit(Operation operation, const std::string& name_space) {
    return PluginCase(operation, "", "pods").in(name_space).object(kPod).admit(*plugin_);
  }

  static constexpr std::string_view kPod = "{metadata: {name: web}}";
  PluginWorld world_;
  const std::unique_ptr<AdmissionPlugin> plugin_ =
      make_namespace_lifecycle(world_.context()).value();
};

TEST_F(NamespaceLifecycleTest, LetsThingsIntoNamespacesThatStay) {
  EXPECT_EQ(words(admit(Operation::kCreate, "alive")), "");
  EXPECT_EQ(words(admit(Operation::kUpdate, "alive")), "");
}

TEST_F(NamespaceLifecycleTest, MissesNamespacesThatAreNotThere) {
  for (const Operation operation : {Operation::kCreate, Operation::kUpdate}) {
    const Result<void> refused = admit(operation, "nowhere");
    EXPECT_EQ(words(refused), "namespaces \"nowhere\" not found");
    ASSERT_TRUE(refused.is(Reason::kNotFound));
    EXPECT_EQ(refused.status().details().kind, "namespaces");
    EXPECT_EQ(refused.status().details().name, "nowhere");
  }
}

TEST_F(NamespaceLifecycleTest, LetsNothingNewIntoNamespacesThatEnd) {
  const Result<void> refused = admit(Operation::kCreate, "ending");
  ASSERT_TRUE(refused.is(Reason::kForbidden));
  EXPECT_EQ(words(refused),
            "pods \"web\" is forbidden: unable to create new content in namespace ending because "
            "it is being terminated");
  const StatusCause cause{"NamespaceTerminating", "namespace ending is being terminated",
                          "metadata.namespace"};
  EXPECT_EQ(refused.status().details().causes, std::vector<StatusCause>{cause});
  EXPECT_EQ(refused.status().details().kind, "pods");
  EXPECT_EQ(words(admit(Operation::kUpdate, "ending")), "");
}

TEST_F(NamespaceLifecycleTest, SubresourcesThatArePostedAreNewToo) {
  PluginCase eviction(Operation::kCreate, "", "pods", "eviction");
  eviction.named("web").in("ending").object("{}");
  EXPECT_TRUE(eviction.admit(*plugin_).is(Reason::kForbidden));
  PluginCase attached(Operation::kConnect, "", "pods", "exec");
  EXPECT_TRUE(attached.named("web").in("nowhere").object("{}").admit(*plugin_).ok());
}

TEST_F(NamespaceLifecycleTest, TellsByTheGeneratedNameWhereThereIsNoOther) {
  PluginCase pod(Operation::kCreate, "", "pods");
  pod.in("ending").object("{metadata: {generateName: web-}}");
  EXPECT_TRUE(words(pod.admit(*plugin_)).starts_with("pods \"web-\" is forbidden: "));
}

TEST_F(NamespaceLifecycleTest, AccessReviewsTellNothingAboutNamespaces) {
  PluginCase review(Operation::kCreate, "authorization.k8s.io", "localsubjectaccessreviews");
  for (const char* name_space : {"nowhere", "ending"}) {
    EXPECT_EQ(words(review.in(name_space).object("{}").admit(*plugin_)), "");
  }
}

TEST_F(NamespaceLifecycleTest, SomeNamespacesAreNeverDeleted) {
  const struct {
    const char* name;
    bool stays;
  } cases[] = {{"default", true},
               {"kube-system", true},
               {"kube-public", true},
               {"kube-node-lease", false},
               {"other", false}};
  for (const auto& c : cases) {
    SCOPED_TRACE(c.name);
    const std::string words_of_refusal = "namespaces \"" + std::string(c.name) +
                                         "\" is forbidden: this namespace may not be deleted";
    const std::string old = "{metadata: {name: " + std::string(c.name) + "}}";
    PluginCase one(Operation::kDelete, "", "namespaces");
    EXPECT_EQ(words(one.named(c.name).old(old).validate(*plugin_)),
              c.stays ? words_of_refusal : "");
    PluginCase of_many(Operation::kDelete, "", "namespaces");
    EXPECT_EQ(words(of_many.old(old).validate(*plugin_)), c.stays ? words_of_refusal : "");
  }
}

TEST_F(NamespaceLifecycleTest, OtherThingsAreDeletedAnywhere) {
  for (const char* name_space : {"alive", "ending", "nowhere"}) {
    PluginCase pod(Operation::kDelete, "", "pods");
    EXPECT_EQ(words(pod.named("default").in(name_space).validate(*plugin_)), "");
  }
}

TEST_F(NamespaceLifecycleTest, NamespacesAndWhatIsInNoneAreLeftAlone) {
  PluginCase made(Operation::kCreate, "", "namespaces");
  EXPECT_EQ(words(made.object("{metadata: {name: new}}").admit(*plugin_)), "");
  PluginCase finalized(Operation::kUpdate, "", "namespaces", "finalize");
  EXPECT_EQ(words(finalized.named("default").object("{}").admit(*plugin_)), "");
  PluginCase node(Operation::kCreate, "", "nodes");
  EXPECT_EQ(words(node.object("{metadata: {name: n}}").admit(*plugin_)), "");
}

}  // namespace
}  // namespace proa::apiserver

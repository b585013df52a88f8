#include "controllers/workload/stateful/stateful_sets.h"

#include "controllers/workload/history/revisions.h"
#include "testkit/controllers/set_test_world.h"

namespace proa::controllers {
namespace {

class StatefulSetsTest : public testkit::SetTest {
 protected:
  StatefulSetsTest()
      : SetTest({"statefulset", "statefulset-controller", make_stateful_set_controller},
                "statefulsets") {}

  static std::string spec(int replicas, std::string_view more = "") {
    return R"({"serviceName":"peers","replicas":)" + std::to_string(replicas) +
           R"(,"selector":{"matchLabels":{"app":"web"}},"template":)" + pod_template() +
           std::string(more) + "}";
  }
  static constexpr std::string_view kParallel = R"(,"podManagementPolicy":"Parallel")";
  static constexpr std::string_view kClaims =
      R"(,"volumeClaimTemplates":[{"metadata":{"name":"data","labels":{"kind":"disk"}},"spec":)"
      R"({"accessModes":["ReadWriteOnce"],"resources":{"requests":{"storage":"1Gi"}}}}])";
  static std::string retention(std::string_view deleted, std::string_view scaled) {
    return R"(,"persistentVolumeClaimRetentionPolicy":{"whenDeleted":")" + std::string(deleted) +
           R"(","whenScaled":")" + std::string(scaled) + R"("})";
  }

  // All of them there, and ready.
  void create_ready(int replicas, std::string_view more = "") {
    create(spec(replicas, more));
    for (int i = 0; i < replicas; ++i) make_ready("web-" + std::to_string(i));
  }
  api::ObjectPtr claim(std::string_view name) {
    return world_.get("", "persistentvolumeclaims", "default", name);
  }
  std::string claim_owner(std::string_view name) {
    const api::ObjectPtr found = claim(name);
    if (found == nullptr) return "gone";
    const api::Metadata& metadata = found->metadata();
    return metadata.owners.empty() ? "none" : std::string(metadata.owners[0].kind);
  }
};

TEST_F(StatefulSetsTest, MakesPodsOneAfterTheOther) {
  create(spec(3));
  EXPECT_EQ(pods(), "web-0");
  make_ready("web-0");
  EXPECT_EQ(pods(), "web-0 web-1");
  world_.restart();
  world_.settle();
  EXPECT_EQ(pods(), "web-0 web-1");
  make_ready("web-1");
  make_ready("web-2");
  EXPECT_EQ(pods(), "web-0 web-1 web-2");
  EXPECT_EQ(count("replicas"), 3);
  EXPECT_EQ(count("readyReplicas"), 3);
  EXPECT_EQ(count("availableReplicas"), 3);
  EXPECT_EQ(count("currentReplicas"), 3);
  EXPECT_EQ(count("updatedReplicas"), 3);
  EXPECT_EQ(status("collisionCount"), "0");
  EXPECT_EQ(count("observedGeneration"), set()->metadata().generation);
  EXPECT_EQ(status("currentRevision"), revision_of_image("a"));
  EXPECT_EQ(status("updateRevision"), revision_of_image("a"));
  expect_settled();
}

TEST_F(StatefulSetsTest, PodsSayWhoTheyAre) {
  create(spec(1));
  const api::ObjectPtr first = pod("web-0");
  EXPECT_EQ(label(first, "statefulset.kubernetes.io/pod-name"), "web-0");
  EXPECT_EQ(label(first, "apps.kubernetes.io/pod-index"), "0");
  EXPECT_EQ(label(first, "controller-revision-hash"), revision_of_image("a"));
  EXPECT_EQ(field(first, "spec.hostname"), "web-0");
  EXPECT_EQ(field(first, "spec.subdomain"), "peers");
  EXPECT_EQ(field(first, "metadata.generateName"), "web-");
  ASSERT_EQ(first->metadata().owners.size(), 1u);
  EXPECT_EQ(first->metadata().owners[0].uid, set()->metadata().uid);
  EXPECT_TRUE(first->metadata().owners[0].controller);
  EXPECT_EQ(told("Normal SuccessfulCreate Create Pod web-0 in StatefulSet web successful"), 1);
}

TEST_F(StatefulSetsTest, RevisionsAreAsKubectlReadsThem) {
  create(spec(1));
  const api::ObjectPtr revision =
      world_.get("apps", "controllerrevisions", "default", revision_of_image("a"));
  EXPECT_EQ(field(revision, "revision"), "1");
  EXPECT_EQ(field(revision, "data.spec.template.$patch"), "replace");
  EXPECT_EQ(label(revision, "app"), "web");
  EXPECT_EQ("web-" + label(revision, "controller.kubernetes.io/hash"), revision->metadata().name);
  EXPECT_EQ(revision->metadata().owners.at(0).uid, set()->metadata().uid);
}

TEST_F(StatefulSetsTest, DoesNotBuildOnTheRevisionOfAnEarlierSet) {
  create(spec(1));
  const std::string revision = revision_of_image("a");
  world_.remove("apps", "statefulsets", "default", "web");
  create(spec(1));
  EXPECT_EQ(status("updateRevision"), "");
  // As the collector of garbage does it.
  world_.remove("", "pods", "default", "web-0");
  world_.remove("apps", "controllerrevisions", "default", revision);
  world_.settle();
  EXPECT_EQ(status("updateRevision"), revision);
  EXPECT_EQ(pods(), "web-0");
  const api::ObjectPtr anew = world_.get("apps", "controllerrevisions", "default", revision);
  EXPECT_EQ(anew->metadata().owners.at(0).uid, set()->metadata().uid);
  EXPECT_EQ(status("collisionCount"), "0");
  expect_settled();
}

TEST_F(StatefulSetsTest, NoOtherRevisionHasTheNumberOfTheNewest) {
  world_.create("apps", "controllerrevisions", "default",
                R"({"metadata":{"name":"left","labels":{"app":"other"}},"revision":1,)"
                R"("data":{"spec":{"template":)" +
                    pod_template("b") + "}}}");
  world_.pass(std::chrono::seconds(2));
  create(spec(1));
  EXPECT_EQ(revisions(), "1:a 1:b");
  world_.patch("apps", "controllerrevisions", "default", "left",
               R"({"metadata":{"labels":{"app":"web"}}})");
  world_.settle();
  EXPECT_EQ(revisions(), "1:b 2:a");
  expect_settled();
}

TEST_F(StatefulSetsTest, ParallelOnesComeAndGoTogether) {
  create(spec(4, kParallel));
  EXPECT_EQ(pods(), "web-0 web-1 web-2 web-3");
  EXPECT_EQ(count("replicas"), 4);
  EXPECT_EQ(count("readyReplicas"), 0);
  expect_settled();
  change(R"({"replicas":1})");
  EXPECT_EQ(pods(), "web-0");
  EXPECT_EQ(told("Normal SuccessfulDelete Delete Pod web-3 in StatefulSet web successful"), 1);
}

TEST_F(StatefulSetsTest, OrdinalsBeginWhereTheSetSays) {
  create(spec(2, R"(,"ordinals":{"start":5})" + std::string(kParallel)));
  EXPECT_EQ(pods(), "web-5 web-6");
  EXPECT_EQ(label(pod("web-5"), "apps.kubernetes.io/pod-index"), "5");
  change(R"({"ordinals":{"start":6}})");
  EXPECT_EQ(pods(), "web-6 web-7");
}

TEST_F(StatefulSetsTest, TheLastGoesFirstAndIsWaitedFor) {
  create_ready(3);
  hold("web-2");
  change(R"({"replicas":1})");
  EXPECT_EQ(pods(), "web-0 web-1");
  EXPECT_TRUE(pod("web-2")->metadata().being_deleted);
  EXPECT_EQ(count("replicas"), 3);
  world_.restart();
  world_.settle();
  EXPECT_EQ(pods(), "web-0 web-1");
  let_go("web-2");
  EXPECT_EQ(pods(), "web-0");
  EXPECT_EQ(count("replicas"), 1);
  expect_settled();
}

TEST_F(StatefulSetsTest, NothingGoesWhileAnotherIsNotReady) {
  create_ready(3);
  make_unready("web-0");
  change(R"({"replicas":1})");
  EXPECT_EQ(pods(), "web-0 web-1 web-2");
  make_ready("web-0");
  EXPECT_EQ(pods(), "web-0");
}

TEST_F(StatefulSetsTest, APodOfOneNameIsNotMadeBeforeTheEarlierIsGone) {
  create_ready(2);
  hold("web-0");
  world_.remove("", "pods", "default", "web-0");
  world_.settle();
  EXPECT_EQ(pods(), "web-1");
  let_go("web-0");
  EXPECT_EQ(pods(), "web-0 web-1");
}

TEST_F(StatefulSetsTest, UpdatesFromTheLastToTheFirst) {
  create_ready(3);
  const std::string before = revision_of_image("a");
  change(with_image("b"));
  EXPECT_EQ(image("web-2"), "b");
  EXPECT_EQ(image("web-1"), "a");
  EXPECT_EQ(status("currentRevision"), before);
  EXPECT_EQ(status("updateRevision"), revision_of_image("b"));
  EXPECT_EQ(count("currentReplicas"), 2);
  EXPECT_EQ(count("updatedReplicas"), 1);
  world_.restart();
  world_.settle();
  EXPECT_EQ(image("web-1"), "a");
  make_ready("web-2");
  EXPECT_EQ(image("web-1"), "b");
  EXPECT_EQ(image("web-0"), "a");
  make_ready("web-1");
  make_ready("web-0");
  EXPECT_EQ(image("web-0"), "b");
  EXPECT_EQ(status("currentRevision"), revision_of_image("b"));
  EXPECT_EQ(count("currentReplicas"), 3);
  EXPECT_EQ(revisions(), "1:a 2:b");
  expect_settled();
}

TEST_F(StatefulSetsTest, BelowThePartitionPodsStayAndComeBackAsTheyWere) {
  create_ready(3, R"(,"updateStrategy":{"type":"RollingUpdate","rollingUpdate":{"partition":2}})");
  change(with_image("b"));
  make_ready("web-2");
  EXPECT_EQ(image("web-2"), "b");
  world_.remove("", "pods", "default", "web-1");
  world_.settle();
  EXPECT_EQ(image("web-1"), "a");
  EXPECT_EQ(label(pod("web-1"), "controller-revision-hash"), revision_of_image("a"));
  make_ready("web-1");
  EXPECT_EQ(status("currentRevision"), revision_of_image("a"));
  change(R"({"updateStrategy":{"rollingUpdate":{"partition":0}}})");
  make_ready("web-1");
  make_ready("web-0");
  EXPECT_EQ(image("web-0"), "b");
  EXPECT_EQ(status("currentRevision"), revision_of_image("b"));
}

// "rollingUpdate" may be left out; then those that were not updated yet come back as they were.
TEST_F(StatefulSetsTest, WithoutAPartitionTheOldOnesComeBackAsTheyWere) {
  create_ready(3, R"(,"updateStrategy":{"type":"RollingUpdate"})");
  change(with_image("b"));
  world_.remove("", "pods", "default", "web-0");
  world_.settle();
  EXPECT_EQ(image("web-0"), "a");
}

TEST_F(StatefulSetsTest, OnDeletePeopleUpdate) {
  create_ready(2, R"(,"updateStrategy":{"type":"OnDelete"})");
  change(with_image("b"));
  EXPECT_EQ(image("web-1"), "a");
  EXPECT_EQ(status("updateRevision"), revision_of_image("b"));
  EXPECT_EQ(count("currentReplicas"), 2);
  world_.remove("", "pods", "default", "web-1");
  world_.settle();
  EXPECT_EQ(image("web-1"), "b");
  EXPECT_EQ(status("currentRevision"), revision_of_image("a"));
}

TEST_F(StatefulSetsTest, ReusesAnExistingRevision) {
  create_ready(1);
  change(with_image("b"));
  make_ready("web-0");
  undo_to("a");
  EXPECT_EQ(revisions(), "2:b 3:a");
  EXPECT_EQ(image("web-0"), "a");
  make_ready("web-0");
  EXPECT_EQ(status("currentRevision"), revision_of_image("a"));
  expect_settled();
}

TEST_F(StatefulSetsTest, KeepsTheHistoryLimit) {
  create_ready(1, R"(,"revisionHistoryLimit":1)");
  for (const char* image : {"b", "c", "d"}) {
    change(with_image(image));
    make_ready("web-0");
  }
  EXPECT_EQ(revisions(), "3:c 4:d");
  expect_settled();
}

TEST_F(StatefulSetsTest, ATakenNameOfARevisionIsNotUsed) {
  create(spec(0));
  const std::string name = revision_of_image("a");
  world_.remove("apps", "statefulsets", "default", "web");
  world_.remove("apps", "controllerrevisions", "default", name);
  world_.settle();
  world_.create("apps", "controllerrevisions", "default",
                R"({"metadata":{"name":")" + name + R"("},"data":{"other":1},"revision":1})");
  create(spec(1));
  EXPECT_EQ(status("collisionCount"), "1");
  EXPECT_NE(status("updateRevision"), name);
  EXPECT_EQ(label(pod("web-0"), "controller-revision-hash"), status("updateRevision"));
  expect_settled();
}

TEST_F(StatefulSetsTest, RevisionsThatNobodyHasAreAdopted) {
  create_ready(1);
  const std::string name = revision_of_image("a");
  world_.patch("apps", "controllerrevisions", "default", name,
               R"({"metadata":{"ownerReferences":null}})");
  world_.settle();
  const api::ObjectPtr revision = world_.get("apps", "controllerrevisions", "default", name);
  EXPECT_EQ(revision->metadata().owners.at(0).uid, set()->metadata().uid);
  EXPECT_EQ(revisions(), "1:a");
}

TEST_F(StatefulSetsTest, ARevisionThatHoldsNonsenseDoesNoHarm) {
  world_.create("apps", "controllerrevisions", "default",
                R"({"metadata":{"name":"x","labels":{"app":"web"}},"revision":7,)"
                R"("data":{"spec":{"template":{"metadata":"x","spec":{"containers":3}}}}})");
  create(spec(1));
  EXPECT_EQ(pods(), "web-0");
  EXPECT_EQ(status("updateRevision"), revision_of_image("a"));
}

TEST_F(StatefulSetsTest, PodsThatEndedAreReplaced) {
  create_ready(2);
  for (const char* phase : {"Failed", "Succeeded"}) {
    const std::string before(pod("web-0")->metadata().uid);
    end("web-0", phase);
    world_.settle();
    ASSERT_NE(pod("web-0"), nullptr);
    EXPECT_NE(pod("web-0")->metadata().uid, before) << phase;
    make_ready("web-0");
  }
  EXPECT_EQ(told("Normal SuccessfulDelete Delete Pod web-0 in StatefulSet web successful"), 2);
}

TEST_F(StatefulSetsTest, AvailableMeansReadyForLongEnough) {
  create(spec(2, R"(,"minReadySeconds":30)"));
  make_ready("web-0");
  EXPECT_EQ(count("readyReplicas"), 1);
  EXPECT_EQ(count("availableReplicas"), 0);
  world_.pass(std::chrono::seconds(29));
  EXPECT_EQ(pods(), "web-0");
  world_.pass(std::chrono::seconds(2));
  EXPECT_EQ(count("availableReplicas"), 1);
  EXPECT_EQ(pods(), "web-0 web-1");
}

TEST_F(StatefulSetsTest, ClaimsComeBeforeTheirPod) {
  create(spec(1, kClaims));
  const api::ObjectPtr disk = claim("data-web-0");
  ASSERT_NE(disk, nullptr);
  EXPECT_EQ(label(disk, "kind"), "disk");
  EXPECT_EQ(label(disk, "app"), "web");
  EXPECT_EQ(claim_owner("data-web-0"), "none");
  const json::Document document = pod("web-0")->document().value();
  const api::View volume = api::View(document.root())["spec"]["volumes"].item(0);
  EXPECT_EQ(volume["name"].text(), "data");
  EXPECT_EQ(volume["persistentVolumeClaim"]["claimName"].text(), "data-web-0");
  EXPECT_LT(std::stoll(std::string(disk->metadata().resource_version)),
            std::stoll(std::string(pod("web-0")->metadata().resource_version)));
  EXPECT_EQ(told("Normal SuccessfulCreate Create Claim data-web-0 Pod web-0 in StatefulSet web "
                 "success"),
            1);
  expect_settled();
}

TEST_F(StatefulSetsTest, ClaimsStayAndAreUsedAgain) {
  create_ready(2, kClaims);
  const std::string before(claim("data-web-1")->metadata().uid);
  change(R"({"replicas":1})");
  EXPECT_EQ(pods(), "web-0");
  EXPECT_EQ(claim("data-web-1")->metadata().uid, before);
  change(R"({"replicas":2})");
  EXPECT_EQ(pods(), "web-0 web-1");
  EXPECT_EQ(claim("data-web-1")->metadata().uid, before);
}

TEST_F(StatefulSetsTest, APodThatWaitsGetsTheClaimThatItLost) {
  create(spec(1, kClaims));
  const std::string before(claim("data-web-0")->metadata().uid);
  world_.patch("", "persistentvolumeclaims", "default", "data-web-0",
               R"({"metadata":{"finalizers":null}})");
  world_.remove("", "persistentvolumeclaims", "default", "data-web-0");
  world_.settle();
  ASSERT_NE(claim("data-web-0"), nullptr);
  EXPECT_NE(claim("data-web-0")->metadata().uid, before);
}

TEST_F(StatefulSetsTest, NoPodComesWhileItsClaimGoes) {
  create_ready(1, kClaims);
  world_.remove("", "persistentvolumeclaims", "default", "data-web-0");
  world_.remove("", "pods", "default", "web-0");
  pass_a_moment();
  world_.settle();
  EXPECT_EQ(pods(), "");
  EXPECT_GE(told("Warning FailedCreate Create Pod web-0 in StatefulSet web failed error: pvc "
                 "data-web-0 is being deleted"),
            1);
  world_.patch("", "persistentvolumeclaims", "default", "data-web-0",
               R"({"metadata":{"finalizers":null}})");
  world_.settle();
  EXPECT_EQ(pods(), "web-0");
}

TEST_F(StatefulSetsTest, ClaimsGoWithTheSet) {
  create_ready(2, std::string(kClaims) + retention("Delete", "Retain"));
  EXPECT_EQ(claim_owner("data-web-0"), "StatefulSet");
  change(R"({"replicas":1})");
  EXPECT_EQ(claim_owner("data-web-1"), "StatefulSet");
  change(R"({"persistentVolumeClaimRetentionPolicy":{"whenDeleted":"Retain"}})");
  EXPECT_EQ(claim_owner("data-web-0"), "none");
  expect_settled();
}

TEST_F(StatefulSetsTest, ClaimsGoWithPodsThatAreScaledAway) {
  create_ready(2, std::string(kClaims) + retention("Retain", "Delete"));
  EXPECT_EQ(claim_owner("data-web-1"), "none");
  hold("web-1");
  const std::string gone(pod("web-1")->metadata().uid);
  change(R"({"replicas":1})");
  EXPECT_EQ(claim_owner("data-web-1"), "Pod");
  EXPECT_EQ(claim("data-web-1")->metadata().owners[0].uid, gone);
  let_go("web-1");
  // The garbage collector has not come yet: a new pod must not get this claim.
  change(R"({"replicas":2})");
  EXPECT_EQ(pods(), "web-0");
  world_.patch("", "persistentvolumeclaims", "default", "data-web-1",
               R"({"metadata":{"finalizers":null}})");
  world_.remove("", "persistentvolumeclaims", "default", "data-web-1");
  world_.settle();
  EXPECT_EQ(pods(), "web-0 web-1");
  EXPECT_EQ(claim_owner("data-web-1"), "none");
}

TEST_F(StatefulSetsTest, ClaimsOfOthersAreLeftToThem) {
  world_.create("", "persistentvolumeclaims", "default",
                R"({"metadata":{"name":"data-web-0","ownerReferences":[{"apiVersion":"v1","kind":)"
                R"("ConfigMap","name":"x","uid":"1","controller":true}]},"spec":{"accessModes":)"
                R"(["ReadWriteOnce"],"resources":{"requests":{"storage":"1Gi"}}}})");
  create(spec(1, std::string(kClaims) + retention("Delete", "Delete")));
  EXPECT_EQ(pods(), "web-0");
  EXPECT_EQ(claim_owner("data-web-0"), "ConfigMap");
  EXPECT_GE(
      told("Warning ConflictingController PersistentVolumeClaim data-web-0 has a conflicting "
           "OwnerReference that acts as a manging controller, the retention policy is ignored "
           "for this claim"),
      1);
  expect_settled();
}

TEST_F(StatefulSetsTest, PodsOfItsNamesAreAdopted) {
  const std::string orphan = R"("labels":{"app":"web"}},"spec":{"containers":[{"name":"c",)"
                             R"("image":"x"}]}})";
  world_.create("", "pods", "default", R"({"metadata":{"name":"web-0",)" + orphan);
  world_.create("", "pods", "default", R"({"metadata":{"name":"web-x",)" + orphan);
  world_.create("", "pods", "default", R"({"metadata":{"name":"other-0",)" + orphan);
  create(spec(1, R"(,"updateStrategy":{"type":"OnDelete"})"));
  EXPECT_EQ(pod("web-0")->metadata().owners.at(0).uid, set()->metadata().uid);
  EXPECT_TRUE(pod("web-x")->metadata().owners.empty());
  EXPECT_TRUE(pod("other-0")->metadata().owners.empty());
  make_ready("web-0");
  EXPECT_EQ(image("web-0"), "x");
  EXPECT_EQ(label(pod("web-0"), "statefulset.kubernetes.io/pod-name"), "web-0");
  EXPECT_EQ(label(pod("web-0"), "apps.kubernetes.io/pod-index"), "0");
  EXPECT_EQ(told("Normal SuccessfulUpdate Update Pod web-0 in StatefulSet web successful"), 1);
  expect_settled();
}

TEST_F(StatefulSetsTest, PodsThatNoLongerMatchAreLetGoAndWaitedFor) {
  create_ready(1);
  world_.patch("", "pods", "default", "web-0", R"({"metadata":{"labels":{"app":"other"}}})");
  world_.settle();
  EXPECT_TRUE(pod("web-0")->metadata().owners.empty());
  EXPECT_EQ(count("replicas"), 0);
  world_.remove("", "pods", "default", "web-0");
  world_.pass(std::chrono::minutes(1));
  EXPECT_EQ(pod("web-0")->metadata().owners.at(0).uid, set()->metadata().uid);
}

TEST_F(StatefulSetsTest, CreatesNothingWhileBeingDeleted) {
  create_ready(2);
  world_.patch("apps", "statefulsets", "default", "web",
               R"({"metadata":{"finalizers":["example.com/hold"]}})");
  world_.remove("apps", "statefulsets", "default", "web");
  world_.remove("", "pods", "default", "web-1");
  world_.settle();
  EXPECT_EQ(pods(), "web-0");
  EXPECT_EQ(count("replicas"), 1);
  EXPECT_EQ(status("currentRevision"), revision_of_image("a"));
}

TEST_F(StatefulSetsTest, WhatTheServerRefusesIsTold) {
  world_.create("", "resourcequotas", "default",
                R"({"metadata":{"name":"none"},"spec":{"hard":{"pods":"0"}}})");
  world_.patch("", "resourcequotas", "default", "none", R"({"status":{"hard":{"pods":"0"}}})",
               "status");
  create(spec(1));
  EXPECT_EQ(pods(), "");
  EXPECT_EQ(count("observedGeneration"), 1);
  bool told_so = false;
  for (const api::ObjectPtr& event : world_.list("", "events", "default")) {
    told_so =
        told_so ||
        field(event, "message").starts_with("Create Pod web-0 in StatefulSet web failed error: ");
  }
  EXPECT_TRUE(told_so);
  world_.remove("", "resourcequotas", "default", "none");
  world_.pass(std::chrono::minutes(1));
  EXPECT_EQ(pods(), "web-0");
}

}  // namespace
}  // namespace proa::controllers

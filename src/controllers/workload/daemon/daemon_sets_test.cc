#include "controllers/workload/daemon/daemon_sets.h"
#include "json/parse.h"

#include "controllers/workload/daemon/daemon_pod.h"
#include "testkit/controllers/set_test_world.h"

namespace proa::controllers {
namespace {

class DaemonSetsTest : public testkit::SetTest {
 protected:
  DaemonSetsTest()
      : SetTest({"daemonset", "daemon-set-controller", make_daemon_set_controller}, "daemonsets") {}

  static std::string spec(std::string_view more = "", std::string_view pods = pod_template()) {
    return R"({"selector":{"matchLabels":{"app":"web"}},"template":)" + std::string(pods) +
           std::string(more) + "}";
  }
  static std::string pods_with(std::string_view pod_spec) {
    return R"({"metadata":{"labels":{"app":"web"}},"spec":{"containers":[{"name":"c","image":"a"}],)" +
           std::string(pod_spec) + "}}";
  }
  static std::string rolling(std::string_view how) {
    return R"(,"updateStrategy":{"type":"RollingUpdate","rollingUpdate":{)" + std::string(how) +
           "}}";
  }

  void add_node(std::string_view name, std::string_view zone = "a", std::string_view taints = "") {
    pass_a_moment();
    world_.create("", "nodes", "",
                  R"({"metadata":{"name":")" + std::string(name) + R"(","labels":{"zone":")" +
                      std::string(zone) + R"("}},"spec":{"taints":[)" + std::string(taints) +
                      "]}}");
    // As a new node; the kubelet takes it off when it is ready.
    world_.patch("", "nodes", "", name, R"({"spec":{"taints":[)" + std::string(taints) + "]}}");
    world_.settle();
  }
  void taint(std::string_view node, std::string_view effect) {
    world_.patch("", "nodes", "", node,
                 R"({"spec":{"taints":[{"key":"k","effect":")" + std::string(effect) + R"("}]}})");
    world_.settle();
  }
  // As the scheduler does it.
  void bind_all() {
    for (const api::ObjectPtr& one : world_.list("", "pods", "default")) {
      if (!field(one, "spec.nodeName").empty()) continue;
      client::Place place = world_.place("", "pods", "default", one->metadata().name);
      place.subresource = "binding";
      ASSERT_TRUE(
          world_.client()
              .create(place,
                      json::parse_literal(
                          R"({"apiVersion":"v1","kind":"Binding","metadata":{"name":")" +
                          std::string(one->metadata().name) +
                          R"("},"target":{"kind":"Node","name":")" + target_node(*one) + R"("}})"),
                      {}, {})
              .ok());
    }
    world_.settle();
  }
  void ready_all() {
    for (const api::ObjectPtr& one : world_.list("", "pods", "default")) {
      if (field(one, "status.phase") == "Pending") make_ready(one->metadata().name);
    }
  }
  std::vector<api::ObjectPtr> pods_on(std::string_view node) {
    std::vector<api::ObjectPtr> found;
    for (const api::ObjectPtr& one : world_.list("", "pods", "default")) {
      if (target_node(*one) == node && !one->metadata().being_deleted) found.push_back(one);
    }
    return found;
  }
  std::string pod_on(std::string_view node) {
    const auto found = pods_on(node);
    return found.empty() ? "none" : std::string(found[0]->metadata().name);
  }
  // "n1:a n2:b": which image runs where.
  std::string where() {
    std::vector<std::string> all;
    for (const api::ObjectPtr& one : world_.list("", "pods", "default")) {
      if (one->metadata().being_deleted) continue;
      all.push_back(target_node(*one) + ":" + image(one->metadata().name));
    }
    std::sort(all.begin(), all.end());
    std::string text;
    for (const std::string& one : all) text += (text.empty() ? "" : " ") + one;
    return text;
  }
};

TEST_F(DaemonSetsTest, RunsOnEveryNode) {
  add_node("n1");
  add_node("n2");
  create(spec());
  EXPECT_EQ(where(), "n1:a n2:a");
  add_node("n3");
  EXPECT_EQ(where(), "n1:a n2:a n3:a");
  EXPECT_EQ(count("desiredNumberScheduled"), 3);
  EXPECT_EQ(count("currentNumberScheduled"), 3);
  EXPECT_EQ(count("updatedNumberScheduled"), 3);
  EXPECT_EQ(count("numberReady"), 0);
  EXPECT_EQ(count("numberUnavailable"), 3);
  ready_all();
  EXPECT_EQ(count("numberReady"), 3);
  EXPECT_EQ(count("numberAvailable"), 3);
  EXPECT_EQ(count("numberUnavailable"), 0);
  EXPECT_EQ(count("numberMisscheduled"), 0);
  EXPECT_EQ(count("observedGeneration"), 1);
  EXPECT_EQ(status("collisionCount"), "");
  EXPECT_EQ(told("Normal SuccessfulCreate Created pod: " + pod_on("n3")), 1);
  expect_settled();
}

TEST_F(DaemonSetsTest, PodsMayTakeOneNodeOnly) {
  add_node("n1");
  create(
      spec("", pods_with(R"("affinity":{"nodeAffinity":{"requiredDuringSchedulingIgnoredDuring)"
                         R"(Execution":{"nodeSelectorTerms":[{"matchExpressions":[{"key":"zone",)"
                         R"("operator":"Exists"}]}]}}})")));
  const api::ObjectPtr pod = pods_on("n1").at(0);
  EXPECT_EQ(field(pod, "spec.nodeName"), "");
  EXPECT_NE(pod->json().find(R"("nodeSelectorTerms":[{"matchFields":[{"key":"metadata.name",)"
                             R"("operator":"In","values":["n1"]}]}])"),
            std::string_view::npos);
  EXPECT_NE(pod->json().find("node.kubernetes.io/unschedulable"), std::string_view::npos);
  EXPECT_EQ(field(pod, "metadata.generateName"), "web-");
  EXPECT_EQ("web-" + label(pod, "controller-revision-hash"), revision_of_image("a"));
  EXPECT_EQ(label(pod, "pod-template-generation"), "1");
}

TEST_F(DaemonSetsTest, RevisionsAreAsKubectlReadsThem) {
  create(spec());
  const api::ObjectPtr revision =
      world_.get("apps", "controllerrevisions", "default", revision_of_image("a"));
  EXPECT_EQ(field(revision, "revision"), "1");
  EXPECT_EQ(field(revision, "data.spec.template.$patch"), "replace");
  EXPECT_EQ(label(revision, "app"), "web");
  EXPECT_EQ("web-" + label(revision, "controller-revision-hash"), revision->metadata().name);
  EXPECT_EQ(revision->metadata().owners.at(0).uid, set()->metadata().uid);
}

TEST_F(DaemonSetsTest, FollowsTheLabelsOfNodes) {
  add_node("n1", "a");
  add_node("n2", "b");
  create(spec("", pods_with(R"("nodeSelector":{"zone":"a"})")));
  EXPECT_EQ(where(), "n1:a");
  world_.patch("", "nodes", "", "n2", R"({"metadata":{"labels":{"zone":"a"}}})");
  world_.settle();
  EXPECT_EQ(where(), "n1:a n2:a");
  world_.patch("", "nodes", "", "n1", R"({"metadata":{"labels":{"zone":"b"}}})");
  world_.settle();
  EXPECT_EQ(where(), "n2:a");
  EXPECT_EQ(count("desiredNumberScheduled"), 1);
  expect_settled();
}

TEST_F(DaemonSetsTest, TaintsKeepItAwayOrDriveItOut) {
  add_node("n1");
  add_node("n2", "a", R"({"key":"k","effect":"NoSchedule"})");
  create(spec());
  EXPECT_EQ(where(), "n1:a");
  taint("n1", "NoSchedule");
  EXPECT_EQ(where(), "n1:a");
  EXPECT_EQ(count("desiredNumberScheduled"), 0);
  EXPECT_EQ(count("numberMisscheduled"), 1);
  taint("n1", "NoExecute");
  EXPECT_EQ(where(), "");
  EXPECT_EQ(count("numberMisscheduled"), 0);
}

TEST_F(DaemonSetsTest, RunsOnUnschedulableNodes) {
  add_node("n1", "a", R"({"key":"node.kubernetes.io/unschedulable","effect":"NoSchedule"})");
  add_node("n2", "a", R"({"key":"node.kubernetes.io/not-ready","effect":"NoExecute"})");
  create(spec());
  EXPECT_EQ(where(), "n1:a n2:a");
}

TEST_F(DaemonSetsTest, IgnoresIrrelevantNodeChanges) {
  add_node("n1");
  create(spec());
  world_.patch("", "nodes", "", "n1", R"({"metadata":{"annotations":{"a":"b"}}})");
  EXPECT_EQ(world_.settle(), 0u);
}

TEST_F(DaemonSetsTest, DeletesPendingPodsOfDeletedNodes) {
  add_node("n1");
  add_node("n2");
  create(spec());
  world_.remove("", "nodes", "", "n2");
  world_.settle();
  EXPECT_EQ(where(), "n1:a");
  EXPECT_EQ(count("desiredNumberScheduled"), 1);
}

TEST_F(DaemonSetsTest, UpdatesOneNodeAfterTheOther) {
  for (const char* node : {"n1", "n2", "n3"}) add_node(node);
  create(spec());
  ready_all();
  change(with_image("b"));
  EXPECT_EQ(where(), "n1:b n2:a n3:a");
  EXPECT_EQ(count("updatedNumberScheduled"), 1);
  world_.restart();
  world_.settle();
  EXPECT_EQ(where(), "n1:b n2:a n3:a");
  ready_all();
  EXPECT_EQ(where(), "n1:b n2:b n3:a");
  ready_all();
  ready_all();
  EXPECT_EQ(where(), "n1:b n2:b n3:b");
  EXPECT_EQ(count("updatedNumberScheduled"), 3);
  EXPECT_EQ(count("numberAvailable"), 3);
  EXPECT_EQ(revisions(), "1:a 2:b");
  expect_settled();
}

TEST_F(DaemonSetsTest, UpdatesAsManyNodesAsMayBeWithout) {
  for (const char* node : {"n1", "n2", "n3", "n4"}) add_node(node);
  create(spec(rolling(R"("maxUnavailable":"50%")")));
  ready_all();
  change(with_image("b"));
  EXPECT_EQ(where(), "n1:b n2:b n3:a n4:a");
}

TEST_F(DaemonSetsTest, SurgesBeforeDeletingTheOldPod) {
  add_node("n1");
  add_node("n2");
  create(spec(rolling(R"("maxUnavailable":0,"maxSurge":1)")));
  ready_all();
  change(with_image("b"));
  EXPECT_EQ(where(), "n1:a n1:b n2:a");
  world_.restart();
  world_.settle();
  EXPECT_EQ(where(), "n1:a n1:b n2:a");
  ready_all();
  EXPECT_EQ(where(), "n1:b n2:a n2:b");
  ready_all();
  EXPECT_EQ(where(), "n1:b n2:b");
  expect_settled();
}

TEST_F(DaemonSetsTest, OnDeletePeopleUpdate) {
  add_node("n1");
  create(spec(R"(,"updateStrategy":{"type":"OnDelete"})"));
  ready_all();
  change(with_image("b"));
  EXPECT_EQ(where(), "n1:a");
  EXPECT_EQ(count("updatedNumberScheduled"), 0);
  world_.remove("", "pods", "default", pod_on("n1"));
  world_.settle();
  EXPECT_EQ(where(), "n1:b");
}

TEST_F(DaemonSetsTest, ReusesAnExistingRevision) {
  add_node("n1");
  create(spec());
  ready_all();
  change(with_image("b"));
  ready_all();
  undo_to("a");
  EXPECT_EQ(where(), "n1:a");
  EXPECT_EQ(revisions(), "2:b 3:a");
  ready_all();
  expect_settled();
}

TEST_F(DaemonSetsTest, KeepsTheHistoryLimit) {
  add_node("n1");
  create(spec(R"(,"revisionHistoryLimit":1)"));
  ready_all();
  for (const char* image : {"b", "c", "d"}) {
    change(with_image(image));
    ready_all();
  }
  EXPECT_EQ(revisions(), "3:c 4:d");
  expect_settled();
}

TEST_F(DaemonSetsTest, TwoRevisionsOfTheSameBecomeOne) {
  for (const char* node : {"n1", "n2", "n3"}) add_node(node);
  create(spec());
  ready_all();
  // The same once more, from before there were hashes.
  const std::string data = R"({"spec":{"template":{"$patch":"replace","metadata":)"
                           R"({"creationTimestamp":null,"labels":{"app":"web"}},"spec":)"
                           R"({"containers":[{"name":"c","image":"a"}]}}}})";
  world_.create(
      "apps", "controllerrevisions", "default",
      R"({"metadata":{"name":"web-old","labels":{"app":"web"}},"revision":5,"data":)" + data + "}");
  const std::string pod = pod_on("n1");
  world_.settle();
  EXPECT_EQ(revisions(), "5:a");
  EXPECT_EQ(revision_of_image("a"), "web-old");
  EXPECT_EQ(pod_on("n1"), pod);
  for (const char* node : {"n1", "n2", "n3"}) {
    EXPECT_EQ(label(pods_on(node).at(0), "controller-revision-hash"), "web-old") << node;
  }
  expect_settled();
}

TEST_F(DaemonSetsTest, ATakenNameOfARevisionIsNotUsed) {
  create(spec());
  const std::string name = revision_of_image("a");
  world_.remove("apps", "daemonsets", "default", "web");
  world_.remove("apps", "controllerrevisions", "default", name);
  world_.settle();
  world_.create("apps", "controllerrevisions", "default",
                R"({"metadata":{"name":")" + name + R"("},"data":{"other":1},"revision":1})");
  add_node("n1");
  create(spec());
  EXPECT_EQ(status("collisionCount"), "1");
  EXPECT_NE("web-" + label(pods_on("n1").at(0), "controller-revision-hash"), name);
  expect_settled();
}

TEST_F(DaemonSetsTest, FailedPodsAreReplacedLaterEachTime) {
  add_node("n1");
  create(spec());
  const std::string first = pod_on("n1");
  end(first, "Failed");
  world_.settle();
  const std::string second = pod_on("n1");
  EXPECT_NE(second, first);
  EXPECT_EQ(told("Warning FailedDaemonPod Found failed daemon pod default/" + first +
                 " on node n1, will try to kill it"),
            1);
  end(second, "Failed");
  world_.settle();
  EXPECT_EQ(pod_on("n1"), second);
  world_.pass(std::chrono::milliseconds(1100));
  const std::string third = pod_on("n1");
  EXPECT_NE(third, second);
  end(third, "Failed");
  world_.pass(std::chrono::milliseconds(1800));
  EXPECT_EQ(pod_on("n1"), third);
  world_.pass(std::chrono::milliseconds(300));
  EXPECT_NE(pod_on("n1"), third);
}

TEST_F(DaemonSetsTest, SucceededPodsAreReplaced) {
  add_node("n1");
  create(spec());
  const std::string first = pod_on("n1");
  end(first, "Succeeded");
  world_.settle();
  EXPECT_NE(pod_on("n1"), first);
  EXPECT_EQ(told("Normal SucceededDaemonPod Found succeeded daemon pod default/" + first +
                 " on node n1, will try to delete it"),
            1);
}

TEST_F(DaemonSetsTest, ANewPodWaitsForTheDeletionOfTheOldOne) {
  add_node("n1");
  create(spec());
  bind_all();
  ready_all();
  const std::string first = pod_on("n1");
  hold(first);
  world_.remove("", "pods", "default", first);
  world_.settle();
  EXPECT_EQ(where(), "");
  EXPECT_EQ(count("currentNumberScheduled"), 1);
  let_go(first);
  world_.client().remove(world_.place("", "pods", "default", first), {.grace_seconds = 0}, {}).ok();
  world_.settle();
  EXPECT_EQ(where(), "n1:a");
}

TEST_F(DaemonSetsTest, AvailableMeansReadyForLongEnough) {
  add_node("n1");
  add_node("n2");
  create(spec(R"(,"minReadySeconds":30)"));
  ready_all();
  EXPECT_EQ(count("numberReady"), 2);
  EXPECT_EQ(count("numberAvailable"), 0);
  world_.pass(std::chrono::seconds(31));
  EXPECT_EQ(count("numberAvailable"), 2);
  change(with_image("b"));
  ready_all();
  EXPECT_EQ(where(), "n1:b n2:a");
  world_.pass(std::chrono::seconds(29));
  EXPECT_EQ(where(), "n1:b n2:a");
  world_.pass(std::chrono::seconds(2));
  EXPECT_EQ(where(), "n1:b n2:b");
}

TEST_F(DaemonSetsTest, AdoptsOrphansAndReleasesOthers) {
  add_node("n1");
  world_.create("", "pods", "default",
                R"({"metadata":{"name":"mine","labels":{"app":"web"}},"spec":{"nodeName":"n1",)"
                R"("containers":[{"name":"c","image":"x"}]}})");
  create(spec(R"(,"updateStrategy":{"type":"OnDelete"})"));
  EXPECT_EQ(where(), "n1:x");
  EXPECT_EQ(pod("mine")->metadata().owners.at(0).uid, set()->metadata().uid);
  world_.patch("", "pods", "default", "mine", R"({"metadata":{"labels":{"app":"other"}}})");
  world_.settle();
  EXPECT_TRUE(pod("mine")->metadata().owners.empty());
  EXPECT_EQ(where(), "n1:a n1:x");
}

TEST_F(DaemonSetsTest, CreatesNothingWhileBeingDeleted) {
  add_node("n1");
  create(spec());
  world_.patch("apps", "daemonsets", "default", "web",
               R"({"metadata":{"finalizers":["example.com/hold"]}})");
  world_.remove("apps", "daemonsets", "default", "web");
  world_.remove("", "pods", "default", pod_on("n1"));
  world_.settle();
  EXPECT_EQ(where(), "");
}

}  // namespace
}  // namespace proa::controllers

#include "controllers/workload/deployment/history.h"

#include <gtest/gtest.h>

#include "controllers/workload/deployment/rollback.h"
#include "json/print.h"

namespace proa::controllers::deployments {
namespace {

json::Document parse(const std::string& json) {
  return api::Object::make(json)->document().value();
}

std::string annotated(const std::string& set, const std::string& deployment, int64_t revision,
                      bool changes) {
  json::Document metadata = parse(set);
  const json::Document annotations = parse(deployment);
  EXPECT_EQ(put_set_annotations(api::Edit(metadata), annotations.root(), revision), changes);
  return json::print(*metadata.root().find("annotations"));
}

TEST(PutSetAnnotations, CopiesAndCounts) {
  EXPECT_EQ(annotated("{}",
                      R"({"kubernetes.io/change-cause":"x",)"
                      R"("deployment.kubernetes.io/revision":"9",)"
                      R"("kubectl.kubernetes.io/last-applied-configuration":"{}"})",
                      2, true),
            R"({"kubernetes.io/change-cause":"x","deployment.kubernetes.io/revision":"2"})");
  // What it has it keeps; a revision never goes back.
  EXPECT_EQ(annotated(R"({"annotations":{"a":"b","deployment.kubernetes.io/revision":"4"}})",
                      R"({"a":"b"})", 3, false),
            R"({"a":"b","deployment.kubernetes.io/revision":"4"})");
}

TEST(PutSetAnnotations, RemembersRevisionsThatWereGoneBackTo) {
  EXPECT_EQ(
      annotated(R"({"annotations":{"deployment.kubernetes.io/revision":"1"}})", "{}", 3, true),
      R"({"deployment.kubernetes.io/revision":"3",)"
      R"("deployment.kubernetes.io/revision-history":"1"})");
  EXPECT_EQ(annotated(R"({"annotations":{"deployment.kubernetes.io/revision":"3",)"
                      R"("deployment.kubernetes.io/revision-history":"1"}})",
                      "{}", 5, true),
            R"({"deployment.kubernetes.io/revision":"5",)"
            R"("deployment.kubernetes.io/revision-history":"1,3"})");
  std::string long_history = "100";
  while (long_history.size() < 1998) long_history += ",100";
  const std::string after =
      annotated(R"({"annotations":{"deployment.kubernetes.io/revision":"200",)"
                R"("deployment.kubernetes.io/revision-history":")" +
                    long_history + R"("}})",
                "{}", 201, true);
  EXPECT_TRUE(after.ends_with(",200\"}"));
  EXPECT_LT(after.size(), 2100u);
}

Sets make_sets(const std::vector<int64_t>& revisions) {
  Sets sets;
  for (const int64_t revision : revisions) {
    OwnedSet set;
    set.facts.replicas = 0;
    set.facts.observed = true;
    set.facts.revision = revision;
    sets.all.push_back(set);
  }
  sets.newest = revisions.size() - 1;
  return sets;
}

TEST(Revisions, AreFoundAmongSets) {
  EXPECT_EQ(last_old_revision(make_sets({2, 7, 3, 9})), 7);
  EXPECT_EQ(last_old_revision(make_sets({9})), 0);
  EXPECT_EQ(revision_before_last(make_sets({2, 7, 3, 9})), 7);
  EXPECT_EQ(revision_before_last(make_sets({9, 7})), 7);
  EXPECT_EQ(revision_before_last(make_sets({9})), 0);
}

TEST(PlanRollback, FindsTheRevisionThatIsMeant) {
  struct Case {
    int64_t revision;
    std::vector<int64_t> sets;
    std::optional<size_t> set;
    std::string_view reason;
  };
  for (const Case& c : std::vector<Case>{
           {7, {2, 7, 9}, 1, "DeploymentRollback"},
           {0, {2, 7, 9}, 1, "DeploymentRollback"},
           {9, {2, 7, 9}, std::nullopt, "DeploymentRollbackTemplateUnchanged"},
           {4, {2, 7, 9}, std::nullopt, "DeploymentRollbackRevisionNotFound"},
           {0, {1}, std::nullopt, "DeploymentRollbackRevisionNotFound"},
       }) {
    DeploymentFacts deployment;
    deployment.rollback_to = c.revision;
    const Rollback plan = plan_rollback(deployment, make_sets(c.sets), "web");
    EXPECT_EQ(plan.set, c.set);
    EXPECT_EQ(plan.reason, c.reason);
  }
}

TEST(SetsToForget, AreTheOldestRevisionsWithoutPods) {
  DeploymentFacts deployment;
  Sets sets = make_sets({5, 1, 2, 4, 6});
  EXPECT_TRUE(sets_to_forget(deployment, sets).empty());
  deployment.history_limit = 4;
  EXPECT_TRUE(sets_to_forget(deployment, sets).empty());
  deployment.history_limit = 2;
  EXPECT_EQ(sets_to_forget(deployment, sets), (std::vector<size_t>{1, 2}));
  sets.all[1].facts.current = 1;  // still has a pod
  EXPECT_EQ(sets_to_forget(deployment, sets), (std::vector<size_t>{2}));
  sets.all[2].facts.observed = false;
  EXPECT_TRUE(sets_to_forget(deployment, sets).empty());
  deployment.history_limit = 0;
  EXPECT_EQ(sets_to_forget(deployment, sets), (std::vector<size_t>{3, 0}));
  sets.all[0].facts.being_deleted = true;
  EXPECT_EQ(sets_to_forget(deployment, sets), (std::vector<size_t>{3}));
}

TEST(TakeTemplateOf, BringsTemplateAndAnnotationsBack) {
  json::Document deployment =
      parse(R"({"metadata":{"annotations":{"deployment.kubernetes.io/revision":"2","cause":"new",)"
            R"("gone":"x","deprecated.deployment.rollback.to":"1"}},)"
            R"("spec":{"replicas":1,"template":{"spec":{"a":2}}}})");
  const json::Document set = parse(
      R"({"metadata":{"annotations":{"deployment.kubernetes.io/revision":"1","cause":"old"}},)"
      R"("spec":{"template":{"metadata":{"labels":{"l":"m","pod-template-hash":"x"}},)"
      R"("spec":{"a":1}}}})");
  take_template_of(api::Edit(deployment), set.root());
  clear_rollback(api::Edit(deployment));
  EXPECT_EQ(json::print(deployment.root()),
            R"({"metadata":{"annotations":{"deployment.kubernetes.io/revision":"2",)"
            R"("cause":"old"}},"spec":{"replicas":1,"template":{"metadata":{"labels":)"
            R"({"l":"m"}},"spec":{"a":1}}}})");
}

}  // namespace
}  // namespace proa::controllers::deployments

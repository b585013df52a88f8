#include "controllers/workload/job/round.h"

#include <algorithm>

#include "api/object/view.h"
#include "controllers/workload/job/pod_template.h"
#include "testkit/controllers/job_world.h"

namespace proa::controllers::jobs {
namespace {

using std::chrono::seconds;

TEST(IndexedNamePrefix, LeavesRoomForWhatIsAppended) {
  EXPECT_EQ(indexed_name_prefix("work", 7), "work-7-");
  const std::string name(63, 'a');
  EXPECT_EQ(indexed_name_prefix(name, 12345), std::string(51, 'a') + "-12345-");
}

class RoundTest : public testkit::JobWorld {
 protected:
  std::string annotation(const std::string& pod, std::string_view key) {
    const json::Document document = world_.get("", "pods", "default", pod)->document().value();
    return std::string(api::View(document.root())["metadata"]["annotations"][key].text());
  }
  std::vector<int64_t> active_indexes() {
    std::vector<int64_t> indexes;
    for (const api::ObjectPtr& pod : pods()) {
      if (job_pod(*pod).active()) indexes.push_back(job_pod(*pod).index.value_or(-1));
    }
    std::sort(indexes.begin(), indexes.end());
    return indexes;
  }
};

using Ints = std::vector<int64_t>;

TEST_F(RoundTest, PodsOfAnIndexedJobKnowTheirIndex) {
  create_job(R"("completions":3,"parallelism":2,"completionMode":"Indexed",)");
  EXPECT_EQ(active_indexes(), (Ints{0, 1}));
  const json::Document document =
      world_.get("", "pods", "default", active_at(1))->document().value();
  const api::View pod = document.root();
  EXPECT_TRUE(pod["metadata"]["name"].text().starts_with("work-1-"));
  EXPECT_EQ(pod["metadata"]["labels"][kIndexKey].text(), "1");
  EXPECT_EQ(pod["metadata"]["annotations"][kIndexKey].text(), "1");
  EXPECT_EQ(pod["spec"]["hostname"].text(), "work-1");
  const api::View variable = pod["spec"]["containers"].item(0)["env"].item(0);
  EXPECT_EQ(variable["name"].text(), "JOB_COMPLETION_INDEX");
  EXPECT_EQ(variable["valueFrom"]["fieldRef"]["fieldPath"].text(),
            "metadata.labels['batch.kubernetes.io/job-completion-index']");

  end_pod(active_at(1), 0);
  world_.settle();
  EXPECT_EQ(status("completedIndexes"), "1");
  EXPECT_EQ(active_indexes(), (Ints{0, 2}));
  expect_at_rest();
  end_all(0);
  EXPECT_EQ(status("completedIndexes"), "0-2");
  EXPECT_EQ(status("failedIndexes"), "-");
  expect_complete();
}

TEST_F(RoundTest, AFailedIndexIsTriedAgain) {
  create_job(R"("completions":2,"parallelism":2,"completionMode":"Indexed",)");
  end_pod(active_at(0), 1);
  world_.pass(seconds(10));
  EXPECT_EQ(active_indexes(), (Ints{0, 1}));
  end_all(0);
  EXPECT_EQ(counts(), "active=0 ready=0 terminating=0 succeeded=2 failed=1");
  expect_complete();
}

TEST_F(RoundTest, AnIndexedJobGrowsAndShrinks) {
  create_job(R"("completions":4,"parallelism":4,"completionMode":"Indexed",)");
  end_pod(active_at(3), 0);
  end_pod(active_at(0), 0);
  world_.settle();
  EXPECT_EQ(status("completedIndexes"), "0,3");
  patch_job(R"({"completions":2,"parallelism":2})");
  EXPECT_EQ(active_indexes(), Ints{1});
  EXPECT_EQ(status("completedIndexes"), "0");
  EXPECT_EQ(counts(), "active=1 ready=0 terminating=0 succeeded=1 failed=0");
  patch_job(R"({"completions":3,"parallelism":3})");
  EXPECT_EQ(active_indexes(), (Ints{1, 2}));
  end_all(0);
  expect_complete();
}

TEST_F(RoundTest, EachIndexHasALimit) {
  create_job(
      R"("completions":3,"parallelism":3,"completionMode":"Indexed","backoffLimitPerIndex":1,)");
  EXPECT_EQ(annotation(active_at(0), kFailuresKey), "0");
  const std::string first = active_at(0);
  end_pod(first, 1);
  world_.settle();
  // It stays until there is another one, which takes over how often its index has failed.
  EXPECT_EQ(counts(), "active=2 ready=0 terminating=0 succeeded=0 failed=0");
  world_.pass(seconds(10));
  EXPECT_EQ(annotation(active_at(0), kFailuresKey), "1");
  EXPECT_EQ(counts(), "active=3 ready=0 terminating=0 succeeded=0 failed=1");
  EXPECT_EQ(status("failedIndexes"), "");
  end_pod(active_at(0), 1);
  world_.pass(seconds(60));
  EXPECT_EQ(status("failedIndexes"), "0");
  EXPECT_EQ(active_indexes(), (Ints{1, 2}));
  EXPECT_EQ(condition("FailureTarget"), "");
  expect_at_rest();
  end_all(0);
  EXPECT_EQ(condition("Failed"), "True FailedIndexes: Job has failed indexes");
  EXPECT_EQ(counts(), "active=0 ready=0 terminating=0 succeeded=2 failed=2");
  EXPECT_EQ(status("completedIndexes"), "1,2");
}

TEST_F(RoundTest, TooManyFailedIndexesEndAJob) {
  create_job(
      R"("completions":4,"parallelism":4,"completionMode":"Indexed","backoffLimitPerIndex":0,)"
      R"("maxFailedIndexes":1,)");
  end_pod(active_at(2), 1);
  world_.settle();
  EXPECT_EQ(active_indexes(), (Ints{0, 1, 3}));
  end_pod(active_at(0), 1);
  world_.settle();
  EXPECT_EQ(condition("Failed"),
            "True MaxFailedIndexesExceeded: Job has exceeded the specified maximal number of "
            "failed indexes");
  EXPECT_EQ(status("failedIndexes"), "0,2");
  EXPECT_EQ(counts(), "active=0 ready=0 terminating=0 succeeded=0 failed=4");
}

TEST_F(RoundTest, ASuccessPolicyEndsAJobEarly) {
  create_job(R"("completions":4,"parallelism":4,"completionMode":"Indexed",)"
             R"("successPolicy":{"rules":[{"succeededIndexes":"0,2","succeededCount":1}]},)");
  end_pod(active_at(1), 0);
  world_.settle();
  EXPECT_EQ(condition("SuccessCriteriaMet"), "");
  world_.clock().advance(seconds(1));
  end_pod(active_at(2), 0);
  world_.settle();
  for (const char* type : {"SuccessCriteriaMet", "Complete"}) {
    EXPECT_EQ(condition(type), "True SuccessPolicy: Matched rules at index 0");
  }
  // What was stopped has not failed.
  EXPECT_EQ(counts(), "active=0 ready=0 terminating=0 succeeded=2 failed=0");
  EXPECT_EQ(status("completedIndexes"), "1,2");
  EXPECT_TRUE(active().empty());
  expect_at_rest();
}

constexpr const char* kFailurePolicy =
    R"("podFailurePolicy":{"rules":[)"
    R"({"action":"FailJob","onExitCodes":{"operator":"In","values":[42]}},)"
    R"({"action":"Ignore","onPodConditions":[{"type":"DisruptionTarget","status":"True"}]},)"
    R"({"action":"Count","onExitCodes":{"operator":"In","values":[7]}}]},)";

TEST_F(RoundTest, AFailurePolicyEndsAJob) {
  create_job(kFailurePolicy + std::string(R"("parallelism":2,)"));
  const std::string name = active()[0];
  end_pod(name, 42);
  world_.settle();
  for (const char* type : {"FailureTarget", "Failed"}) {
    EXPECT_EQ(condition(type), "True PodFailurePolicy: Container c for pod default/" + name +
                                   " failed with exit code 42 matching FailJob rule at index 0");
  }
  EXPECT_EQ(counts(), "active=0 ready=0 terminating=0 succeeded=0 failed=2");
}

TEST_F(RoundTest, AFailurePolicyIgnoresFailures) {
  create_job(kFailurePolicy + std::string(R"("backoffLimit":0,)"));
  set_pod(active()[0], "Failed", R"("conditions":[{"type":"DisruptionTarget","status":"True"}],)");
  world_.pass(seconds(20));
  EXPECT_EQ(counts(), "active=1 ready=0 terminating=0 succeeded=0 failed=0");
  EXPECT_EQ(tracked(), 1U);
  end_pod(active()[0], 7);
  world_.settle();
  EXPECT_EQ(condition("Failed"),
            "True BackoffLimitExceeded: Job has reached the specified backoff limit");
}

TEST_F(RoundTest, AFailurePolicyFailsAnIndexOrIgnoresItsFailure) {
  create_job(
      R"("completions":2,"parallelism":2,"completionMode":"Indexed","backoffLimitPerIndex":9,)"
      R"("podFailurePolicy":{"rules":[)"
      R"({"action":"FailIndex","onExitCodes":{"operator":"In","values":[42]}},)"
      R"({"action":"Ignore","onExitCodes":{"operator":"In","values":[43]}}]},)");
  end_pod(active_at(0), 42);
  end_pod(active_at(1), 43);
  world_.pass(seconds(10));
  EXPECT_EQ(status("failedIndexes"), "0");
  EXPECT_EQ(active_indexes(), Ints{1});
  EXPECT_EQ(annotation(active_at(1), kFailuresKey), "0");
  EXPECT_EQ(annotation(active_at(1), kIgnoredFailuresKey), "1");
  EXPECT_EQ(counts(), "active=1 ready=0 terminating=0 succeeded=0 failed=1");
}

}  // namespace
}  // namespace proa::controllers::jobs

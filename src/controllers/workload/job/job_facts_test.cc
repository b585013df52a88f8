#include "controllers/workload/job/job_facts.h"

#include <gtest/gtest.h>

#include "json/print.h"

namespace proa::controllers::jobs {
namespace {

JobFacts read(const std::string& spec, const std::string& status = "") {
  return job_facts(*api::Object::make(
      R"({"kind":"Job","apiVersion":"batch/v1","metadata":{"name":"j","namespace":"ns"},"spec":{)" +
      spec + R"(},"status":{)" + status + "}}"));
}

TEST(JobFacts, TellWhoseJobItIs) {
  EXPECT_FALSE(read("").spec.managed_elsewhere);
  EXPECT_FALSE(read(R"("managedBy":"kubernetes.io/job-controller")").spec.managed_elsewhere);
  EXPECT_TRUE(read(R"("managedBy":"example.com/other")").spec.managed_elsewhere);
}

TEST(JobFacts, WithAFailurePolicyOnlyFailedPodsAreReplaced) {
  EXPECT_FALSE(read(R"("podReplacementPolicy":"TerminatingOrFailed")").spec.replaces_only_failed);
  EXPECT_TRUE(read(R"("podReplacementPolicy":"Failed")").spec.replaces_only_failed);
  EXPECT_TRUE(read(R"("podFailurePolicy":{"rules":[]})").spec.replaces_only_failed);
}

TEST(JobFacts, TellHowItEnds) {
  const auto condition = [](const std::string& type, const std::string& status) {
    return R"("conditions":[{"type":")" + type + R"(","status":")" + status +
           R"(","reason":"r","message":"m","lastTransitionTime":"2026-01-02T10:00:00Z"}])";
  };
  EXPECT_EQ(read("", condition("FailureTarget", "True")).ending, (End{false, "r", "m"}));
  EXPECT_EQ(read("", condition("SuccessCriteriaMet", "True")).ending, (End{true, "r", "m"}));
  EXPECT_EQ(read("", condition("SuccessCriteriaMet", "False")).ending, std::nullopt);
  EXPECT_EQ(read("", condition("Failed", "True")).finished, "Failed");
  EXPECT_EQ(read("", condition("Failed", "False")).finished, "");
  EXPECT_EQ(format_time(*read("", condition("Complete", "True")).finished_at),
            "2026-01-02T10:00:00Z");
}

TEST(PutStatus, WritesWhatWasRead) {
  for (const std::string text :
       {R"("ready":0,"terminating":0,"uncountedTerminatedPods":{})",
        R"("startTime":"2026-01-02T10:00:00Z","active":1,"ready":1,"terminating":0,"succeeded":2,)"
        R"("failed":3,"completedIndexes":"0-2","failedIndexes":"",)"
        R"("uncountedTerminatedPods":{"succeeded":["a"],"failed":["b","c"]})"}) {
    json::Document document;
    document.root() = json::Value::object();
    put_status(api::Edit(document), read("", text).status);
    EXPECT_EQ(json::print(document.root()), "{" + text + "}");
  }
}

}  // namespace
}  // namespace proa::controllers::jobs

#include "controllers/workload/job/job_pod.h"

#include <gtest/gtest.h>

#include "api/object/object.h"

namespace proa::controllers::jobs {
namespace {

JobPod read(const std::string& metadata, const std::string& spec, const std::string& status) {
  const api::ObjectPtr pod = api::Object::make(
      R"({"kind":"Pod","apiVersion":"v1","metadata":{"name":"p","uid":"u",)"
      R"("creationTimestamp":"2026-01-02T10:00:00Z",)" +
      metadata + R"("namespace":"ns"},"spec":{)" + spec + R"(},"status":{)" + status + "}}");
  return job_pod(*pod);
}

std::string finished(const std::string& metadata, const std::string& spec,
                     const std::string& status) {
  return format_time(read(metadata, spec, status).finished_at).substr(11, 8);
}

std::string ended(const std::string& name, const std::string& time, int code = 0) {
  return R"({"name":")" + name + R"(","restartCount":2,"state":{"terminated":{"exitCode":)" +
         std::to_string(code) + R"(,"finishedAt":"2026-01-02T)" + time + "Z\"}}}";
}

TEST(JobPod, KnowsWhenItFinished) {
  const std::string failed = R"("phase":"Failed")";
  const std::string not_ready =
      R"(,"conditions":[{"type":"Ready","status":"False","lastTransitionTime":"2026-01-02T10:03:00Z"}])";
  const std::string deleted =
      R"("deletionTimestamp":"2026-01-02T10:05:00Z","deletionGracePeriodSeconds":30,)";
  const std::string containers =
      R"(,"containerStatuses":[)" + ended("a", "10:01:00") + "," + ended("b", "10:02:00") + "]";
  const std::string running = R"(,"containerStatuses":[{"name":"a","state":{"running":{}}}])";
  const std::string sidecar = R"("initContainers":[{"name":"s","restartPolicy":"Always"}])";
  EXPECT_EQ(finished("", "", failed), "10:00:00");
  EXPECT_EQ(finished(deleted, "", failed), "10:04:30");
  EXPECT_EQ(finished(deleted, "", failed + not_ready), "10:03:00");
  EXPECT_EQ(finished("", "", failed + not_ready + running), "10:03:00");
  EXPECT_EQ(finished(deleted, "", failed + not_ready + containers), "10:02:00");
  const std::string init = R"(,"initContainerStatuses":[)" + ended("s", "10:02:30") + "]";
  EXPECT_EQ(finished("", "", failed + containers + init), "10:02:00");
  EXPECT_EQ(finished("", sidecar, failed + containers + init), "10:02:30");
}

TEST(JobPod, KnowsWhatItsContainersDid) {
  const JobPod pod = read("", "",
                          R"("phase":"Failed","initContainerStatuses":[)" +
                              ended("i", "10:00:01", 3) + R"(],"containerStatuses":[)" +
                              ended("a", "10:00:02") + "," + ended("b", "10:00:03", 7) + "]");
  EXPECT_EQ(pod.exits, (std::vector<JobPod::Exit>{{"b", 7}, {"i", 3}}));
  EXPECT_EQ(pod.restarts, 6);
}

TEST(JobPod, WhatAnnotationsSayMayMakeNoSense) {
  struct Case {
    const char* value;
    std::optional<int64_t> index;
    int64_t failures;
  };
  for (const Case& c : {Case{"7", 7, 7},
                        {"-1", std::nullopt, 0},
                        {"x", std::nullopt, 0},
                        {"99999999999", 99999999999, 0}}) {
    SCOPED_TRACE(c.value);
    const std::string value = c.value;
    const JobPod pod =
        read(R"("annotations":{"batch.kubernetes.io/job-completion-index":")" + value +
                 R"(","batch.kubernetes.io/job-index-failure-count":")" + value + "\"},",
             "", "");
    EXPECT_EQ(pod.index, c.index);
    EXPECT_EQ(pod.failures, c.failures);
  }
}

TEST(JobPod, IsTheSameWhateverDoesNotMatter) {
  const std::string scheduled = R"("conditions":[{"type":"PodScheduled","status":"True"}])";
  EXPECT_EQ(read("", "", ""), read("", R"("nodeName":"n")", scheduled));
  EXPECT_FALSE(read("", "", "") ==
               read(R"("finalizers":["batch.kubernetes.io/job-tracking"],)", "", ""));
}

}  // namespace
}  // namespace proa::controllers::jobs

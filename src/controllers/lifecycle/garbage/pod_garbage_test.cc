#include "controllers/lifecycle/garbage/pod_garbage.h"

#include <gtest/gtest.h>

namespace proa::controllers {
namespace {

api::ObjectPtr finished_pod(std::string_view name, int hour, std::string_view phase,
                            std::string_view reason = "") {
  std::string json = R"({"metadata":{"name":")" + std::string(name) +
                     R"(","creationTimestamp":"2026-01-01T0)" + std::to_string(hour) +
                     R"(:00:00Z"},"status":{"phase":")" + std::string(phase) + "\"";
  if (!reason.empty()) json += R"(,"reason":")" + std::string(reason) + "\"";
  return api::Object::make(json + "}}");
}

TEST(SurplusOf, EvictedOnesGoFirstThenTheOldest) {
  const api::ObjectPtr a = finished_pod("a", 1, "Failed");
  const api::ObjectPtr b = finished_pod("b", 2, "Succeeded");
  const api::ObjectPtr b2 = finished_pod("b2", 2, "Failed");
  const api::ObjectPtr c = finished_pod("c", 3, "Failed", "Evicted");
  const api::ObjectPtr d = finished_pod("d", 0, "Succeeded", "Evicted");  // was not
  struct Case {
    const char* name;
    std::vector<api::ObjectPtr> pods;
    size_t most;
    std::vector<api::ObjectPtr> surplus;
  };
  const Case cases[] = {
      {"none", {}, 1, {}},
      {"few enough", {a, b}, 2, {}},
      {"oldest", {b, a}, 1, {a}},
      {"by name when of one age", {b2, b, a}, 1, {a, b}},
      {"evicted", {a, b, c}, 1, {c, a}},
      {"evicted means failed", {a, d}, 1, {d}},
      {"evicted before older ones", {d, c}, 1, {c}},
      {"all", {a, b}, 0, {a, b}},
  };
  for (const Case& one : cases) {
    SCOPED_TRACE(one.name);
    EXPECT_EQ(surplus_of(one.pods, one.most), one.surplus);
  }
}

TEST(SketchOf, ReadsWhatMatters) {
  struct Case {
    const char* name;
    const char* pod;
    const char* node;
    bool finished;
    bool being_deleted;
    bool has_grace;
  };
  const Case cases[] = {
      {"new", R"({"metadata":{"name":"a"},"spec":{},"status":{"phase":"Pending"}})", "", false,
       false, false},
      {"bound", R"({"metadata":{"name":"a"},"spec":{"nodeName":"n"},"status":{"phase":"Running"}})",
       "n", false, false, false},
      {"done", R"({"metadata":{"name":"a"},"spec":{"nodeName":"n"},"status":{"phase":"Failed"}})",
       "n", true, false, false},
      {"going",
       R"({"metadata":{"name":"a","deletionTimestamp":"2026-01-01T00:00:00Z",)"
       R"("deletionGracePeriodSeconds":30},"spec":{"nodeName":"n"},"status":{}})",
       "n", false, true, true},
      {"out of time",
       R"({"metadata":{"name":"a","deletionTimestamp":"2026-01-01T00:00:00Z",)"
       R"("deletionGracePeriodSeconds":0},"spec":{},"status":{"phase":"Succeeded"}})",
       "", true, true, false},
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(c.name);
    const api::ObjectPtr pod = api::Object::make(c.pod);
    const PodSketch sketch = sketch_of(*pod);
    EXPECT_EQ(sketch.node, c.node);
    EXPECT_EQ(sketch.finished(), c.finished);
    EXPECT_EQ(sketch.being_deleted, c.being_deleted);
    EXPECT_EQ(sketch.has_grace, c.has_grace);
  }
}

TEST(IsOutOfService, NeedsTheTaintAndANodeThatIsNotReady) {
  struct Case {
    const char* name;
    const char* spec;
    const char* ready;
    bool out;
  };
  const char* const taint =
      R"({"taints":[{"key":"a"},{"key":"node.kubernetes.io/out-of-service"}]})";
  const Case cases[] = {
      {"neither", "{}", "True", false},
      {"not ready", R"({"taints":[{"key":"node.kubernetes.io/not-ready"}]})", "False", false},
      {"tainted, but ready", taint, "True", false},
      {"both", taint, "False", true},
      {"silent", taint, "Unknown", true},
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(c.name);
    const api::ObjectPtr node = api::Object::make(
        R"({"metadata":{"name":"n"},"spec":)" + std::string(c.spec) +
        R"(,"status":{"conditions":[{"type":"Ready","status":")" + c.ready + R"("}]}})");
    EXPECT_EQ(is_out_of_service(*node), c.out);
  }
}

TEST(FailedPatch, SaysWhyWhenTheNodeIsGone) {
  const Time now = parse_time("2026-01-02T00:00:00Z").value();
  const api::ObjectPtr pod = api::Object::make(
      R"({"metadata":{"name":"a","uid":"u","generation":2},"spec":{},"status":{"phase":"Running"}})");
  EXPECT_EQ(failed_patch(*pod, false, now),
            R"({"metadata":{"uid":"u"},"status":{"phase":"Failed","observedGeneration":2}})");
  EXPECT_EQ(
      failed_patch(*pod, true, now),
      R"({"metadata":{"uid":"u"},"status":{"phase":"Failed","observedGeneration":2,)"
      R"("conditions":[{"type":"DisruptionTarget","lastTransitionTime":"2026-01-02T00:00:00Z",)"
      R"("status":"True","reason":"DeletionByPodGC","message":"PodGC: node no longer exists",)"
      R"("observedGeneration":2}]}})");
}

TEST(FailedPatch, KeepsTheTimeOfAConditionThatHolds) {
  const api::ObjectPtr pod = api::Object::make(
      R"({"metadata":{"name":"a","uid":"u","generation":1},"spec":{},"status":{"conditions":[)"
      R"({"type":"Ready","status":"True"},{"type":"DisruptionTarget","status":"True",)"
      R"("reason":"EvictionByEvictionAPI","lastTransitionTime":"2025-01-01T00:00:00Z"}]}})");
  const std::string patch = failed_patch(*pod, true, parse_time("2026-01-02T00:00:00Z").value());
  EXPECT_NE(patch.find("2025-01-01"), std::string::npos) << patch;
  EXPECT_NE(patch.find("DeletionByPodGC"), std::string::npos) << patch;
  EXPECT_EQ(patch.find("Ready"), std::string::npos) << patch;
}

}  // namespace
}  // namespace proa::controllers

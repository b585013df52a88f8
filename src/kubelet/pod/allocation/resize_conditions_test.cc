#include "kubelet/pod/allocation/resize_conditions.h"

#include <gtest/gtest.h>

namespace proa::kubelet {
namespace {

PodPtr read(const std::string& text) {
  return *Pod::read(api::Object::make(text), Pod::Source::kApi);
}

TEST(ResizeMessage, IsUpstreamsText) {
  const PodPtr pod = read(R"({"metadata":{"name":"a"},"spec":{"initContainers":[{"name":"i"}],)"
                          R"("containers":[{"name":"c","image":"x","resources":{"requests":)"
                          R"({"cpu":"1"},"limits":{"cpu":"2"}}}]}})");
  EXPECT_EQ(resize_message("started", *pod, 3, ""),
            R"(Pod resize started: {"initContainers":[{"name":"i","resources":{}}],"containers":)"
            R"([{"name":"c","resources":{"limits":{"cpu":"2"},"requests":{"cpu":"1"}}}],)"
            R"("generation":3})");
  EXPECT_EQ(resize_message("OutOfcpu", *read(R"({"spec":{"containers":[{"name":"c"}]}})"), 3, "no"),
            R"(Pod resize OutOfcpu: {"containers":[{"name":"c","resources":{}}],"generation":3,)"
            R"("error":"no"})");
}

TEST(ResizeConditions, AreReadFromAStatus) {
  const PodPtr pod = read(
      R"({"status":{"conditions":[{"type":"PodResizePending","status":"True","reason":"Deferred",)"
      R"("message":"full","observedGeneration":4,"lastTransitionTime":"2026-01-02T12:00:00Z"},)"
      R"({"type":"PodResizeInProgress","status":"False"}]}})");
  const ResizeConditions found = read_resize_conditions(pod->status());
  ASSERT_TRUE(found.pending);
  EXPECT_EQ(*found.pending, (ResizeCondition{.reason = "Deferred",
                                             .message = "full",
                                             .generation = 4,
                                             .since = *parse_time("2026-01-02T12:00:00Z")}));
  EXPECT_FALSE(found.in_progress);
}

}  // namespace
}  // namespace proa::kubelet

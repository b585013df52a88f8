#include "kubelet/pod/allocation/allocation.h"

#include <gtest/gtest.h>

#include "json/print.h"

namespace proa::kubelet {
namespace {

// `generation` and `status` as the API has them.
PodPtr pod_with(const std::string& resources, const std::string& generation = "1",
                const std::string& status = "{}", const std::string& more_spec = {}) {
  return *Pod::read(
      api::Object::make(R"({"metadata":{"name":"a","generation":)" + generation +
                        R"(},"spec":{"containers":[{"name":"c","image":"i",)"
                        R"("resources":)" +
                        resources + "}]" + more_spec + R"(},"status":)" + status + "}"),
      Pod::Source::kApi);
}
std::string resources_of(const Pod& pod) {
  const api::View resources = pod.spec()["containers"].item(0)["resources"];
  return resources ? json::print(*resources.value()) : "";
}
std::string told(const std::string& generation, const std::string& conditions = {}) {
  return R"({"observedGeneration":)" + generation + R"(,"conditions":[)" + conditions +
         R"(],"containerStatuses":[{"name":"c","allocatedResources":{"cpu":"100m"},)"
         R"("resources":{"requests":{"cpu":"100m"},"limits":{"cpu":"200m","memory":"1Mi"}}}]})";
}
const std::string kWanted = R"({"requests":{"cpu":"1","gpu":"1"},"limits":{"cpu":"2","gpu":"1"}})";

TEST(Allocation, ComparesAmountsAndNotTheirTexts) {
  const PodPtr pod = pod_with(R"({"requests":{"cpu":"1","memory":"1Mi"}})");
  EXPECT_TRUE(
      has_same_resources(*pod, *pod_with(R"({"requests":{"memory":"1024Ki","cpu":"1000m"}})")));
  EXPECT_FALSE(has_same_resources(*pod, *pod_with(R"({"requests":{"cpu":"1"}})")));
  EXPECT_FALSE(has_same_resources(*pod, *pod_with("{}")));
  EXPECT_FALSE(has_same_resources(
      *pod, *pod_with(R"({"requests":{"cpu":"1","memory":"1Mi"},"limits":{"cpu":"1"}})")));
  EXPECT_FALSE(has_same_resources(*pod_with("{}"), *pod_with("{}", "1", "{}",
                                                             R"(,"resources":)"
                                                             R"({"limits":{"cpu":"1"}})")));
}

TEST(Allocation, TakesResourcesAndNothingElse) {
  const PodPtr given = pod_with(R"({"requests":{"cpu":"1"}})");
  const PodPtr wanted = pod_with(R"({"requests":{"cpu":"2"}})", "2", R"({"phase":"Running"})");
  const PodPtr both = with_resources_of(wanted, *given);
  EXPECT_EQ(resources_of(*both), R"({"requests":{"cpu":"1"}})");
  EXPECT_EQ(both->generation(), 2);
  EXPECT_EQ(both->status()["phase"].text(), "Running");
  EXPECT_EQ(both->uid(), wanted->uid());
  EXPECT_EQ(with_resources_of(wanted, *wanted), wanted);
}

TEST(Allocation, CountsWhateverIsMore) {
  const PodPtr pod = pod_with(R"({"requests":{"cpu":"1","memory":"2Mi"},"limits":{"cpu":"1"}})");
  const PodPtr other =
      pod_with(R"({"requests":{"cpu":"500m","memory":"3Mi"},"limits":{"cpu":"4"}})");
  EXPECT_EQ(resources_of(*with_larger_requests(pod, *other)),
            R"({"requests":{"cpu":"1","memory":"3Mi"},"limits":{"cpu":"1"}})");
}

TEST(AllocatedByStatus, IsTheSpecWhereThatWasSeenAndNotPutOff) {
  for (const std::string& status : {std::string("{}"), told("2")}) {
    SCOPED_TRACE(status);
    const PodPtr pod = pod_with(kWanted, "2", status);
    EXPECT_EQ(allocated_by_status(pod), pod);
  }
}

TEST(AllocatedByStatus, IsWhatWasToldBefore) {
  const std::string put_off = R"({"type":"PodResizePending","status":"True"})";
  for (const std::string& status : {told("1"), told("2", put_off)}) {
    SCOPED_TRACE(status);
    // Other resources than processors and memory can't be resized.
    EXPECT_EQ(
        resources_of(*allocated_by_status(pod_with(kWanted, "2", status))),
        R"({"requests":{"cpu":"100m","gpu":"1"},"limits":{"cpu":"200m","gpu":"1","memory":"1Mi"}})");
  }
}

TEST(AllocatedByStatus, KnowsWhatThePodHasAsAWhole) {
  const PodPtr pod = pod_with(
      "{}", "2",
      R"({"observedGeneration":1,"allocatedResources":{"cpu":"1100m"},"resources":)"
      R"({"limits":{"cpu":"2100m"}}})",
      R"(,"overhead":{"cpu":"100m"},"resources":{"requests":{"cpu":"3"},"limits":{"cpu":"4"}})");
  const PodPtr before = allocated_by_status(pod);
  EXPECT_EQ(json::print(*before->spec()["resources"].value()),
            R"({"requests":{"cpu":"1"},"limits":{"cpu":"2"}})");
}

}  // namespace
}  // namespace proa::kubelet

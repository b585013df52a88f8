#include "kubelet/pod/allocation/resize_plan.h"

#include <gtest/gtest.h>

namespace proa::kubelet {
namespace {

std::string container(const std::string& name, int64_t cpu, int64_t memory,
                      const std::string& more = {}) {
  const std::string amounts =
      R"({"cpu":")" + std::to_string(cpu) + R"(m","memory":")" + std::to_string(memory) + R"("})";
  return R"({"name":")" + name + R"(","resources":{"requests":)" + amounts + R"(,"limits":)" +
         amounts + "}" + more + "}";
}
PodPtr pod_of(const std::string& containers, const std::string& more = {}) {
  return *Pod::read(api::Object::make(R"({"metadata":{"name":"a"},"spec":{"containers":[)" +
                                      containers + "]" + more + "}}"),
                    Pod::Source::kApi);
}
ContainerBounds same(int64_t cpu, int64_t memory) { return {cpu, cpu, memory, memory}; }

cri::RuntimePod running(const std::vector<std::string>& names) {
  cri::RuntimePod pod;
  for (const std::string& name : names) {
    cri::Container& made = pod.containers.emplace_back();
    made.id = name + "-id";
    made.name = name;
    made.state = cri::ContainerState::kRunning;
  }
  return pod;
}

// "restart a; memory b c; cpu c"
std::string text(const ResizePlan& plan) {
  std::string made = "restart";
  for (const std::string& id : plan.restart) made += " " + id;
  made += "; memory";
  for (const auto& update : plan.memory) made += " " + update.id;
  made += "; cpu";
  for (const auto& update : plan.cpu) made += " " + update.id;
  return made;
}

TEST(PlanResize, FindsWhatDiffers) {
  const PodPtr pod = pod_of(container("a", 100, 100) + "," + container("b", 100, 100) + "," +
                            container("c", 100, 100) + "," + container("d", 100, 100));
  const BoundsOfContainers now = {{"a-id", same(100, 100)},
                                  {"b-id", same(50, 100)},
                                  {"c-id", same(100, 50)},
                                  {"d-id", {50, 100, 50, 100}}};
  EXPECT_EQ(text(plan_resize(*pod, running({"a", "b", "c", "d"}), now)),
            "restart; memory c-id d-id; cpu b-id d-id");
  EXPECT_TRUE(plan_resize(*pod, running({"a"}), now).empty());
}

TEST(PlanResize, LetsThoseGiveBackFirst) {
  const PodPtr pod = pod_of(container("a", 200, 100) + "," + container("b", 100, 200) + "," +
                            container("c", 100, 100));
  const BoundsOfContainers now = {
      {"a-id", same(100, 200)}, {"b-id", same(200, 100)}, {"c-id", {100, 0, 100, 0}}};
  EXPECT_EQ(text(plan_resize(*pod, running({"a", "b", "c"}), now)),
            "restart; memory a-id c-id b-id; cpu b-id c-id a-id");
}

TEST(PlanResize, RestartsWhereThePolicySaysSo) {
  const std::string policy = R"(,"resizePolicy":[{"resourceName":"memory","restartPolicy":)"
                             R"("RestartContainer"},{"resourceName":"cpu","restartPolicy":)"
                             R"("NotRequired"}])";
  const PodPtr pod = pod_of(container("a", 100, 100, policy) + "," +
                            container("b", 100, 100, policy) + "," + container("c", 100, 100));
  const BoundsOfContainers now = {// Its request alone is reason enough.
                                  {"a-id", {100, 100, 50, 100}},
                                  {"b-id", same(50, 100)},
                                  {"c-id", same(100, 50)}};
  EXPECT_EQ(text(plan_resize(*pod, running({"a", "b", "c"}), now)),
            "restart a-id; memory c-id; cpu b-id");
}

TEST(PlanResize, LeavesAloneWhatDoesNotRun) {
  const PodPtr pod = pod_of(container("a", 100, 100), R"(,"ephemeralContainers":[{"name":"e"}])");
  cri::RuntimePod ended = running({"a", "e"});
  ended.containers.front().state = cri::ContainerState::kExited;
  EXPECT_TRUE(plan_resize(*pod, ended, {{"a-id", same(1, 1)}, {"e-id", same(1, 1)}}).empty());
}

TEST(FindMemoryInUse, SaysWhatIsInTheWay) {
  EXPECT_EQ(find_memory_in_use({}), "");
  EXPECT_EQ(find_memory_in_use({{.container = "a", .limit = 10, .used = 9}}), "");
  EXPECT_EQ(find_memory_in_use({{.container = "a", .limit = 10, .used = 10}}),
            "cannot decrease memory limits: attempting to set container \"a\" memory limit (10) "
            "below current usage (10)");
  EXPECT_EQ(find_memory_in_use({{.limit = 10, .used = 11}, {.container = "b", .limit = 5}}),
            "cannot decrease memory limits: [attempting to set pod memory limit (10) below current "
            "usage (11), missing container \"b\" memory usage]");
}

}  // namespace
}  // namespace proa::kubelet

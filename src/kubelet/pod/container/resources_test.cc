#include "kubelet/pod/container/resources.h"

#include <gtest/gtest.h>

#include "kubelet/pod/container/container_config.h"
#include "testkit/kubelet/config_fixtures.h"

namespace proa::kubelet {
namespace {

using config_test::expect_is_message;
using config_test::expect_json;
using config_test::pod_of;

constexpr int64_t kMachine = 8'000'000'000;

TEST(ContainerResources, FollowTheSpec) {
  const struct {
    const char* name;
    const char* container;
    const char* spec;
    const char* expected;
  } cases[] = {
      {"nothing", "", "", R"({"cpu_period":100000,"cpu_shares":2,"oom_score_adj":1000})"},
      {"requests and limits",
       R"(,"resources":{"requests":{"cpu":"1","memory":"128M"},"limits":{"cpu":"2","memory":"256M"}})",
       "",
       R"({"cpu_period":100000,"cpu_quota":200000,"cpu_shares":1024,"memory_limit_in_bytes":256000000,
           "oom_score_adj":984})"},
      {"who bounds asks for as much", R"(,"resources":{"limits":{"cpu":"500m"}})", "",
       R"({"cpu_period":100000,"cpu_quota":50000,"cpu_shares":512,"oom_score_adj":999})"},
      {"a request of nothing is one",
       R"(,"resources":{"requests":{"cpu":"0"},"limits":{"cpu":"1"}})", "",
       R"({"cpu_period":100000,"cpu_quota":100000,"cpu_shares":2,"oom_score_adj":999})"},
      {"the pod bounds who has no bound", R"(,"resources":{"limits":{"cpu":"500m"}})",
       R"(,"resources":{"limits":{"cpu":"2","memory":"1G"}})",
       R"({"cpu_period":100000,"cpu_quota":50000,"cpu_shares":512,"memory_limit_in_bytes":1000000000,
           "oom_score_adj":999})"},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.name);
    const PodPtr pod = pod_of(c.container, c.spec);
    const auto made = make_container_resources(*pod, pod->spec()["containers"].item(0),
                                               {.memory_bytes = kMachine});
    ASSERT_TRUE(made.ok());
    expect_json(made->root(), c.expected);
    expect_is_message(made->root(), "LinuxContainerResources");
  }
}

TEST(ContainerResources, BoundHugePagesOfEverySize) {
  const PodPtr pod =
      pod_of(R"(,"resources":{"limits":{"hugepages-2Mi":"4Mi"}})",
             R"(,"resources":{"limits":{"hugepages-2Mi":"8Mi","hugepages-1Gi":"1Gi"}})");
  const MachineFacts machine{.memory_bytes = kMachine, .huge_page_sizes = {"1GB", "2MB", "64KB"}};
  const auto made = make_container_resources(*pod, pod->spec()["containers"].item(0), machine);
  expect_json(api::View(made->root())["hugepage_limits"],
              R"([{"page_size":"1GB","limit":1073741824},{"page_size":"2MB","limit":4194304},
                  {"page_size":"64KB"}])");
  expect_is_message(made->root(), "LinuxContainerResources");
}

TEST(ContainerResources, LeaveNoSwapToPods) {
  const PodPtr pod = pod_of(R"(,"resources":{"limits":{"memory":"100"}})");
  const struct {
    bool v2;
    bool swap;
    const char* unified;
    int64_t limit;
  } cases[] = {{false, false, "null", 0},
               {false, true, "null", 100},
               {true, false, R"({"memory.oom.group":"1"})", 0},
               {true, true, R"({"memory.oom.group":"1","memory.swap.max":"0"})", 0}};
  for (const auto& c : cases) {
    SCOPED_TRACE(testing::Message() << c.v2 << c.swap);
    const MachineFacts machine{.memory_bytes = kMachine, .cgroup_v2 = c.v2, .has_swap = c.swap};
    const auto made = make_container_resources(*pod, pod->spec()["containers"].item(0), machine);
    expect_json(api::View(made->root())["unified"], c.unified);
    EXPECT_EQ(api::View(made->root())["memory_swap_limit_in_bytes"].integer(), c.limit);
  }
}

TEST(SandboxResources, AreTheSumAndTheOverhead) {
  const PodPtr pod = config_test::make_pod(
      R"({"overhead":{"cpu":"100m","memory":"10M"},"containers":[
          {"name":"a","resources":{"requests":{"cpu":"1"},"limits":{"cpu":"2","memory":"100"}}},
          {"name":"b","resources":{"requests":{"cpu":"1"},"limits":{"cpu":"1","memory":"100"}}}]})");
  json::Document document(json::Arena(), json::Value::object());
  write_sandbox_resources(api::Edit(document), pod->spec(), false);
  expect_json(
      document.root(),
      R"({"resources":{"cpu_period":100000,"cpu_quota":300000,"cpu_shares":2048,"memory_limit_in_bytes":200},
                  "overhead":{"cpu_period":100000,"cpu_quota":10000,"cpu_shares":102,"memory_limit_in_bytes":10000000}})");
}

}  // namespace
}  // namespace proa::kubelet

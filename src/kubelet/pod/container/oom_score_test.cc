#include "kubelet/pod/container/oom_score.h"

#include <gtest/gtest.h>

#include "testkit/kubelet/config_fixtures.h"

namespace proa::kubelet {
namespace {

using config_test::make_pod;

constexpr int64_t kMachine = 8'000'000'000;

TEST(OomAdjustment, FollowsWhatContainersAskFor) {
  const struct {
    const char* name;
    const char* spec;
    std::vector<int64_t> expected;  // of all containers, init containers first
  } cases[] = {
      {"nothing", R"({"containers":[{"name":"a"}]})", {1000}},
      {"processors only",
       R"({"containers":[{"name":"a","resources":{"limits":{"cpu":"10m"}}}]})",
       {999}},
      {"guaranteed",
       R"({"containers":[{"name":"a","resources":{"requests":{"cpu":"5m","memory":"10G"},
           "limits":{"cpu":"5m","memory":"10G"}}}]})",
       {-997}},
      {"half of the machine",
       R"({"containers":[{"name":"a","resources":{"requests":{"cpu":"5m","memory":"4000000000"}}}]})",
       {500}},
      {"all of the machine",
       R"({"containers":[{"name":"a","resources":{"requests":{"memory":"7999999999"}}}]})",
       {3}},
      {"more than there is",
       R"({"containers":[{"name":"a","resources":{"requests":{"memory":"8E"}}}]})",
       {3}},
      {"critical for the cluster",
       R"({"priority":2000000000,"priorityClassName":"system-cluster-critical","containers":[{"name":"a"}]})",
       {1000}},
      {"critical for the node",
       R"({"priority":2000001000,"priorityClassName":"system-node-critical","containers":[{"name":"a"}]})",
       {-997}},
      {"a small sidecar is as safe as whom it serves",
       R"({"initContainers":[{"name":"s","restartPolicy":"Always","resources":{"requests":{"memory":"400M"}}}],
           "containers":[{"name":"a","resources":{"requests":{"memory":"1G"}}}]})",
       {875, 875}},
      {"a big one is safer",
       R"({"initContainers":[{"name":"s","restartPolicy":"Always","resources":{"requests":{"memory":"4G"}}}],
           "containers":[{"name":"a","resources":{"requests":{"memory":"1G"}}}]})",
       {500, 875}},
      {"an init container is not lifted",
       R"({"initContainers":[{"name":"s","resources":{"requests":{"memory":"400M"}}}],
           "containers":[{"name":"a","resources":{"requests":{"memory":"1G"}}}]})",
       {950, 875}},
      {"what only the pod asked for is shared",
       R"({"resources":{"requests":{"memory":"4G"}},"containers":[{"name":"a"},
           {"name":"b","resources":{"requests":{"memory":"2G"}}}]})",
       {875, 625}},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.name);
    const PodPtr pod = make_pod(c.spec);
    std::vector<int64_t> found;
    for (const ContainerSpec& container : containers_of(*pod))
      found.push_back(oom_adjustment(*pod, container.view, kMachine));
    EXPECT_EQ(found, c.expected);
  }
}

TEST(OomAdjustment, OfAStaticPodGoesByItsClassAlone) {
  const PodPtr pod =
      make_pod(R"({"priorityClassName":"system-node-critical","containers":[{"name":"a"}]})", {},
               Pod::Source::kFile);
  EXPECT_EQ(oom_adjustment(*pod, pod->spec()["containers"].item(0), kMachine), -997);
}

}  // namespace
}  // namespace proa::kubelet

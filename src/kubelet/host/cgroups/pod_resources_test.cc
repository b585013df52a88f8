#include "kubelet/host/cgroups/pod_resources.h"

#include <gtest/gtest.h>

#include "kubelet/host/cgroups/huge_pages.h"

namespace proa::kubelet {
namespace {

PodPtr make_pod(const std::string& spec, const std::string& status = "{}") {
  return *Pod::read(api::Object::make(R"({"metadata":{"name":"a","uid":"u"},"spec":)" + spec +
                                      R"(,"status":)" + status + "}"),
                    Pod::Source::kApi);
}

constexpr int64_t kMega = 1024 * 1024;

TEST(PodValues, FollowWhatThePodAsksFor) {
  const struct {
    const char* name;
    const char* spec;
    std::optional<int64_t> shares;
    std::optional<int64_t> quota;
    std::optional<int64_t> memory;
  } cases[] = {
      {"nothing", R"({"containers":[{"name":"a"}]})", 2, {}, {}},
      {"guaranteed",
       R"({"containers":[{"resources":{"requests":{"cpu":"100m","memory":"100Mi"},"limits":{"cpu":"100m","memory":"100Mi"}}}]})",
       102, 10000, 100 * kMega},
      {"requests only",
       R"({"containers":[{"resources":{"requests":{"cpu":"100m","memory":"100Mi"}}}]})",
       102,
       {},
       {}},
      {"both bounded",
       R"({"containers":[{"resources":{"requests":{"cpu":"100m"},"limits":{"cpu":"200m","memory":"200Mi"}}}]})",
       102, 20000, 200 * kMega},
      {"one of two is not bounded",
       R"({"containers":[{"resources":{"requests":{"cpu":"100m"},"limits":{"cpu":"200m","memory":"200Mi"}}},
          {"resources":{"requests":{"cpu":"100m"}}}]})",
       204,
       {},
       {}},
      {"memory of all, processors of one",
       R"({"containers":[{"resources":{"requests":{"cpu":"1"},"limits":{"cpu":"2","memory":"100Mi"}}},
          {"resources":{"limits":{"memory":"100Mi"}}}]})",
       1024,
       {},
       200 * kMega},
      {"an init container counts with the sidecars before it",
       R"({"containers":[{"resources":{"limits":{"cpu":"100m"}}}],
          "initContainers":[{"restartPolicy":"Always","resources":{"limits":{"cpu":"50m"}}},{"name":"i"}]})",
       2,
       15000,
       {}},
      {"an init container alone is not bounded",
       R"({"containers":[{"resources":{"limits":{"cpu":"100m"}}}],"initContainers":[{"name":"i"}]})",
       2,
       {},
       {}},
      {"of the whole pod",
       R"({"resources":{"requests":{"cpu":"500m"},"limits":{"cpu":"1","memory":"1Gi"}},"containers":[{"name":"a"}]})",
       512, 100000, 1024 * kMega},
      {"with overhead",
       R"({"overhead":{"cpu":"100m","memory":"50Mi"},
          "containers":[{"resources":{"requests":{"cpu":"100m"},"limits":{"memory":"100Mi"}}}]})",
       204,
       {},
       150 * kMega},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.name);
    const CgroupValues values = pod_values(*make_pod(c.spec), {});
    EXPECT_EQ(values.cpu_shares, c.shares);
    EXPECT_EQ(values.cpu_quota, c.quota);
    EXPECT_EQ(values.memory, c.memory);
    EXPECT_TRUE(values.huge_pages.empty());
  }
}

TEST(PodValues, BoundEverySizeOfHugePages) {
  const PodPtr pod =
      make_pod(R"({"containers":[{"resources":{"requests":{"cpu":"1","hugepages-2Mi":"4Mi"}}},)"
               R"({"resources":{"requests":{"hugepages-2Mi":"2Mi"}}}]})");
  const std::map<std::string, int64_t> expected{{"2MB", 6 * kMega}, {"1GB", 0}};
  EXPECT_EQ(pod_values(*pod, {"1GB", "2MB"}).huge_pages, expected);
}

TEST(QualityOfService, IsWhatTheApiServerWroteDown) {
  const char* spec = R"({"containers":[{"name":"a"}]})";
  EXPECT_EQ(quality_of_service(*make_pod(spec)), "BestEffort");
  EXPECT_EQ(quality_of_service(*make_pod(spec, R"({"qosClass":"Burstable"})")), "Burstable");
}

TEST(PodRequests, CountOverheadWhereAskedTo) {
  const PodPtr pod =
      make_pod(R"({"overhead":{"cpu":"1"},"containers":[{"resources":{"requests":{"cpu":"2"}}}]})");
  EXPECT_EQ(pod_requests(pod->spec(), Overhead::kCounted).at("cpu").value(), 3);
  EXPECT_EQ(pod_requests(pod->spec(), Overhead::kLeftOut).at("cpu").value(), 2);
}

TEST(HugePageLimits, AreByTheKernelsNames) {
  const struct {
    const char* name;
    std::map<std::string, int64_t> limits;
  } cases[] = {{"hugepages-64Ki", {{"64KB", 8}}},
               {"hugepages-1Gi", {{"1GB", 8}}},
               {"hugepages-1500", {}},
               {"hugepages-none", {}},
               {"memory", {}}};
  for (const auto& c : cases) {
    SCOPED_TRACE(c.name);
    EXPECT_EQ(huge_page_limits({{c.name, api::Quantity(8)}}), c.limits);
  }
}

}  // namespace
}  // namespace proa::kubelet

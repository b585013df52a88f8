#include "kubelet/pod/allocation/bounds.h"

#include <gtest/gtest.h>

namespace proa::kubelet {
namespace {

PodPtr pod_with(const std::string& resources, const std::string& more_spec = {},
                const std::string& told = {}) {
  return *Pod::read(
      api::Object::make(
          R"({"metadata":{"name":"a"},"spec":{"containers":[{"name":"c","resources":)" + resources +
          "}]" + more_spec +
          R"(},"status":{"containerStatuses":[{"name":"c","containerID":)"
          R"("containerd://id","resources":)" +
          (told.empty() ? "null" : told) + "}]}}"),
      Pod::Source::kApi);
}
const std::string kAll =
    R"({"requests":{"cpu":"250m","memory":"1Mi"},"limits":{"cpu":"1","memory":"2Mi"}})";
constexpr ContainerBounds kBounds{
    .cpu_request = 250, .cpu_limit = 1000, .memory_request = 1 << 20, .memory_limit = 2 << 20};

ContainerBounds found(const PodPtr& pod, const std::string& id,
                      std::optional<cri::ContainerResources> enforced) {
  cri::Container running{.id = id, .name = "c"};
  running.resources = enforced;
  return bounds_found(*pod, *find_container(*pod, "c"), running);
}

TEST(BoundsOf, AreThoseOfTheSpec) {
  const PodPtr pod = pod_with(kAll);
  EXPECT_EQ(bounds_of(*pod, find_container(*pod, "c")->view), kBounds);
  EXPECT_EQ(bounds_of(*pod_with("{}"), find_container(*pod_with("{}"), "c")->view),
            ContainerBounds());
}

TEST(BoundsOf, TakeLimitsOfThePodWhereThereAreNone) {
  const PodPtr pod = pod_with(R"({"limits":{"cpu":"1"}})",
                              R"(,"resources":{"limits":{"cpu":"2","memory":"5Mi"}})");
  EXPECT_EQ(bounds_of(*pod, find_container(*pod, "c")->view),
            (ContainerBounds{.cpu_limit = 1000, .memory_limit = 5 << 20}));
}

TEST(BoundsFound, AreWhatTheRuntimeEnforces) {
  const cri::ContainerResources same{
      .cpu_period = 100000, .cpu_quota = 100000, .cpu_shares = 256, .memory_limit = 2 << 20};
  EXPECT_EQ(found(pod_with(kAll), "id", same), kBounds);
  const cri::ContainerResources other{
      .cpu_period = 100000, .cpu_quota = 50000, .cpu_shares = 102, .memory_limit = 1 << 20};
  EXPECT_EQ(found(pod_with(kAll), "id", other), (ContainerBounds{.cpu_request = 100,
                                                                 .cpu_limit = 500,
                                                                 .memory_request = 1 << 20,
                                                                 .memory_limit = 1 << 20}));
  // What the kernel rounds is no difference.
  EXPECT_EQ(
      found(pod_with(R"({"requests":{"cpu":"1m"},"limits":{"cpu":"1m"}})"), "id",
            cri::ContainerResources{.cpu_period = 100000, .cpu_quota = 1000, .cpu_shares = 2}),
      (ContainerBounds{.cpu_request = 1, .cpu_limit = 1}));
}

TEST(BoundsFound, AreWhatWasToldOfThisContainer) {
  const std::string before = R"({"requests":{"cpu":"250m","memory":"512Ki"},"limits":)"
                             R"({"cpu":"1","memory":"2Mi"}})";
  ContainerBounds expected = kBounds;
  expected.memory_request = 512 << 10;
  EXPECT_EQ(found(pod_with(kAll, "", before), "id", std::nullopt), expected);
  EXPECT_EQ(found(pod_with(kAll, "", before), "another", std::nullopt), kBounds);
}

}  // namespace
}  // namespace proa::kubelet

#include "kubelet/model/pod.h"

#include <gtest/gtest.h>

namespace proa::kubelet {
namespace {

PodPtr read(std::string text, Pod::Source source = Pod::Source::kApi) {
  return *Pod::read(api::Object::make(std::move(text)), source);
}

TEST(Pod, TellsItsGraceAndWhenItWasDeleted) {
  const PodPtr alive = read(R"({"metadata":{"name":"web","namespace":"shop","uid":"1"},)"
                            R"("spec":{"terminationGracePeriodSeconds":7}})");
  EXPECT_EQ(alive->full_name(), "web_shop");
  EXPECT_EQ(alive->grace_seconds(), 7);
  EXPECT_FALSE(alive->deleted_at());
  const PodPtr deleted = read(
      R"({"metadata":{"name":"web","namespace":"shop","uid":"1","deletionGracePeriodSeconds":3,)"
      R"("deletionTimestamp":"2026-01-02T03:04:05Z"},"spec":{}})");
  EXPECT_EQ(deleted->grace_seconds(), 3);
  ASSERT_TRUE(deleted->deleted_at());
  EXPECT_EQ(format_time(*deleted->deleted_at()), "2026-01-02T03:04:05Z");
}

TEST(Pod, OfAFileIsNamedByTheHashOfIt) {
  const char* text =
      R"({"metadata":{"name":"web-node","namespace":"shop","uid":"1","annotations":{"kubernetes.io/config.hash":"abc"}}})";
  EXPECT_EQ(read(text, Pod::Source::kFile)->uid(), "abc");
  EXPECT_EQ(read(text)->uid(), "1");
}

TEST(Pod, HasItsContainersInOrder) {
  const PodPtr pod = read(
      R"({"metadata":{"name":"a"},"spec":{"containers":[{"name":"main"}],"initContainers":[{"name":"one"},)"
      R"({"name":"side","restartPolicy":"Always"}],"ephemeralContainers":[{"name":"debug"}]}})");
  const std::vector<ContainerSpec> found = containers_of(*pod);
  ASSERT_EQ(found.size(), 4u);
  EXPECT_EQ(found[0].kind, ContainerKind::kInit);
  EXPECT_EQ(found[1].kind, ContainerKind::kSidecar);
  EXPECT_EQ(found[2].kind, ContainerKind::kRegular);
  EXPECT_EQ(found[3].kind, ContainerKind::kEphemeral);
  EXPECT_EQ(find_container(*pod, "side")->index, 1u);
  EXPECT_FALSE(find_container(*pod, "none"));
}

}  // namespace
}  // namespace proa::kubelet

#include "kubelet/pod/volumes/local_volume_remover.h"

#include <gtest/gtest.h>

#include "json/parse.h"

namespace proa::kubelet {
namespace {

using Action = LocalVolumePlan::Action;

struct Volume {
  std::string name = "pvc-c1";
  std::string path = "/data/storage/pvc-c1";
  std::string node = "n1";
  std::string policy = "Delete";
  std::string finalizers = R"("proa.dev/local-path")";
  std::string phase = "Released";
  bool deleted = true;

  std::string json() const {
    return R"({"metadata":{"name":")" + name + "\"" +
           (deleted ? R"(,"deletionTimestamp":"2026-01-02T15:04:35Z")" : "") +
           R"(,"labels":{"proa.dev/local-path-node":")" + node +
           R"("},"annotations":{"pv.kubernetes.io/provisioned-by":"proa.dev/local-path",)"
           R"("proa.dev/local-path-node":")" +
           node + R"("},"finalizers":[)" + finalizers +
           R"(]},"spec":{"capacity":{"storage":"1Gi"},)"
           R"("accessModes":["ReadWriteOnce"],"persistentVolumeReclaimPolicy":")" +
           policy +
           R"(","claimRef":{"namespace":"d","name":"c","uid":"c1"},"nodeAffinity":)"
           R"({"required":{"nodeSelectorTerms":[{"matchExpressions":[{"key":"a","operator":)"
           R"("Exists"}]}]}},"local":{"path":")" +
           path + R"("}},"status":{"phase":")" + phase + "\"}}";
  }
};

LocalVolumePlan plan(const Volume& volume) {
  const json::Document document = json::parse(volume.json()).value();
  return plan_local_volume(document.root(), api::NodeNameView("n1"));
}

TEST(PlanLocalVolume, RemovesTheDirectoryOfADeletedVolume) {
  EXPECT_EQ(plan({}).action, Action::kRemove);
  EXPECT_EQ(plan({}).path, "/data/storage/pvc-c1");
}

TEST(PlanLocalVolume, LeavesVolumesThatAreInUseOrOfOthers) {
  EXPECT_EQ(plan({.deleted = false}).action, Action::kNone);
  EXPECT_EQ(plan({.node = "n2"}).action, Action::kNone);
  EXPECT_EQ(plan({.finalizers = ""}).action, Action::kNone);
  EXPECT_EQ(plan({.phase = "Bound"}).action, Action::kNone);
  EXPECT_EQ(plan({.finalizers = R"("kubernetes.io/pv-protection","proa.dev/local-path")"}).action,
            Action::kNone);
}

TEST(PlanLocalVolume, KeepsDataThatIsNotToBeDeleted) {
  EXPECT_EQ(plan({.policy = "Retain"}).action, Action::kRelease);
}

TEST(PlanLocalVolume, NeverRemovesADirectoryOfAnotherName) {
  for (const char* path : {"/", "/etc", "", "/data/../pvc-c1", "pvc-c1", "/data/pvc-c1/",
                           "/data/xpvc-c1", "/data/storage/pvc-c2"}) {
    SCOPED_TRACE(path);
    EXPECT_EQ(plan({.path = path}).action, Action::kRelease);
  }
  EXPECT_EQ(plan({.name = "etc", .path = "/etc"}).action, Action::kRelease);
}

}  // namespace
}  // namespace proa::kubelet

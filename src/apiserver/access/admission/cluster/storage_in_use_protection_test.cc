#include "apiserver/access/admission/cluster/storage_in_use_protection.h"

#include <gtest/gtest.h>

#include "apiserver/access/admission/cluster/plugin_case.h"

namespace proa::apiserver {
namespace {

struct Case {
  const char* group;
  const char* resource;
  const char* finalizer;
};

class StorageInUseProtectionTest : public testing::TestWithParam<Case> {
 protected:
  std::string finalizers_of(Operation operation, const std::string& object) {
    PluginCase change(operation, GetParam().group, GetParam().resource);
    EXPECT_EQ(words(change.object(object).admit(*plugin_)), "");
    std::string text;
    for (const api::View one : change.result()["metadata"]["finalizers"].items()) {
      text.append(one.text()) += " ";
    }
    return text;
  }

  PluginWorld world_;
  const std::unique_ptr<AdmissionPlugin> plugin_ =
      make_storage_in_use_protection(world_.context()).value();
};

TEST_P(StorageInUseProtectionTest, AddsTheFinalizerOnce) {
  const std::string finalizer = GetParam().finalizer;
  EXPECT_EQ(finalizers_of(Operation::kCreate, "{metadata: {name: a}}"), finalizer + " ");
  EXPECT_EQ(finalizers_of(Operation::kCreate, "{metadata: {finalizers: [" + finalizer + "]}}"),
            finalizer + " ");
  EXPECT_EQ(finalizers_of(Operation::kCreate, "{metadata: {finalizers: [example.com/mine]}}"),
            "example.com/mine " + finalizer + " ");
}

TEST_P(StorageInUseProtectionTest, LeavesWhatIsThereAlone) {
  EXPECT_EQ(finalizers_of(Operation::kUpdate, "{metadata: {name: a}}"), "");
}

INSTANTIATE_TEST_SUITE_P(
    Table, StorageInUseProtectionTest,
    testing::Values(Case{"", "persistentvolumeclaims", "kubernetes.io/pvc-protection"},
                    Case{"", "persistentvolumes", "kubernetes.io/pv-protection"},
                    Case{"storage.k8s.io", "volumeattributesclasses",
                         "kubernetes.io/vac-protection"}),
    [](const auto& tested) { return std::string(tested.param.resource); });

TEST(StorageInUseProtection, IsNotConcernedWithOtherThings) {
  PluginWorld world;
  const auto plugin = make_storage_in_use_protection(world.context()).value();
  PluginCase pod(Operation::kCreate, "", "pods");
  EXPECT_EQ(words(pod.object("{metadata: {name: a}}").admit(*plugin)), "");
  EXPECT_EQ(pod.text(), R"({"metadata":{"name":"a"}})");
}

}  // namespace
}  // namespace proa::apiserver

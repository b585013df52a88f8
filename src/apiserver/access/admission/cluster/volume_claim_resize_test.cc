#include "apiserver/access/admission/cluster/volume_claim_resize.h"

#include <gtest/gtest.h>

#include "apiserver/access/admission/cluster/plugin_case.h"

namespace proa::apiserver {
namespace {

constexpr std::string_view kNotResizable =
    "persistentvolumeclaims \"data\" is forbidden: only dynamically provisioned pvc can be resized "
    "and the storageclass that provisions the pvc must support resize";

std::string claim(const std::string& size, const std::string& storage_class,
                  const std::string& phase) {
  return "{metadata: {name: data}, spec: {resources: {requests: {" +
         (size.empty() ? "" : "storage: " + size) + "}}" +
         (storage_class.empty() ? "" : ", storageClassName: " + storage_class) +
         "}, status: {phase: " + phase + "}}";
}

struct Case {
  const char* name;
  std::string old;
  std::string now;
  std::string expected;
};

class VolumeClaimResizeTest : public testing::TestWithParam<Case> {};

TEST_P(VolumeClaimResizeTest, LooksAtClassAndPhase) {
  PluginWorld world;
  world.put("storage.k8s.io", "storageclasses",
            "{metadata: {name: gold}, provisioner: p, allowVolumeExpansion: true}");
  world.put("storage.k8s.io", "storageclasses",
            "{metadata: {name: silver}, provisioner: p, allowVolumeExpansion: false}");
  world.put("storage.k8s.io", "storageclasses", "{metadata: {name: bronze}, provisioner: p}");
  const auto plugin = make_volume_claim_resize(world.context()).value();
  PluginCase change(Operation::kUpdate, "", "persistentvolumeclaims");
  change.named("data").old(GetParam().old).object(GetParam().now);
  EXPECT_EQ(words(change.validate(*plugin)), GetParam().expected);
}

INSTANTIATE_TEST_SUITE_P(
    Table, VolumeClaimResizeTest,
    testing::Values(
        Case{"TheClassAllowsIt", claim("1Gi", "gold", "Bound"), claim("2Gi", "gold", "Bound"), ""},
        Case{"NoClass", claim("1Gi", "", "Bound"), claim("2Gi", "", "Bound"),
             std::string(kNotResizable)},
        Case{"TheClassForbidsIt", claim("1Gi", "silver", "Bound"), claim("2Gi", "silver", "Bound"),
             std::string(kNotResizable)},
        Case{"TheClassSaysNothing", claim("1Gi", "bronze", "Bound"),
             claim("2Gi", "bronze", "Bound"), std::string(kNotResizable)},
        Case{"TheClassIsGone", claim("1Gi", "tin", "Bound"), claim("2Gi", "tin", "Bound"),
             std::string(kNotResizable)},
        Case{"AnotherClass", claim("1Gi", "silver", "Bound"), claim("2Gi", "gold", "Bound"),
             std::string(kNotResizable)},
        Case{"TheSameSize", claim("1Gi", "silver", "Pending"), claim("1024Mi", "silver", "Bound"),
             ""},
        Case{"Smaller", claim("2Gi", "silver", "Bound"), claim("1Gi", "silver", "Bound"), ""},
        Case{"NotBound", claim("1Gi", "gold", "Pending"), claim("2Gi", "gold", "Pending"),
             "persistentvolumeclaims \"data\" is forbidden: Only bound persistent volume claims "
             "can be expanded"},
        Case{"FromNothing", claim("", "gold", "Bound"), claim("2Gi", "gold", "Bound"), ""}),
    [](const auto& tested) { return std::string(tested.param.name); });

TEST(VolumeClaimResize, TheOldAnnotationNamesTheClass) {
  PluginWorld world;
  world.put("storage.k8s.io", "storageclasses",
            "{metadata: {name: gold}, provisioner: p, allowVolumeExpansion: true}");
  const auto plugin = make_volume_claim_resize(world.context()).value();
  const auto annotated = [](const char* size) {
    return "{metadata: {annotations: {volume.beta.kubernetes.io/storage-class: gold}}, spec: "
           "{resources: {requests: {storage: " +
           std::string(size) + "}}}, status: {phase: Bound}}";
  };
  PluginCase change(Operation::kUpdate, "", "persistentvolumeclaims");
  change.named("data").old(annotated("1Gi")).object(annotated("2Gi"));
  EXPECT_EQ(words(change.validate(*plugin)), "");
}

TEST(VolumeClaimResize, StatusMayGrow) {
  PluginWorld world;
  const auto plugin = make_volume_claim_resize(world.context()).value();
  PluginCase change(Operation::kUpdate, "", "persistentvolumeclaims", "status");
  change.named("data").old(claim("1Gi", "", "Pending")).object(claim("2Gi", "", "Pending"));
  EXPECT_EQ(words(change.validate(*plugin)), "");
}

}  // namespace
}  // namespace proa::apiserver

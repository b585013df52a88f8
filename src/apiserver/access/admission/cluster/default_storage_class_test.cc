#include "apiserver/access/admission/cluster/default_storage_class.h"

#include <gtest/gtest.h>

#include "apiserver/access/admission/cluster/plugin_case.h"

namespace proa::apiserver {
namespace {

// A class with that value of the annotation, or without one.
std::string class_of(const std::string& name, const std::string& annotations,
                     const std::string& created = "2026-01-02T15:04:05Z") {
  return "{metadata: {name: " + name + ", creationTimestamp: '" + created + "', annotations: {" +
         annotations + "}}, provisioner: example.com/disks}";
}

const std::string kDefault = "storageclass.kubernetes.io/is-default-class: 'true'";
const std::vector<std::string> kOthers = {
    class_of("nondefault1", "storageclass.kubernetes.io/is-default-class: 'false'"),
    class_of("nondefault2", ""),
    class_of("nondefault3", "storageclass.kubernetes.io/is-default-class: ''"),
};

struct Case {
  const char* name;
  std::vector<std::string> classes;
  const char* claim;
  const char* expected;  // "none": the field is absent
};

class DefaultStorageClassTest : public testing::TestWithParam<Case> {};

TEST_P(DefaultStorageClassTest, FillsInTheClass) {
  PluginWorld world;
  for (const std::string& one : kOthers) world.put("storage.k8s.io", "storageclasses", one);
  for (const std::string& one : GetParam().classes) {
    world.put("storage.k8s.io", "storageclasses", one);
  }
  const auto plugin = make_default_storage_class(world.context()).value();
  PluginCase claim(Operation::kCreate, "", "persistentvolumeclaims");
  claim.object(GetParam().claim);
  for (int time = 0; time < 2; ++time) {
    EXPECT_EQ(words(claim.admit(*plugin)), "");
    EXPECT_EQ(claim.result()["spec"]["storageClassName"].text("none"), GetParam().expected);
  }
}

INSTANTIATE_TEST_SUITE_P(
    Table, DefaultStorageClassTest,
    testing::Values(
        Case{"NoDefault", {}, "{spec: {}}", "none"},
        Case{"OneDefault", {class_of("default1", kDefault)}, "{spec: {}}", "default1"},
        Case{"ByTheOldAnnotation",
             {class_of("default1", "storageclass.beta.kubernetes.io/is-default-class: 'true'")},
             "{spec: {}}",
             "default1"},
        Case{"AnEmptyChoiceStays",
             {class_of("default1", kDefault), class_of("default2", kDefault)},
             "{spec: {storageClassName: ''}}",
             ""},
        Case{"AChoiceStays",
             {class_of("default1", kDefault), class_of("default2", kDefault)},
             "{spec: {storageClassName: foo}}",
             "foo"},
        Case{"AnOldChoiceStays",
             {class_of("default1", kDefault)},
             "{metadata: {annotations: {volume.beta.kubernetes.io/storage-class: foo}}, spec: {}}",
             "none"},
        Case{"TheFirstByNameOfEquallyOldOnes",
             {class_of("default2", kDefault), class_of("default1", kDefault)},
             "{spec: {}}",
             "default1"},
        Case{"TheNewestWhateverItsName",
             {class_of("default1", kDefault, "2022-01-01T00:00:01Z"),
              class_of("default2", kDefault, "2022-01-01T00:00:02Z"),
              class_of("default3", kDefault, "2022-01-01T00:00:00Z")},
             "{spec: {}}",
             "default2"}),
    [](const auto& tested) { return std::string(tested.param.name); });

TEST(DefaultStorageClass, LooksAtNewClaimsOnly) {
  PluginWorld world;
  world.put("storage.k8s.io", "storageclasses", class_of("default1", kDefault));
  const auto plugin = make_default_storage_class(world.context()).value();
  PluginCase updated(Operation::kUpdate, "", "persistentvolumeclaims");
  EXPECT_EQ(words(updated.object("{spec: {}}").admit(*plugin)), "");
  EXPECT_EQ(updated.text(), R"({"spec":{}})");
  PluginCase other(Operation::kCreate, "", "pods");
  EXPECT_EQ(words(other.object("{spec: {}}").admit(*plugin)), "");
  EXPECT_EQ(other.text(), R"({"spec":{}})");
}

}  // namespace
}  // namespace proa::apiserver

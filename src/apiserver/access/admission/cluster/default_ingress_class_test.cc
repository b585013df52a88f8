#include "apiserver/access/admission/cluster/default_ingress_class.h"

#include <gtest/gtest.h>

#include "apiserver/access/admission/cluster/plugin_case.h"

namespace proa::apiserver {
namespace {

std::string class_of(const std::string& name, const std::string& annotations,
                     const std::string& created = "2026-01-02T15:04:05Z") {
  return "{metadata: {name: " + name + ", creationTimestamp: '" + created + "', annotations: {" +
         annotations + "}}, spec: {controller: example.com/gate}}";
}

const std::string kDefault = "ingressclass.kubernetes.io/is-default-class: 'true'";
const std::vector<std::string> kOthers = {
    class_of("nondefault1", "ingressclass.kubernetes.io/is-default-class: 'false'"),
    class_of("nondefault2", ""),
    class_of("nondefault3", "ingressclass.kubernetes.io/is-default-class: ''"),
};

struct Case {
  const char* name;
  std::vector<std::string> classes;
  const char* ingress;
  const char* expected;  // "none": the field is absent
};

class DefaultIngressClassTest : public testing::TestWithParam<Case> {};

TEST_P(DefaultIngressClassTest, FillsInTheClass) {
  PluginWorld world;
  for (const std::string& one : kOthers) world.put("networking.k8s.io", "ingressclasses", one);
  for (const std::string& one : GetParam().classes) {
    world.put("networking.k8s.io", "ingressclasses", one);
  }
  const auto plugin = make_default_ingress_class(world.context()).value();
  PluginCase ingress(Operation::kCreate, "networking.k8s.io", "ingresses");
  ingress.object(GetParam().ingress);
  for (int time = 0; time < 2; ++time) {
    EXPECT_EQ(words(ingress.admit(*plugin)), "");
    EXPECT_EQ(ingress.result()["spec"]["ingressClassName"].text("none"), GetParam().expected);
  }
}

INSTANTIATE_TEST_SUITE_P(
    Table, DefaultIngressClassTest,
    testing::Values(Case{"NoDefault", {}, "{spec: {}}", "none"},
                    Case{"OneDefault", {class_of("default1", kDefault)}, "{spec: {}}", "default1"},
                    Case{"AnEmptyChoiceStays",
                         {class_of("default1", kDefault), class_of("default2", kDefault)},
                         "{spec: {ingressClassName: ''}}",
                         ""},
                    Case{"AChoiceStays",
                         {class_of("default1", kDefault)},
                         "{spec: {ingressClassName: foo}}",
                         "foo"},
                    Case{"AnOldChoiceStays",
                         {class_of("default1", kDefault)},
                         "{metadata: {annotations: {kubernetes.io/ingress.class: foo}}, spec: {}}",
                         "none"},
                    Case{"TheFirstByNameOfEquallyOldOnes",
                         {class_of("default1", kDefault), class_of("default2", kDefault)},
                         "{spec: {}}",
                         "default1"},
                    Case{"TheNewestWhateverItsName",
                         {class_of("default1", kDefault, "2022-01-01T00:00:00Z"),
                          class_of("default2", kDefault, "2022-01-01T00:00:01Z")},
                         "{spec: {}}",
                         "default2"}),
    [](const auto& tested) { return std::string(tested.param.name); });

TEST(DefaultIngressClass, LooksAtNewIngressesOnly) {
  PluginWorld world;
  world.put("networking.k8s.io", "ingressclasses", class_of("default1", kDefault));
  const auto plugin = make_default_ingress_class(world.context()).value();
  PluginCase updated(Operation::kUpdate, "networking.k8s.io", "ingresses");
  EXPECT_EQ(words(updated.object("{spec: {}}").admit(*plugin)), "");
  EXPECT_EQ(updated.text(), R"({"spec":{}})");
}

}  // namespace
}  // namespace proa::apiserver

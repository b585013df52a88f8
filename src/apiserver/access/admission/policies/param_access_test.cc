#include "apiserver/access/admission/policies/param_access.h"

#include <gtest/gtest.h>

#include "apiserver/access/admission/cluster/plugin_case.h"

namespace proa::apiserver {
namespace {

constexpr std::string_view kGroup = "admissionregistration.k8s.io";
constexpr std::string_view kUser =
    "user &{jane 7 [a system:authenticated] map[one:[x y] two:[z]]} ";

// Jane writes policies and bindings.
class ParamAccessTest : public testing::Test {
 protected:
  // Empty if she may. `spec` is YAML.
  std::string write(std::string_view resource, std::string_view spec, std::string_view old = "") {
    PluginCase attempt(old.empty() ? Operation::kCreate : Operation::kUpdate, kGroup, resource);
    const auto with_name = [](std::string_view text) {
      return "{metadata: {name: p}, spec: {" + std::string(text) + "}}";
    };
    attempt.by({.name = "jane",
                .uid = "7",
                .groups = {"a", group},
                .extra = {{"two", {"z"}}, {"one", {"x", "y"}}}});
    attempt.object(with_name(spec));
    if (!old.empty()) attempt.old(with_name(old));
    world.authorizer.asked.clear();
    ParamAccess plugin(world.context());
    return words(attempt.validate(plugin));
  }

  PluginWorld world;
  std::string group = "system:authenticated";
};

TEST_F(ParamAccessTest, APolicyNeedsToReadItsParamKind) {
  for (const char* resource : {"validatingadmissionpolicies", "mutatingadmissionpolicies"}) {
    EXPECT_EQ(write(resource, "failurePolicy: Fail"), "");
    EXPECT_TRUE(world.authorizer.asked.empty());
    const std::string refused = write(resource, "paramKind: {apiVersion: v1, kind: Secret}");
    EXPECT_TRUE(refused.ends_with(
        "\"p\" is invalid: spec.paramKind: Forbidden: " + std::string(kUser) +
        "must have \"get\" permission on all objects of the referenced paramKind (kind=Secret, "
        "apiVersion=v1)"))
        << refused;
    EXPECT_EQ(world.authorizer.asked, std::vector<std::string>{"get secrets *"});
  }
  world.authorizer.allows = [](const Attributes& asked) {
    return asked.verb == "get" && asked.resource == "secrets" && asked.group.empty() &&
           asked.version == "v1" && asked.name == "*" && asked.name_space == "*";
  };
  EXPECT_EQ(write("validatingadmissionpolicies", "paramKind: {apiVersion: v1, kind: Secret}"), "");
}

TEST_F(ParamAccessTest, AnUnknownParamKindNeedsAllOfItsVersion) {
  EXPECT_NE(write("validatingadmissionpolicies", "paramKind: {apiVersion: a.io/v1, kind: None}"),
            "");
  EXPECT_EQ(world.authorizer.asked, std::vector<std::string>{"get * *"});
}

TEST_F(ParamAccessTest, APolicyWhoseParamKindStaysIsNotChecked) {
  const std::string same = "paramKind: {apiVersion: v1, kind: Secret}";
  EXPECT_EQ(write("validatingadmissionpolicies", same + ", failurePolicy: Fail", same), "");
  EXPECT_NE(
      write("validatingadmissionpolicies", same, "paramKind: {apiVersion: v1, kind: ConfigMap}"),
      "");
  EXPECT_NE(write("validatingadmissionpolicies", same, "failurePolicy: Fail"), "");
}

TEST_F(ParamAccessTest, ABindingNeedsToReadWhatItsParamRefNames) {
  world.put(kGroup, "validatingadmissionpolicies",
            "{metadata: {name: p}, spec: {paramKind: {apiVersion: v1, kind: Secret}}}");
  const std::string resource = "validatingadmissionpolicybindings";
  EXPECT_EQ(write(resource, "policyName: p"), "");
  const std::string named = "policyName: p, paramRef: {name: key, namespace: kube-system}";
  const std::string refused = write(resource, named);
  EXPECT_TRUE(refused.ends_with("spec.paramRef: Forbidden: " + std::string(kUser) +
                                "does not have \"get\" permission on the object referenced by "
                                "paramRef"))
      << refused;
  EXPECT_EQ(world.authorizer.asked, std::vector<std::string>{"get secrets key"});
  EXPECT_NE(write(resource, named, named), "");
  EXPECT_NE(write(resource, "policyName: p, paramRef: {selector: {}}"), "");
  EXPECT_EQ(world.authorizer.asked, std::vector<std::string>{"list secrets "});
  world.authorizer.allows = [](const Attributes& asked) {
    return asked.name == "key" && asked.name_space == "kube-system" && asked.resource == "secrets";
  };
  EXPECT_EQ(write(resource, named), "");
  EXPECT_NE(write(resource, "policyName: p, paramRef: {name: other, namespace: kube-system}"), "");
}

TEST_F(ParamAccessTest, ABindingOfAnUnknownPolicyNeedsEverything) {
  const std::string refused =
      write("mutatingadmissionpolicybindings", "policyName: none, paramRef: {name: key}");
  EXPECT_TRUE(
      refused.ends_with("unable to get policy none to determine minimum required permissions and " +
                        std::string(kUser) +
                        "does not have \"get\" permission for all groups, versions and resources"))
      << refused;
  EXPECT_EQ(world.authorizer.asked, std::vector<std::string>{"get * key"});
}

TEST_F(ParamAccessTest, MastersAreNotAsked) {
  group = "system:masters";
  EXPECT_EQ(write("validatingadmissionpolicies", "paramKind: {apiVersion: v1, kind: Secret}"), "");
  EXPECT_TRUE(world.authorizer.asked.empty());
}

}  // namespace
}  // namespace proa::apiserver

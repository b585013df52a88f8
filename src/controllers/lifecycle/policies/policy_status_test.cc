#include "controllers/lifecycle/policies/policy_status.h"

#include <gtest/gtest.h>

#include "json/print.h"
#include "testkit/controllers/test_world.h"

namespace proa::controllers {
namespace {

constexpr std::string_view kGroup = "admissionregistration.k8s.io";
constexpr std::string_view kPolicies = "validatingadmissionpolicies";

class PolicyStatusTest : public testing::Test {
 protected:
  static std::string spec(const std::string& group, const std::string& resource,
                          const std::string& validations) {
    return R"("spec":{"matchConstraints":{"resourceRules":[{"operations":["*"],"apiGroups":[")" +
           group + R"("],"apiVersions":["v1"],"resources":[")" + resource +
           R"("]}]},"validations":[)" + validations + "]}";
  }
  void create(const std::string& name, const std::string& spec) {
    world_.create(std::string(kGroup), std::string(kPolicies), "",
                  R"({"metadata":{"name":")" + name + R"("},)" + spec + "}");
    world_.settle();
  }
  std::string status(const std::string& name) {
    const json::Document document =
        world_.get(std::string(kGroup), std::string(kPolicies), "", name)->document().value();
    const api::View found = api::View(document.root())["status"];
    return found ? json::print(*found.value()) : "none";
  }

  testkit::TestWorld world_;
};

TEST_F(PolicyStatusTest, SaysThatNothingIsWrong) {
  create("right", spec("apps", "deployments", R"({"expression":"object.spec.replicas > 1"})"));
  EXPECT_EQ(status("right"), R"({"observedGeneration":1,"typeChecking":{}})");
}

TEST_F(PolicyStatusTest, WarnsOfTypes) {
  create("confused", spec("apps", "deployments",
                          R"({"expression":"object.spec.replicas > '1'",)"
                          R"("messageExpression":"'got ' + object.spec.replicas"})"));
  const std::string got = status("confused");
  EXPECT_NE(got.find(R"("fieldRef":"spec.validations[0].expression")"), std::string::npos) << got;
  EXPECT_NE(got.find("applied to '(int, string)'"), std::string::npos) << got;
  EXPECT_NE(got.find(R"("fieldRef":"spec.validations[0].messageExpression")"), std::string::npos);
  // Another generation is checked again.
  world_.patch(kGroup, kPolicies, "", "confused",
               "{" + spec("apps", "deployments", R"({"expression":"true"})") + "}");
  world_.settle();
  EXPECT_EQ(status("confused"), R"({"observedGeneration":2,"typeChecking":{}})");
}

TEST_F(PolicyStatusTest, KnowsCustomResources) {
  world_.create("apiextensions.k8s.io", "customresourcedefinitions", "",
                R"({"metadata":{"name":"ships.example.com"},"spec":{"group":"example.com",)"
                R"("scope":"Namespaced","names":{"plural":"ships","kind":"Ship"},"versions":[)"
                R"({"name":"v1","served":true,"storage":true,"schema":{"openAPIV3Schema":)"
                R"({"type":"object","properties":{"spec":{"type":"object","properties":)"
                R"({"crew":{"type":"integer"}}}}}}}]}})");
  world_.settle();
  create("ships", spec("example.com", "ships",
                       R"({"expression":"object.spec.crew > '1'"},)"
                       R"({"expression":"object.spec.sails > 1"},)"
                       R"({"expression":"object.spec.crew > 1"})"));
  const std::string got = status("ships");
  EXPECT_NE(got.find(R"(example.com/v1, Kind=Ship: ERROR: \u003cinput\u003e:)"), std::string::npos)
      << got;
  EXPECT_NE(got.find("applied to '(int, string)'"), std::string::npos) << got;
  EXPECT_NE(got.find("undefined field 'sails'"), std::string::npos) << got;
  EXPECT_EQ(got.find("spec.validations[2]"), std::string::npos) << got;
}

}  // namespace
}  // namespace proa::controllers

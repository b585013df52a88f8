#include "controllers/lifecycle/definitions/registration.h"

#include <gtest/gtest.h>

#include "json/parse.h"
#include "json/print.h"
#include "testkit/controllers/test_world.h"

namespace proa::controllers::definitions {
namespace {

TEST(PlanRegistration, TouchesOnlyWhatIsManaged) {
  const json::Document wanted = api_service("v1", "example.com");
  const std::string right = json::print(*api::View(wanted.root())["spec"].value());
  const auto current = [](const std::string& managed, const std::string& spec) {
    return R"({"metadata":{"labels":{"kube-aggregator.kubernetes.io/automanaged":")" + managed +
           R"("}},"spec":)" + spec + "}";
  };
  const struct {
    const char* name;
    bool served;
    std::string current;
    Registration wanted;
  } cases[] = {
      {"none, none wanted", false, "null", Registration::kKeep},
      {"none", true, "null", Registration::kCreate},
      {"right", true, current("true", right), Registration::kKeep},
      {"changed", true, current("true", R"({"group":"example.com"})"), Registration::kReset},
      {"not served any more", false, current("true", right), Registration::kRemove},
      {"built in", false, current("onstart", right), Registration::kKeep},
      {"of somebody else", true, current("", R"({"service":{}})"), Registration::kKeep},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.name);
    const json::Document document = *json::parse(c.current);
    EXPECT_EQ(plan_registration(c.served, document.root(), wanted.root()), c.wanted);
  }
}

class RegistrationTest : public testing::Test {
 protected:
  void create(const std::string& plural, const std::string& kind, const std::string& versions) {
    world_.create(std::string(kGroup), std::string(kResource), "",
                  R"({"metadata":{"name":")" + plural +
                      R"(.example.com"},"spec":{"group":"example.com","scope":"Namespaced",)" +
                      R"("names":{"plural":")" + plural + R"(","kind":")" + kind +
                      R"("},"versions":[)" + versions + "]}}");
  }
  static std::string version(const std::string& name, bool served, bool storage) {
    return R"({"name":")" + name + R"(","served":)" + (served ? "true" : "false") +
           R"(,"storage":)" + (storage ? "true" : "false") +
           R"(,"schema":{"openAPIV3Schema":{"type":"object"}}})";
  }
  api::ObjectPtr service(const std::string& name) {
    return world_.get("apiregistration.k8s.io", "apiservices", "", name);
  }

  static constexpr std::string_view kGroup = "apiextensions.k8s.io";
  static constexpr std::string_view kResource = "customresourcedefinitions";
  testkit::TestWorld world_;
};

TEST_F(RegistrationTest, FollowsTheVersionsThatAreServed) {
  create("ships", "Ship", version("v1", true, true) + "," + version("v2", false, false));
  create("fleets", "Fleet", version("v1", true, true));
  world_.settle();
  const api::ObjectPtr made = service("v1.example.com");
  ASSERT_NE(made, nullptr);
  const json::Document document = made->document().value();
  const api::View view = document.root();
  EXPECT_EQ(json::print(*view["spec"].value()),
            R"({"group":"example.com","version":"v1","groupPriorityMinimum":1000,)"
            R"("versionPriority":100})");
  EXPECT_EQ(view["metadata"]["labels"]["kube-aggregator.kubernetes.io/automanaged"].text(), "true");
  EXPECT_EQ(view["status"]["conditions"].item(0)["reason"].text(), "Local");
  EXPECT_EQ(service("v2.example.com"), nullptr);
  world_.remove(kGroup, kResource, "", "ships.example.com");
  world_.restart();
  world_.settle();
  EXPECT_NE(service("v1.example.com"), nullptr);
  world_.remove(kGroup, kResource, "", "fleets.example.com");
  world_.settle();
  EXPECT_EQ(service("v1.example.com"), nullptr);
}

TEST_F(RegistrationTest, ResetsWhatOthersChange) {
  create("ships", "Ship", version("v1", true, true));
  world_.settle();
  world_.patch("apiregistration.k8s.io", "apiservices", "", "v1.example.com",
               R"({"spec":{"versionPriority":7}})");
  world_.settle();
  const json::Document document = service("v1.example.com")->document().value();
  EXPECT_EQ(api::View(document.root())["spec"]["versionPriority"].integer(), 100);
}

TEST_F(RegistrationTest, RemovesWhatWasServedBefore) {
  world_.create("apiregistration.k8s.io", "apiservices", "",
                R"({"metadata":{"name":"v9.example.com","labels":)"
                R"({"kube-aggregator.kubernetes.io/automanaged":"true"}},"spec":)"
                R"({"group":"example.com","version":"v9","groupPriorityMinimum":1000,)"
                R"("versionPriority":100}})");
  world_.settle();
  EXPECT_EQ(service("v9.example.com"), nullptr);
  EXPECT_NE(service("v1.apps"), nullptr);
}

}  // namespace
}  // namespace proa::controllers::definitions

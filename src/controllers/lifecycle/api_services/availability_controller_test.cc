#include "controllers/lifecycle/api_services/availability_controller.h"

#include <gtest/gtest.h>

#include "testkit/controllers/test_world.h"

namespace proa::controllers {
namespace {

using namespace std::chrono_literals;

class ApiServiceAvailabilityTest : public testing::Test {
 protected:
  ApiServiceAvailabilityTest() : world_(options()) {}

  testkit::TestWorld::Options options() {
    testkit::TestWorld::Options wanted;
    wanted.entries = {{"apiservice-status-available", "apiservice-status-controller",
                       make_api_service_availability_controller}};
    wanted.flags.probe_api_service = [this](std::string_view name) -> Result<void> {
      ++probes_;
      EXPECT_EQ(name, "v1.example.com");
      if (problem_.empty()) return {};
      return Status(Reason::kServiceUnavailable, problem_);
    };
    return wanted;
  }
  void create_api(const std::string& service) {
    world_.create("apiregistration.k8s.io", "apiservices", "",
                  R"({"metadata":{"name":"v1.example.com"},"spec":{"group":"example.com",)"
                  R"("version":"v1","groupPriorityMinimum":1000,"versionPriority":15)" +
                      service + "}}");
  }
  void create_service() {
    world_.create("", "services", "default",
                  R"({"metadata":{"name":"wardle"},"spec":{"ports":[{"port":443}]}})");
  }
  void create_slice() {
    world_.create("discovery.k8s.io", "endpointslices", "default",
                  R"({"metadata":{"name":"wardle-1","labels":{"kubernetes.io/service-name":)"
                  R"("wardle"}},"addressType":"IPv4","endpoints":[{"addresses":["10.0.0.1"]}],)"
                  R"("ports":[{"name":"","port":8443}]})");
  }
  // "False ServiceNotFound"
  std::string state() {
    const api::ObjectPtr object =
        world_.get("apiregistration.k8s.io", "apiservices", "", "v1.example.com");
    const json::Document document = object->document().value();
    const api::View condition = api::View(document.root())["status"]["conditions"].item(0);
    return std::string(condition["status"].text()) + " " + std::string(condition["reason"].text());
  }

  static constexpr const char* kService =
      R"(,"insecureSkipTLSVerify":true,"service":{"namespace":"default","name":"wardle"})";
  int probes_ = 0;
  std::string problem_;
  testkit::TestWorld world_;
};

TEST_F(ApiServiceAvailabilityTest, FollowsTheServiceAndItsEndpoints) {
  create_api(kService);
  world_.settle();
  EXPECT_EQ(state(), "False ServiceNotFound");
  create_service();
  world_.settle();
  EXPECT_EQ(state(), "False EndpointsNotFound");
  EXPECT_EQ(probes_, 0);
  create_slice();
  world_.settle();
  EXPECT_EQ(state(), "True Passed");
  world_.remove("discovery.k8s.io", "endpointslices", "default", "wardle-1");
  world_.settle();
  EXPECT_EQ(state(), "False EndpointsNotFound");
}

TEST_F(ApiServiceAvailabilityTest, AsksAgainEveryHalfMinute) {
  create_service();
  create_slice();
  create_api(kService);
  world_.settle();
  EXPECT_EQ(state(), "True Passed");
  problem_ = "connection refused";
  const int before = probes_;
  world_.pass(20s);
  EXPECT_EQ(probes_, before);
  world_.pass(11s);
  EXPECT_GT(probes_, before);
  EXPECT_EQ(state(), "False FailedDiscoveryCheck");
  problem_.clear();
  world_.pass(5s);  // just failed: asked again soon
  EXPECT_EQ(state(), "True Passed");
}

TEST_F(ApiServiceAvailabilityTest, LocalOnesAreAlwaysAvailable) {
  create_api(kService);
  world_.settle();
  EXPECT_EQ(state(), "False ServiceNotFound");
  world_.patch("apiregistration.k8s.io", "apiservices", "", "v1.example.com",
               R"({"spec":{"service":null,"insecureSkipTLSVerify":null}})");
  world_.settle();
  EXPECT_EQ(state(), "True Local");
}

}  // namespace
}  // namespace proa::controllers

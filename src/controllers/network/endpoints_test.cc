#include "controllers/network/endpoints.h"

#include <gtest/gtest.h>

#include "controllers/network/service_pods.h"
#include "json/print.h"
#include "testkit/controllers/network_world.h"

namespace proa::controllers {
namespace {

constexpr const char* kSelector = R"(,"selector":{"app":"web"})";

class EndpointsTest : public testing::Test {
 protected:
  EndpointsTest()
      : network_({{"endpoints", "endpoint-controller", make_endpoints_controller}}),
        world_(network_.world()) {}

  std::string subsets(std::string_view service = "web") {
    world_.settle();
    return describe_subsets(document(service).root());
  }
  json::Document document(std::string_view service = "web") {
    return network_.document("", "endpoints", "default", service);
  }
  api::ObjectPtr endpoints(std::string_view service = "web") {
    return world_.get("", "endpoints", "default", service);
  }
  std::string version() { return std::string(endpoints()->metadata().resource_version); }
  std::string label(std::string_view key, std::string_view service = "web") {
    const std::string_view* found = endpoints(service)->metadata().label(key);
    return found == nullptr ? "none" : std::string(*found);
  }
  std::string annotation(std::string_view key) {
    const json::Document read = document();
    return std::string(api::View(read.root())["metadata"]["annotations"][key].text("none"));
  }

  NetworkWorld network_;
  testkit::TestWorld& world_;
};

TEST_F(EndpointsTest, SeparatesReadyAndNotReadyPods) {
  network_.add_service("web", kSelector);
  EXPECT_EQ(subsets(), "");
  network_.add_pod({.name = "b", .addresses = {"10.0.0.2"}});
  network_.add_pod({.name = "a", .addresses = {"10.0.0.1"}, .ready = false});
  network_.add_pod({.name = "other", .labels = R"("app":"db")", .addresses = {"10.0.0.3"}});
  network_.add_pod({.name = "without"});
  EXPECT_EQ(subsets(), "10.0.0.2(b) !10.0.0.1(a) :80");
  network_.set_pod({.name = "a", .addresses = {"10.0.0.1"}});
  EXPECT_EQ(subsets(), "10.0.0.1(a) 10.0.0.2(b) :80");
  network_.set_pod({.name = "a", .addresses = {"10.0.0.1"}, .phase = "Failed"});
  EXPECT_EQ(subsets(), "10.0.0.2(b) :80");
  const json::Document read = document();
  const api::View address = api::View(read.root())["subsets"].item(0)["addresses"].item(0);
  EXPECT_EQ(address["nodeName"].text(), "node-1");
  EXPECT_EQ(address["targetRef"]["kind"].text(), "Pod");
  EXPECT_EQ(address["targetRef"]["namespace"].text(), "default");
  EXPECT_EQ(address["targetRef"]["uid"].text(),
            world_.get("", "pods", "default", "b")->metadata().uid);
}

TEST_F(EndpointsTest, RemovesATerminatingPodAtOnce) {
  network_.add_service("web", kSelector);
  network_.add_service("all", std::string(kSelector) + R"(,"publishNotReadyAddresses":true)");
  network_.add_pod({.name = "a", .addresses = {"10.0.0.1"}, .ready = false});
  EXPECT_EQ(subsets(), "!10.0.0.1(a) :80");
  EXPECT_EQ(subsets("all"), "10.0.0.1(a) :80");
  world_.remove("", "pods", "default", "a");
  ASSERT_TRUE(world_.get("", "pods", "default", "a")->metadata().being_deleted);
  EXPECT_EQ(subsets(), "");
  EXPECT_EQ(subsets("all"), "10.0.0.1(a) :80");
  ASSERT_TRUE(world_.client()
                  .remove(world_.place("", "pods", "default", "a"), {.grace_seconds = 0}, {})
                  .ok());
  EXPECT_EQ(subsets("all"), "");
}

TEST_F(EndpointsTest, PortsWithNamesAreThoseOfEachPod) {
  network_.add_service("web", R"(,"selector":{"app":"web"},"ports":[)"
                              R"({"name":"http","port":80,"targetPort":"web"},)"
                              R"({"name":"admin","port":81,"targetPort":8081}])");
  const auto with_port = [](int port) {
    return fmt::format(R"(,"ports":[{{"name":"web","containerPort":{}}}])", port);
  };
  network_.add_pod({.name = "a", .addresses = {"10.0.0.1"}, .more_container = with_port(8080)});
  network_.add_pod({.name = "b", .addresses = {"10.0.0.2"}, .more_container = with_port(9090)});
  network_.add_pod({.name = "c", .addresses = {"10.0.0.3"}});
  EXPECT_EQ(subsets(),
            "10.0.0.1(a) http:8080 | 10.0.0.1(a) 10.0.0.2(b) 10.0.0.3(c) admin:8081 | "
            "10.0.0.2(b) http:9090");
}

TEST_F(EndpointsTest, HeadlessServicesHaveALabelHostNamesAndNeedNoPorts) {
  world_.create("", "services", "default",
                R"({"metadata":{"name":"web"},"spec":{"clusterIP":"None",)"
                R"("selector":{"app":"web"}}})");
  network_.add_service("plain", kSelector);
  network_.add_pod({.name = "a",
                    .addresses = {"10.0.0.1"},
                    .more_spec = R"(,"hostname":"first","subdomain":"web")"});
  EXPECT_EQ(subsets(), "10.0.0.1(a)");
  EXPECT_EQ(label("service.kubernetes.io/headless"), "");
  EXPECT_EQ(label("service.kubernetes.io/headless", "plain"), "none");
  const json::Document read = document();
  EXPECT_EQ(api::View(read.root())["subsets"].item(0)["addresses"].item(0)["hostname"].text(),
            "first");
  const json::Document other = document("plain");
  EXPECT_FALSE(api::View(other.root())["subsets"].item(0)["addresses"].item(0)["hostname"]);
}

TEST_F(EndpointsTest, LabelsAreThoseOfTheService) {
  network_.add_service("web", kSelector, R"(,"labels":{"team":"a"})");
  world_.settle();
  EXPECT_EQ(label("team"), "a");
  EXPECT_EQ(label("endpoints.kubernetes.io/managed-by"), "endpoint-controller");
  world_.patch("", "services", "default", "web", R"({"metadata":{"labels":{"team":"b"}}})");
  world_.settle();
  EXPECT_EQ(label("team"), "b");
  world_.patch("", "services", "default", "web", R"({"metadata":{"labels":null}})");
  world_.settle();
  EXPECT_EQ(label("team"), "none");
}

TEST_F(EndpointsTest, SetsTheTriggerTime) {
  constexpr const char* kKey = "endpoints.kubernetes.io/last-change-trigger-time";
  network_.add_service("web", kSelector);
  world_.settle();
  const json::Document service = network_.document("", "services", "default", "web");
  EXPECT_EQ(annotation(kKey), api::View(service.root())["metadata"]["creationTimestamp"].text());
  network_.add_pod({.name = "a", .addresses = {"10.0.0.1"}, .since = "2031-01-01T00:00:00Z"});
  world_.settle();
  EXPECT_EQ(annotation(kKey), "2031-01-01T00:00:00Z");
  world_.patch("", "services", "default", "web", R"({"metadata":{"labels":{"team":"b"}}})");
  world_.settle();
  EXPECT_EQ(annotation(kKey), "none");
}

TEST_F(EndpointsTest, WritesNothingInASteadyState) {
  network_.add_service("web", kSelector);
  network_.add_pod({.name = "a", .addresses = {"10.0.0.1"}});
  world_.settle();
  const std::string before = version();
  world_.restart();
  world_.settle();
  EXPECT_EQ(version(), before);
  // Nor is anybody asked to look.
  world_.patch("", "pods", "default", "a", R"({"metadata":{"annotations":{"a":"b"}}})");
  world_.patch("", "services", "default", "web", R"({"metadata":{"annotations":{"a":"b"}}})");
  EXPECT_EQ(world_.settle(), 0U);
}

TEST_F(EndpointsTest, AcceptsAnotherOrder) {
  network_.add_service("web", kSelector);
  network_.add_pod({.name = "a", .addresses = {"10.0.0.1"}});
  network_.add_pod({.name = "b", .addresses = {"10.0.0.2"}});
  world_.settle();
  json::Document read = document();
  const api::Edit subset = api::Edit(read).array("subsets").item(0);
  json::Value first = subset["addresses"].item(0).value()->copy(read.arena());
  subset.array("addresses").value().erase(0);
  subset.array("addresses").push(std::move(first));
  ASSERT_TRUE(world_.client()
                  .update(world_.place("", "endpoints", "default", "web"), std::move(read), {}, {})
                  .ok());
  EXPECT_EQ(subsets(), "10.0.0.2(b) 10.0.0.1(a) :80");
}

TEST_F(EndpointsTest, TheyComeBackAndAreRepaired) {
  network_.add_service("web", kSelector);
  network_.add_pod({.name = "a", .addresses = {"10.0.0.1"}});
  world_.settle();
  world_.remove("", "endpoints", "default", "web");
  EXPECT_EQ(subsets(), "10.0.0.1(a) :80");
  world_.patch("", "endpoints", "default", "web", R"({"subsets":null})");
  EXPECT_EQ(subsets(), "10.0.0.1(a) :80");
}

TEST_F(EndpointsTest, AreDeletedWithTheirService) {
  network_.add_service("web", kSelector);
  network_.add_service("late", kSelector);
  world_.settle();
  world_.remove("", "services", "default", "web");
  world_.settle();
  EXPECT_EQ(endpoints(), nullptr);
  // While nobody looked.
  world_.remove("", "services", "default", "late");
  world_.restart();
  world_.settle();
  EXPECT_EQ(endpoints("late"), nullptr);
}

TEST_F(EndpointsTest, IgnoresForeignObjects) {
  world_.settle();
  world_.create("", "endpoints", "default",
                R"({"metadata":{"name":"early"},"subsets":[{"addresses":[{"ip":"10.9.9.9"}]}]})");
  world_.create("", "endpoints", "default",
                R"({"metadata":{"name":"leader","annotations":{)"
                R"("control-plane.alpha.kubernetes.io/leader":"{}"}}})");
  world_.settle();
  EXPECT_NE(endpoints("early"), nullptr);
  network_.add_service("early");  // without a selector
  world_.restart();
  EXPECT_EQ(subsets("early"), "10.9.9.9()");
  EXPECT_NE(endpoints("leader"), nullptr);
}

TEST_F(EndpointsTest, ASelectorThatIsTakenAwayLeavesThemToPeople) {
  network_.add_service("web", kSelector);
  network_.add_pod({.name = "a", .addresses = {"10.0.0.1"}});
  world_.settle();
  world_.patch("", "services", "default", "web", R"({"spec":{"selector":null}})");
  network_.add_pod({.name = "b", .addresses = {"10.0.0.2"}});
  EXPECT_EQ(subsets(), "10.0.0.1(a) :80");
  world_.patch("", "services", "default", "web", R"({"spec":{"selector":{"app":"web"}}})");
  EXPECT_EQ(subsets(), "10.0.0.1(a) 10.0.0.2(b) :80");
}

TEST_F(EndpointsTest, APodWithOtherLabelsMoves) {
  network_.add_service("web", kSelector);
  network_.add_service("db", R"(,"selector":{"app":"db"})");
  network_.add_pod({.name = "a", .addresses = {"10.0.0.1"}});
  EXPECT_EQ(subsets(), "10.0.0.1(a) :80");
  world_.patch("", "pods", "default", "a", R"({"metadata":{"labels":{"app":"db"}}})");
  EXPECT_EQ(subsets(), "");
  EXPECT_EQ(subsets("db"), "10.0.0.1(a) :80");
  world_.patch("", "services", "default", "web", R"({"spec":{"selector":{"app":"db"}}})");
  EXPECT_EQ(subsets(), "10.0.0.1(a) :80");
}

TEST_F(EndpointsTest, APodChangeQueuesOnlyItsServices) {
  for (int i = 0; i < 20; ++i) {
    network_.add_service(fmt::format("s{}", i),
                         fmt::format(R"(,"selector":{{"app":"a{}","env":"prod"}})", i));
    network_.add_pod({.name = fmt::format("p{}", i),
                      .labels = fmt::format(R"("app":"a{}","env":"prod")", i),
                      .addresses = {fmt::format("10.0.0.{}", i + 1)}});
  }
  world_.settle();
  network_.set_pod({.name = "p7", .addresses = {"10.0.0.8"}, .ready = false});
  // Once for the pod, once for what was written then.
  EXPECT_EQ(world_.settle(), 2U);
  EXPECT_EQ(subsets("s7"), "!10.0.0.8(p7) :80");
}

TEST_F(EndpointsTest, MoreThanAThousandAreTruncated) {
  constexpr const char* kKey = "endpoints.kubernetes.io/over-capacity";
  network_.add_service("web", kSelector);
  for (int i = 0; i < 1001; ++i) {
    network_.add_pod({.name = fmt::format("p{}", i),
                      .addresses = {fmt::format("10.0.{}.{}", i / 250, i % 250 + 1)}});
  }
  world_.settle();
  EXPECT_EQ(annotation(kKey), "truncated");
  const json::Document read = document();
  EXPECT_EQ(api::View(read.root())["subsets"].item(0)["addresses"].size(), 1000U);
  const std::string before = version();
  world_.restart();
  world_.settle();
  EXPECT_EQ(version(), before);
  world_.patch("", "pods", "default", "p5", R"({"metadata":{"labels":{"app":"db"}}})");
  world_.settle();
  EXPECT_EQ(annotation(kKey), "none");
}

TEST_F(EndpointsTest, ExternalNamesHaveNone) {
  world_.create("", "services", "default",
                R"({"metadata":{"name":"web"},"spec":{"type":"ExternalName",)"
                R"("externalName":"example.com","selector":{"app":"web"}}})");
  world_.settle();
  EXPECT_EQ(endpoints(), nullptr);
}

TEST(MostTelling, IsTheLongestValue) {
  const auto wanted = [](std::string_view text) {
    const api::LabelSelector selector = api::LabelSelector::parse(text).value();
    return most_telling(selector).key;
  };
  EXPECT_EQ(wanted("app=orders-frontend,env=prod,tier=web"), "app");
  EXPECT_EQ(wanted("a=1"), "a");
}

}  // namespace
}  // namespace proa::controllers

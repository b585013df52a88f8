#include "controllers/network/slices/endpoint_slices.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>

#include "controllers/network/endpoints.h"
#include "testkit/controllers/network_world.h"

namespace proa::controllers {
namespace {

constexpr const char* kSelector = R"(,"selector":{"app":"web"})";
constexpr const char* kGroup = "discovery.k8s.io";

class EndpointSlicesTest : public testing::Test {
 protected:
  EndpointSlicesTest()
      : network_({{"endpointslice", "endpointslice-controller", make_endpoint_slice_controller},
                  {"endpoints", "endpoint-controller", make_endpoints_controller}}),
        world_(network_.world()) {}

  // Those of a service, by name.
  std::vector<api::ObjectPtr> objects(std::string_view service = "web") {
    std::vector<api::ObjectPtr> found;
    for (api::ObjectPtr& slice : world_.list(kGroup, "endpointslices", "default")) {
      const std::string_view* label = slice->metadata().label("kubernetes.io/service-name");
      if (label != nullptr && *label == service) found.push_back(std::move(slice));
    }
    return found;
  }
  std::string slices(std::string_view service = "web") {
    world_.settle();
    std::vector<std::string> texts;
    for (const api::ObjectPtr& slice : objects(service)) {
      const json::Document document = slice->document().value();
      texts.push_back(describe_slice(document.root()));
    }
    return join(texts, " | ");
  }
  json::Document only(std::string_view service = "web") {
    const std::vector<api::ObjectPtr> found = objects(service);
    CHECK(found.size() == 1);
    return found.front()->document().value();
  }
  std::vector<std::string> versions() {
    std::vector<std::string> all;
    for (const api::ObjectPtr& slice : objects()) {
      all.emplace_back(slice->metadata().resource_version);
    }
    return all;
  }
  void add_pods(int first, int count) {
    for (int i = first; i < first + count; ++i) {
      network_.add_pod({.name = fmt::format("pod-{}", i),
                        .addresses = {fmt::format("10.0.{}.{}", i / 100, i % 100 + 1)}});
    }
  }

  NetworkWorld network_;
  testkit::TestWorld& world_;
};

TEST_F(EndpointSlicesTest, AServiceHasASliceEvenWithoutPods) {
  network_.add_service("web", kSelector, R"(,"labels":{"team":"a"})");
  EXPECT_EQ(slices(), "IPv4");
  const json::Document document = only();
  const api::View metadata = api::View(document.root())["metadata"];
  EXPECT_TRUE(metadata["name"].text().starts_with("web-"));
  EXPECT_EQ(metadata["generateName"].text(), "web-");
  EXPECT_EQ(metadata["labels"]["team"].text(), "a");
  EXPECT_EQ(metadata["labels"]["kubernetes.io/service-name"].text(), "web");
  EXPECT_EQ(metadata["labels"]["endpointslice.kubernetes.io/managed-by"].text(),
            "endpointslice-controller.k8s.io");
  EXPECT_FALSE(metadata["labels"]["service.kubernetes.io/headless"]);
  const api::View owner = metadata["ownerReferences"].item(0);
  EXPECT_EQ(owner["kind"].text(), "Service");
  EXPECT_EQ(owner["uid"].text(), world_.get("", "services", "default", "web")->metadata().uid);
  EXPECT_TRUE(owner["controller"].flag());
  EXPECT_TRUE(owner["blockOwnerDeletion"].flag());
}

TEST_F(EndpointSlicesTest, ConditionsAreThoseOfThePods) {
  network_.add_node("node-1", "zone-a");
  network_.add_service("web", kSelector);
  network_.add_service("all", std::string(kSelector) + R"(,"publishNotReadyAddresses":true)");
  network_.add_pod({.name = "a", .addresses = {"10.0.0.1"}});
  network_.add_pod({.name = "b", .addresses = {"10.0.0.2"}, .ready = false});
  network_.add_pod({.name = "c", .addresses = {"10.0.0.3"}, .phase = "Succeeded"});
  EXPECT_EQ(slices(), "IPv4 :80 10.0.0.1(rs-) 10.0.0.2(---)");
  EXPECT_EQ(slices("all"), "IPv4 :80 10.0.0.1(rs-) 10.0.0.2(r--)");
  world_.remove("", "pods", "default", "a");
  EXPECT_EQ(slices(), "IPv4 :80 10.0.0.1(-st) 10.0.0.2(---)");
  EXPECT_EQ(slices("all"), "IPv4 :80 10.0.0.1(rst) 10.0.0.2(r--)");
  const json::Document document = only();
  const api::View endpoint = api::View(document.root())["endpoints"].item(0);
  EXPECT_EQ(endpoint["nodeName"].text(), "node-1");
  EXPECT_EQ(endpoint["zone"].text(), "zone-a");
  EXPECT_EQ(endpoint["targetRef"]["name"].text(), "a");
  EXPECT_FALSE(endpoint["hostname"]);
  // All fields of ports, even empty ones.
  const api::View port = api::View(document.root())["ports"].item(0);
  EXPECT_TRUE(port["name"].exists());
  EXPECT_EQ(port["protocol"].text(), "TCP");
}

TEST_F(EndpointSlicesTest, HeadlessServicesHaveALabelAndHostNames) {
  network_.add_node("node-1");
  world_.create("", "services", "default",
                R"({"metadata":{"name":"web"},"spec":{"clusterIP":"None",)"
                R"("selector":{"app":"web"}}})");
  network_.add_pod({.name = "a",
                    .addresses = {"10.0.0.1"},
                    .more_spec = R"(,"hostname":"first","subdomain":"web")"});
  EXPECT_EQ(slices(), "IPv4 10.0.0.1(rs-)");
  const json::Document document = only();
  const api::View root = document.root();
  EXPECT_EQ(root["endpoints"].item(0)["hostname"].text(), "first");
  EXPECT_TRUE(root["metadata"]["labels"]["service.kubernetes.io/headless"].exists());
}

TEST_F(EndpointSlicesTest, PodsWithOtherPortsHaveAnotherSlice) {
  network_.add_node("node-1");
  network_.add_service("web", R"(,"selector":{"app":"web"},"ports":[)"
                              R"({"name":"http","port":80,"targetPort":"web"}])");
  const auto with_port = [](int port) {
    return fmt::format(R"(,"ports":[{{"name":"web","containerPort":{}}}])", port);
  };
  network_.add_pod({.name = "a", .addresses = {"10.0.0.1"}, .more_container = with_port(8080)});
  EXPECT_EQ(slices(), "IPv4 http:8080 10.0.0.1(rs-)");
  network_.add_pod({.name = "b", .addresses = {"10.0.0.2"}, .more_container = with_port(9090)});
  slices();
  EXPECT_EQ(objects().size(), 2U);
  ASSERT_TRUE(world_.client()
                  .remove(world_.place("", "pods", "default", "a"), {.grace_seconds = 0}, {})
                  .ok());
  EXPECT_EQ(slices(), "IPv4 http:9090 10.0.0.2(rs-)");
}

TEST_F(EndpointSlicesTest, ManyPodsNeedSeveralAndOneChangeChangesOne) {
  network_.add_node("node-1");
  network_.add_service("web", kSelector);
  add_pods(0, 150);
  world_.settle();
  ASSERT_EQ(objects().size(), 2U);
  const std::vector<std::string> before = versions();
  network_.set_pod({.name = "pod-149", .addresses = {"10.0.1.50"}, .ready = false});
  world_.settle();
  const std::vector<std::string> after = versions();
  EXPECT_EQ((before[0] != after[0] ? 1 : 0) + (before[1] != after[1] ? 1 : 0), 1);
  // The one with room takes what comes.
  add_pods(150, 1);
  world_.settle();
  ASSERT_EQ(objects().size(), 2U);
  size_t endpoints = 0;
  for (const api::ObjectPtr& slice : objects()) {
    const json::Document document = slice->document().value();
    EXPECT_LE(api::View(document.root())["endpoints"].size(), 100U);
    endpoints += api::View(document.root())["endpoints"].size();
  }
  EXPECT_EQ(endpoints, 151U);
}

TEST_F(EndpointSlicesTest, WritesNothingInASteadyState) {
  network_.add_node("node-1", "zone-a");
  network_.add_service("web", std::string(kSelector) + R"(,"trafficDistribution":"PreferClose")");
  network_.add_service("empty", R"(,"selector":{"app":"none"})");
  add_pods(0, 3);
  world_.settle();
  const std::vector<std::string> before = versions();
  const std::string empty(objects("empty").front()->metadata().resource_version);
  world_.restart();
  world_.settle();
  EXPECT_EQ(versions(), before);
  EXPECT_EQ(objects("empty").front()->metadata().resource_version, empty);
  world_.patch("", "pods", "default", "pod-0", R"({"metadata":{"annotations":{"a":"b"}}})");
  EXPECT_EQ(world_.settle(), 0U);
}

TEST_F(EndpointSlicesTest, CreatesNoSliceTwiceAfterARestart) {
  network_.add_node("node-1");
  network_.add_service("web", kSelector);
  world_.settle();
  add_pods(0, 2);
  world_.restart();
  EXPECT_EQ(slices(), "IPv4 :80 10.0.0.1(rs-) 10.0.0.2(rs-)");
  add_pods(2, 1);
  world_.settle();
  world_.restart();
  EXPECT_EQ(slices(), "IPv4 :80 10.0.0.1(rs-) 10.0.0.2(rs-) 10.0.0.3(rs-)");
}

TEST_F(EndpointSlicesTest, DoesNotRepeatAWriteWithUnknownOutcome) {
  for (const bool is_done : {false, true}) {
    SCOPED_TRACE(is_done);
    const std::string name = is_done ? "done" : "lost";
    network_.add_service(name, R"(,"selector":{"app":"none"})");
    network_.watched().writes_left = 0;
    network_.watched().one_more_is_done = is_done;
    // It is tried again before the cache can know.
    network_.watched().deaf_when_it_breaks = true;
    world_.settle();
    ASSERT_TRUE(network_.watched().deaf);
    network_.watched().writes_left = std::numeric_limits<size_t>::max();
    world_.pass(std::chrono::seconds(5));
    EXPECT_EQ(objects(name).size(), 1U);
    network_.watched().deaf = false;
    world_.pass(std::chrono::seconds(5));
    EXPECT_EQ(slices(name), "IPv4");
  }
}

TEST_F(EndpointSlicesTest, RecordsFailures) {
  network_.add_service("web", kSelector);
  network_.watched().writes_left = 0;
  world_.settle();
  const std::vector<std::string>& events = network_.events();
  EXPECT_NE(std::find(events.begin(), events.end(),
                      "FailedToUpdateEndpointSlices: Error updating Endpoint Slices for Service "
                      "default/web: failed to create EndpointSlice for Service default/web: the "
                      "connection broke"),
            events.end());
  EXPECT_NE(std::find(events.begin(), events.end(),
                      "FailedToCreateEndpoint: Failed to create endpoint for service default/web: "
                      "the connection broke"),
            events.end());
}

TEST_F(EndpointSlicesTest, LabelsFollowTheService) {
  network_.add_service("web", kSelector, R"(,"labels":{"team":"a"})");
  world_.settle();
  world_.patch("", "services", "default", "web", R"({"metadata":{"labels":{"team":"b"}}})");
  world_.settle();
  EXPECT_EQ(*objects().front()->metadata().label("team"), "b");
  EXPECT_EQ(objects().size(), 1U);
}

TEST_F(EndpointSlicesTest, SetsTheTriggerTime) {
  constexpr const char* kKey = "endpoints.kubernetes.io/last-change-trigger-time";
  network_.add_node("node-1");
  network_.add_service("web", kSelector);
  world_.settle();
  network_.add_pod({.name = "a", .addresses = {"10.0.0.1"}, .since = "2031-01-01T00:00:00Z"});
  world_.settle();
  const json::Document document = only();
  EXPECT_EQ(api::View(document.root())["metadata"]["annotations"][kKey].text(),
            "2031-01-01T00:00:00Z");
}

TEST_F(EndpointSlicesTest, RevertsForeignChanges) {
  network_.add_node("node-1");
  network_.add_service("web", kSelector);
  add_pods(0, 1);
  world_.settle();
  const std::string name(objects().front()->metadata().name);
  world_.patch(kGroup, "endpointslices", "default", name, R"({"endpoints":[]})");
  EXPECT_EQ(slices(), "IPv4 :80 10.0.0.1(rs-)");
  world_.remove(kGroup, "endpointslices", "default", std::string(objects()[0]->metadata().name));
  EXPECT_EQ(slices(), "IPv4 :80 10.0.0.1(rs-)");
  // A slice that another controller claims is left alone.
  world_.patch(kGroup, "endpointslices", "default", std::string(objects()[0]->metadata().name),
               R"({"metadata":{"labels":{"endpointslice.kubernetes.io/managed-by":"me"}}})");
  world_.settle();
  EXPECT_EQ(objects().size(), 2U);
}

TEST_F(EndpointSlicesTest, IgnoresServicesWithoutASelector) {
  network_.add_service("web");
  world_.create("", "services", "default",
                R"({"metadata":{"name":"name"},"spec":{"type":"ExternalName",)"
                R"("externalName":"example.com","selector":{"app":"web"}}})");
  world_.settle();
  EXPECT_TRUE(objects().empty());
  EXPECT_TRUE(objects("name").empty());
}

TEST_F(EndpointSlicesTest, APodWaitsForItsNodeToBeKnown) {
  network_.add_service("web", kSelector);
  network_.add_service("all", std::string(kSelector) + R"(,"publishNotReadyAddresses":true)");
  network_.add_pod({.name = "a", .addresses = {"10.0.0.1"}});
  EXPECT_EQ(slices(), "IPv4");
  EXPECT_EQ(slices("all"), "IPv4 :80 10.0.0.1(rs-)");
  EXPECT_EQ(network_.events(),
            std::vector<std::string>{
                "FailedToUpdateEndpointSlices: Error updating Endpoint Slices for Service "
                "default/web: skipping Pod a for Service default/web: Node node-1 Not Found"});
  network_.add_node("node-1");
  EXPECT_EQ(slices(), "IPv4 :80 10.0.0.1(rs-)");
}

TEST_F(EndpointSlicesTest, TrafficDistributionMakesHints) {
  network_.add_node("node-1", "zone-a");
  network_.add_node("node-2", "zone-b");
  network_.add_service("web",
                       std::string(kSelector) + R"(,"trafficDistribution":"PreferSameNode")");
  network_.add_pod({.name = "a", .addresses = {"10.0.0.1"}});
  network_.add_pod({.name = "b", .node = "node-2", .addresses = {"10.0.0.2"}});
  EXPECT_EQ(slices(), "IPv4 :80 10.0.0.1(rs-)>zone-a>>node-1 10.0.0.2(rs-)>zone-b>>node-2");
  world_.patch("", "services", "default", "web",
               R"({"spec":{"trafficDistribution":"PreferClose"}})");
  EXPECT_EQ(slices(), "IPv4 :80 10.0.0.1(rs-)>zone-a 10.0.0.2(rs-)>zone-b");
  world_.patch("", "services", "default", "web", R"({"spec":{"trafficDistribution":null}})");
  EXPECT_EQ(slices(), "IPv4 :80 10.0.0.1(rs-) 10.0.0.2(rs-)");
}

TEST_F(EndpointSlicesTest, TopologyModeDividesEndpointsAmongZones) {
  network_.add_node("node-1", "zone-a");
  network_.add_node("node-2", "zone-b");
  network_.add_service("web", kSelector,
                       R"(,"annotations":{"service.kubernetes.io/topology-mode":"Auto"})");
  network_.add_pod({.name = "a", .addresses = {"10.0.0.1"}});
  EXPECT_EQ(slices(), "IPv4 :80 10.0.0.1(rs-)");
  network_.add_pod({.name = "b", .addresses = {"10.0.0.2"}});
  EXPECT_EQ(slices(), "IPv4 :80 10.0.0.1(rs-)>zone-b 10.0.0.2(rs-)>zone-a");
  // Half of the processors are gone, and with them the reason.
  network_.set_node("node-2", false);
  EXPECT_EQ(slices(), "IPv4 :80 10.0.0.1(rs-) 10.0.0.2(rs-)");
  network_.set_node("node-2", true);
  world_.patch("", "services", "default", "web", R"({"metadata":{"labels":{"x":"y"}}})");
  EXPECT_EQ(slices(), "IPv4 :80 10.0.0.1(rs-)>zone-b 10.0.0.2(rs-)>zone-a");
  world_.patch("", "services", "default", "web", R"({"metadata":{"annotations":null}})");
  EXPECT_EQ(slices(), "IPv4 :80 10.0.0.1(rs-) 10.0.0.2(rs-)");
  const std::vector<std::string>& events = network_.events();
  const auto told = [&](std::string_view text) {
    return std::count(events.begin(), events.end(), text);
  };
  EXPECT_EQ(told("TopologyAwareHintsDisabled: Insufficient number of endpoints (1 endpoints, 2 "
                 "zones), addressType: IPv4"),
            1);
  EXPECT_EQ(told("TopologyAwareHintsEnabled: Topology Aware Hints has been enabled, addressType: "
                 "IPv4"),
            1);
  EXPECT_EQ(told("TopologyAwareHintsDisabled: Insufficient Node information: allocatable CPU or "
                 "zone not specified on one or more nodes, addressType: IPv4"),
            1);
  EXPECT_EQ(told("TopologyAwareHintsDisabled: Topology Aware Hints has been disabled, "
                 "addressType: IPv4"),
            1);
}

}  // namespace
}  // namespace proa::controllers

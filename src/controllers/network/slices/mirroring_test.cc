#include "controllers/network/slices/mirroring.h"

#include <gtest/gtest.h>

#include "controllers/network/slices/mirror.h"
#include "json/parse.h"
#include "testkit/controllers/network_world.h"

namespace proa::controllers {
namespace {

constexpr const char* kGroup = "discovery.k8s.io";

class MirroringTest : public testing::Test {
 protected:
  MirroringTest()
      : network_({{"endpointslicemirroring", "endpointslicemirroring-controller",
                   make_endpoint_slice_mirroring_controller}}),
        world_(network_.world()) {}

  void add_endpoints(std::string_view subsets, std::string_view metadata = "") {
    world_.create(
        "", "endpoints", "default",
        fmt::format(R"({{"metadata":{{"name":"web"{}}},"subsets":[{}]}})", metadata, subsets));
  }
  std::vector<api::ObjectPtr> objects() {
    world_.settle();
    return world_.list(kGroup, "endpointslices", "default");
  }
  std::string slices() {
    std::vector<std::string> texts;
    for (const api::ObjectPtr& slice : objects()) {
      const std::string_view* label = slice->metadata().label("kubernetes.io/service-name");
      if (label == nullptr || *label != "web") continue;
      const json::Document document = slice->document().value();
      texts.push_back(describe_slice(document.root()));
    }
    std::sort(texts.begin(), texts.end());
    return join(texts, " | ");
  }
  api::ObjectPtr only() {
    api::ObjectPtr found;
    for (const api::ObjectPtr& slice : objects()) {
      const std::string_view* label = slice->metadata().label("kubernetes.io/service-name");
      if (label != nullptr && *label == "web") found = slice;
    }
    CHECK(found != nullptr);
    return found;
  }

  static constexpr const char* kOne =
      R"({"addresses":[{"ip":"10.0.0.1"}],"notReadyAddresses":[{"ip":"10.0.0.2"}],)"
      R"("ports":[{"name":"http","port":80}]})";

  NetworkWorld network_;
  testkit::TestWorld& world_;
};

TEST_F(MirroringTest, EndpointsMadeByHandAreMirrored) {
  add_endpoints(kOne, R"(,"labels":{"team":"a"},"annotations":{"note":"b",)"
                      R"("endpoints.kubernetes.io/last-change-trigger-time":"x",)"
                      R"("kubectl.kubernetes.io/last-applied-configuration":"y"})");
  EXPECT_EQ(slices(), "");
  network_.add_service("web");
  EXPECT_EQ(slices(), "IPv4 http:80 10.0.0.1(r--) 10.0.0.2(---)");
  const json::Document document = only()->document().value();
  const api::View metadata = api::View(document.root())["metadata"];
  EXPECT_EQ(metadata["labels"]["team"].text(), "a");
  EXPECT_EQ(metadata["labels"]["endpointslice.kubernetes.io/managed-by"].text(),
            "endpointslicemirroring-controller.k8s.io");
  EXPECT_EQ(metadata["annotations"].size(), 1U);
  EXPECT_EQ(metadata["annotations"]["note"].text(), "b");
  EXPECT_EQ(metadata["generateName"].text(), "web-");
  EXPECT_EQ(metadata["ownerReferences"].item(0)["kind"].text(), "Endpoints");
  // Nobody knows that of addresses that people wrote.
  const api::View conditions = api::View(document.root())["endpoints"].item(0)["conditions"];
  EXPECT_FALSE(conditions["serving"].exists());
  EXPECT_FALSE(conditions["terminating"].exists());
}

TEST_F(MirroringTest, MirrorsChangesOnly) {
  network_.add_service("web");
  add_endpoints(kOne);
  world_.settle();
  const std::string name(only()->metadata().name);
  const std::string version(only()->metadata().resource_version);
  world_.restart();
  EXPECT_EQ(only()->metadata().resource_version, version);
  world_.patch("", "endpoints", "default", "web",
               R"({"subsets":[{"addresses":[{"ip":"10.0.0.9"}],"ports":[{"port":81}]}]})");
  EXPECT_EQ(slices(), "IPv4 :81 10.0.0.9(r--)");
  EXPECT_EQ(only()->metadata().name, name);
  world_.patch("", "endpoints", "default", "web", R"({"metadata":{"labels":{"team":"b"}}})");
  EXPECT_EQ(*only()->metadata().label("team"), "b");
  world_.patch("", "endpoints", "default", "web", R"({"metadata":{"annotations":{"a":"b"}}})");
  EXPECT_NE(only()->json().find(R"("annotations":{"a":"b"})"), std::string_view::npos);
}

TEST_F(MirroringTest, EachFamilyAndEachSetOfPortsHasItsOwn) {
  network_.add_service("web");
  add_endpoints(R"({"addresses":[{"ip":"10.0.0.1"},{"ip":"2001:db8::1"}],"ports":[{"port":80}]},)"
                R"({"addresses":[{"ip":"10.0.0.2"}],"ports":[{"port":81}]})");
  EXPECT_EQ(slices(),
            "IPv4 :80 10.0.0.1(r--) | IPv4 :81 10.0.0.2(r--) | IPv6 :80 2001:db8::1(r--)");
  world_.patch("", "endpoints", "default", "web",
               R"({"subsets":[{"addresses":[{"ip":"10.0.0.2"}],"ports":[{"port":81}]}]})");
  EXPECT_EQ(slices(), "IPv4 :81 10.0.0.2(r--)");
}

TEST_F(MirroringTest, DeletesUnwantedSlices) {
  struct Case {
    const char* name;
    std::function<void()> change;
    std::function<void()> back;
  };
  const Case cases[] = {
      {"skipped",
       [&] {
         world_.patch(
             "", "endpoints", "default", "web",
             R"({"metadata":{"labels":{"endpointslice.kubernetes.io/skip-mirror":"true"}}})");
       },
       [&] { world_.patch("", "endpoints", "default", "web", R"({"metadata":{"labels":null}})"); }},
      {"a leader's",
       [&] {
         world_.patch(
             "", "endpoints", "default", "web",
             R"({"metadata":{"annotations":{"control-plane.alpha.kubernetes.io/leader":"x"}}})");
       },
       [&] {
         world_.patch("", "endpoints", "default", "web", R"({"metadata":{"annotations":null}})");
       }},
      {"a selector",
       [&] {
         world_.patch("", "services", "default", "web", R"({"spec":{"selector":{"a":"b"}}})");
       },
       [&] { world_.patch("", "services", "default", "web", R"({"spec":{"selector":null}})"); }},
      {"no service", [&] { world_.remove("", "services", "default", "web"); },
       [&] { network_.add_service("web"); }},
      {"no endpoints", [&] { world_.remove("", "endpoints", "default", "web"); },
       [&] { add_endpoints(kOne); }},
      {"no addresses",
       [&] { world_.patch("", "endpoints", "default", "web", R"({"subsets":null})"); }, [] {}},
  };
  network_.add_service("web");
  add_endpoints(kOne);
  for (const Case& c : cases) {
    SCOPED_TRACE(c.name);
    EXPECT_NE(slices(), "");
    c.change();
    EXPECT_EQ(slices(), "");
    c.back();
  }
}

TEST_F(MirroringTest, RevertsForeignChanges) {
  network_.add_service("web");
  add_endpoints(kOne);
  world_.settle();
  world_.patch(kGroup, "endpointslices", "default", std::string(only()->metadata().name),
               R"({"endpoints":[]})");
  EXPECT_EQ(slices(), "IPv4 http:80 10.0.0.1(r--) 10.0.0.2(---)");
  world_.remove(kGroup, "endpointslices", "default", std::string(only()->metadata().name));
  EXPECT_EQ(slices(), "IPv4 http:80 10.0.0.1(r--) 10.0.0.2(---)");
}

TEST_F(MirroringTest, ReportsTooManyAddresses) {
  std::string addresses;
  for (int i = 0; i < 1002; ++i) {
    addresses += fmt::format(R"({}{{"ip":"10.{}.{}.1"}})", i == 0 ? "" : ",", i / 250, i % 250);
  }
  network_.add_service("web");
  add_endpoints(fmt::format(R"({{"addresses":[{}],"ports":[{{"port":80}}]}})", addresses));
  const json::Document document = only()->document().value();
  EXPECT_EQ(api::View(document.root())["endpoints"].size(), 1000U);
  EXPECT_EQ(network_.events(),
            std::vector<std::string>{
                "TooManyAddressesToMirror: A max of 1000 addresses can be mirrored to "
                "EndpointSlices per Endpoints subset. 2 addresses were skipped"});
}

TEST(MirrorOf, CountsWhatItLeavesOut) {
  const json::Document document =
      json::parse(R"([{"addresses":[{"ip":"10.0.0.1"},{"ip":"nonsense"},{"ip":"010.0.0.2"}],)"
                  R"("notReadyAddresses":[{"ip":"10.0.0.3"}],"ports":[{"port":80}]}])")
          .value();
  const Mirror mirror = mirror_of(document.root(), 3);
  EXPECT_EQ(mirror.invalid, 1U);
  EXPECT_EQ(mirror.skipped, 1U);
  ASSERT_EQ(mirror.slices.size(), 1U);
  const Mirror::Slice& slice = mirror.slices.begin()->second;
  ASSERT_EQ(slice.endpoints.size(), 3U);
  EXPECT_EQ(slice.endpoints[0].addresses.front(), "10.0.0.2");  // in its usual form
  EXPECT_FALSE(slice.endpoints[2].is_ready());
  EXPECT_EQ(mirror_of(document.root(), 2).skipped, 2U);
}

}  // namespace
}  // namespace proa::controllers

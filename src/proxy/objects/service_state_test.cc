#include "proxy/objects/service_state.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "testkit/golden.h"
#include "testkit/proxy/service_script.h"

namespace proa::proxy {
namespace {

const NodeFacts kNode{.name = "here", .zone = "a"};

TEST(ReadService, GivesPortsWithTheirEndpoints) {
  testkit::run_golden(
      std::filesystem::path(__FILE__).parent_path() / "testdata/services.txt",
      [](std::string_view yaml) {
        std::string text;
        for (const testkit::ScriptedService& scripted : testkit::read_services(yaml)) {
          const ServiceState state = read_service(*scripted.service, scripted.slices, kNode);
          for (const ServicePort& port : state.ports) text += testkit::describe(port) + "\n";
          if (state.health_check_port == 0) continue;
          text += fmt::format("health {}: {} local of IPv4, {} of IPv6\n", state.health_check_port,
                              state.local_ready[0], state.local_ready[1]);
        }
        return text;
      });
}

TEST(ReadService, SurvivesWhatIsNoService) {
  for (const char* text : {"", "{", "[]", R"({"spec":{"ports":{}}})", R"({"spec":5})"}) {
    const api::ObjectPtr object = api::Object::make(text);
    EXPECT_TRUE(read_service(*object, {}, kNode).ports.empty()) << text;
  }
}

TEST(ReadService, SaysWhenTheChangeBegan) {
  const auto scripted = testkit::read_services(
      "{metadata: {name: web, namespace: default}, spec: {clusterIP: 10.0.0.1, ports: [{port: "
      "80}]}}\n"
      "---\n"
      "{metadata: {name: web-1, annotations: {endpoints.kubernetes.io/last-change-trigger-time: "
      "\"2026-01-02T15:04:05Z\"}}, addressType: IPv4}\n");
  const ServiceState state = read_service(*scripted[0].service, scripted[0].slices, kNode);
  EXPECT_EQ(state.triggers[0], std::vector{Time(std::chrono::seconds(1767366245))});
  // Of its own family only.
  EXPECT_TRUE(state.triggers[1].empty());
}

}  // namespace
}  // namespace proa::proxy

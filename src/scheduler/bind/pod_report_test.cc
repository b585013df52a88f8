#include "scheduler/bind/pod_report.h"

#include <gtest/gtest.h>

#include "json/parse.h"
#include "testkit/fake_clock.h"
#include "testkit/scheduler/builders.h"

namespace proa::scheduler {
namespace {

using testkit::make_pod;
using testkit::PodBuilder;

std::string patch_of(const PodBuilder& pod, const PodReport& report) {
  PodReader reader;
  return report_patch(*reader.read(pod.object()), report, testkit::FakeClock::kStart);
}

const PodReport kUnschedulable{.reason = "Unschedulable", .message = "no room"};

PodBuilder with_condition(std::string_view status, std::string_view reason,
                          std::string_view message) {
  return make_pod("a").status_json(
      "conditions", R"([{"type":"Ready","status":"False"},{"type":"PodScheduled","status":")" +
                        std::string(status) + R"(","reason":")" + std::string(reason) +
                        R"(","message":")" + std::string(message) +
                        R"(","lastTransitionTime":"2026-01-01T00:00:00Z"}])");
}

// The patch, with the place of the uid left out.
std::string expected(std::string_view status) {
  return R"({"metadata":{"uid":"uid-default-a"},"status":)" + std::string(status) + "}";
}

void expect_same_json(const std::string& found, const std::string& wanted) {
  if (found.empty() || wanted.empty()) {
    EXPECT_EQ(found, wanted);
    return;
  }
  const json::Document a = json::parse(found).value();
  const json::Document b = json::parse(wanted).value();
  EXPECT_TRUE(api::View(a.root()) == api::View(b.root())) << found << "\n" << wanted;
}

TEST(ReportPatch, SaysWhatThePodDoesNotSayYet) {
  const auto condition = [](std::string_view since, std::string_view message = "no room") {
    return R"("conditions":[{"type":"PodScheduled","status":"False","reason":"Unschedulable",)"
           R"("message":")" +
           std::string(message) + R"(","observedGeneration":0,"lastTransitionTime":")" +
           std::string(since) + R"("}])";
  };
  constexpr std::string_view kNow = "2026-01-02T15:04:05Z";
  struct Case {
    const char* name;
    PodBuilder pod;
    PodReport report;
    std::string patch;
  };
  const std::vector<Case> cases = {
      {"the first time", make_pod("a"), kUnschedulable, expected("{" + condition(kNow) + "}")},
      {"again", with_condition("False", "Unschedulable", "no room"), kUnschedulable, ""},
      {"for another reason", with_condition("False", "Unschedulable", "no nodes"), kUnschedulable,
       expected("{" + condition("2026-01-01T00:00:00Z") + "}")},
      {"after another word", with_condition("True", "", ""), kUnschedulable,
       expected("{" + condition(kNow) + "}")},
      {"a node besides",
       make_pod("a"),
       {.reason = "Unschedulable", .message = "no room", .nominated_node = api::NodeName("n1")},
       expected("{" + condition(kNow) + R"(,"nominatedNodeName":"n1"})")},
      {"a node only",
       with_condition("False", "Unschedulable", "no room"),
       {.reason = "Unschedulable", .message = "no room", .nominated_node = api::NodeName("n1")},
       expected(R"({"nominatedNodeName":"n1"})")},
      {"the node that it says",
       make_pod("a").nominated("n1"),
       {.nominated_node = api::NodeName("n1")},
       ""},
      {"no node any more",
       make_pod("a").nominated("n1"),
       {.nominated_node = api::NodeName("")},
       expected(R"({"nominatedNodeName":null})")},
      {"no node as before", make_pod("a"), {.nominated_node = api::NodeName("")}, ""},
      {"nothing of the node", make_pod("a").nominated("n1"), PodReport{}, ""},
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(c.name);
    expect_same_json(patch_of(c.pod, c.report), c.patch);
  }
}

TEST(ReportPatch, SaysWhichGenerationWasLookedAt) {
  const std::string patch =
      patch_of(make_pod("a").json("metadata.generation", "3"), kUnschedulable);
  const json::Document document = json::parse(patch).value();
  const api::View condition = api::View(document.root())["status"]["conditions"].item(0);
  EXPECT_EQ(condition["observedGeneration"].integer(), 3);
}

}  // namespace
}  // namespace proa::scheduler

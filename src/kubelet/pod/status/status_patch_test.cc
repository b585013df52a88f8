#include "kubelet/pod/status/status_patch.h"

#include <gtest/gtest.h>

#include "json/parse.h"

namespace proa::kubelet {
namespace {

constexpr Time kNow{std::chrono::seconds(1767366245)};

PodPtr pod_with(const std::string& status) {
  return *Pod::read(api::Object::make(R"({"metadata":{"name":"a","namespace":"d","uid":"u"},)"
                                      R"("spec":{},"status":)" +
                                      status + "}"),
                    Pod::Source::kApi);
}

struct Case {
  const char* name;
  const char* told;
  const char* ours;
  bool may_run;
  bool finished;
  const char* patch;
};

TEST(StatusPatch, SaysWhatIsNew) {
  const Case cases[] = {
      {"the same", R"({"phase":"Running","podIPs":[{"ip":"1"}]})",
       R"({"podIPs":[{"ip":"1"}],"phase":"Running"})", false, false, ""},
      {"values and what is gone", R"({"phase":"Pending","reason":"x","nominatedNodeName":"n"})",
       R"({"phase":"Running","podIP":"1"})", false, false,
       R"({"status":{"phase":"Running","podIP":"1","reason":null,"nominatedNodeName":null},)"
       R"("metadata":{"uid":"u"}})"},
      {"maps entry by entry", R"({"allocatedResources":{"cpu":"1","memory":"1"}})",
       R"({"allocatedResources":{"cpu":"2"}})", false, false,
       R"({"status":{"allocatedResources":{"cpu":"2","memory":null}},"metadata":{"uid":"u"}})"},
      {"addresses as a whole", R"({"podIPs":[{"ip":"1"}]})", R"({"podIPs":[{"ip":"2"}]})", false,
       false, R"({"status":{"podIPs":[{"$patch":"replace"},{"ip":"2"}]},"metadata":{"uid":"u"}})"},
      {"conditions one by one, those of others stay",
       R"({"conditions":[{"type":"x/y","status":"True"},{"type":"Ready","status":"False"},)"
       R"({"type":"PodResizePending","status":"True"},{"type":"PodScheduled","status":"True"}]})",
       R"({"conditions":[{"type":"x/y","status":"False"},{"type":"Ready","status":"True"},)"
       R"({"type":"PodScheduled","status":"True"}]})",
       false, false,
       R"({"status":{"$setElementOrder/conditions":[{"type":"x/y"},{"type":"Ready"},)"
       R"({"type":"PodScheduled"}],"conditions":[{"status":"True","type":"Ready"},)"
       R"({"$patch":"delete","type":"PodResizePending"}]},"metadata":{"uid":"u"}})"},
      {"what others own stays", R"({"phase":"Running","resourceClaimStatuses":[{"name":"c"}]})",
       R"({"phase":"Running"})", false, false, ""},
      {"it is over only when nothing runs", R"({"phase":"Running"})",
       R"({"phase":"Failed","reason":"Evicted"})", true, false, R"()"},
      {"and then it is told", R"({"phase":"Running"})", R"({"phase":"Failed","reason":"Evicted"})",
       false, false, R"({"status":{"phase":"Failed","reason":"Evicted"},"metadata":{"uid":"u"}})"},
      {"what is over stays over", R"({"phase":"Succeeded"})", R"({"phase":"Running"})", false,
       false, ""},
      {"and does not become something else", R"({"phase":"Succeeded"})", R"({"phase":"Failed"})",
       false, false, ""},
      {"who is gone is over", R"({"phase":"Running"})", R"({"phase":"Running"})", true, true,
       R"({"status":{"phase":"Failed"},"metadata":{"uid":"u"}})"},
      {"who is over is not ready",
       R"({"phase":"Failed","conditions":[{"type":"Ready","status":"False","lastTransitionTime":"t"}]})",
       R"({"phase":"Failed","conditions":[{"type":"Ready","status":"True"}]})", false, false,
       R"({"status":{"$setElementOrder/conditions":[{"type":"ContainersReady"},{"type":"Ready"}],)"
       R"("conditions":[{"type":"ContainersReady","status":"False",)"
       R"("lastTransitionTime":"2026-01-02T15:04:05Z","reason":"PodFailed"},)"
       R"({"reason":"PodFailed","type":"Ready"}]},"metadata":{"uid":"u"}})"},
      {"a disruption is told with the end", R"({"phase":"Running"})",
       R"({"phase":"Failed","conditions":[{"type":"DisruptionTarget","status":"True"}]})", false,
       false,
       R"({"status":{"phase":"Failed","conditions":[{"type":"DisruptionTarget","status":"True",)"
       R"("lastTransitionTime":"2026-01-02T15:04:05Z"}]},"metadata":{"uid":"u"}})"},
      {"not before", R"({"phase":"Running"})",
       R"({"phase":"Failed","conditions":[{"type":"DisruptionTarget","status":"True"}]})", true,
       false, ""},
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(c.name);
    const PodPtr told = pod_with(c.told);
    const auto ours = json::parse(c.ours);
    EXPECT_EQ(make_status_patch({.told = *told,
                                 .pod = *told,
                                 .status = ours->root(),
                                 .may_run = c.may_run,
                                 .finished = c.finished,
                                 .now = kNow}),
              c.patch);
  }
}

}  // namespace
}  // namespace proa::kubelet

#include "kubelet/runtime/logs/log_source.h"

#include <gtest/gtest.h>

#include "json/parse.h"

namespace proa::kubelet {
namespace {

TEST(LogSource, IsWhatRunsOrRanLast) {
  const std::string which = "container \"main\" in pod \"web\"";
  const struct {
    const char* status;  // of the container
    bool previous;
    std::string expected;
  } cases[] = {
      {R"("state":{"running":{}},"containerID":"c://1")", false, "c://1"},
      {R"("state":{"running":{}},"containerID":"c://1")", true,
       "! previous terminated " + which + " not found"},
      {R"("state":{"running":{}},"lastState":{"terminated":{"containerID":"c://0"}})", true,
       "c://0"},
      {R"("state":{"terminated":{"containerID":"c://1"}})", false, "c://1"},
      {R"("state":{"terminated":{}})", false, "! " + which + " is terminated"},
      {R"("state":{"terminated":{}},"lastState":{"terminated":{"containerID":"c://0"}})", false,
       "c://0"},
      {R"("state":{"waiting":{"reason":"CrashLoopBackOff"}},"lastState":{"terminated":{"containerID":"c://0"}})",
       false, "c://0"},
      {R"("state":{"waiting":{}},"lastState":{"terminated":{}})", false,
       "! " + which + " is terminated"},
      {R"("state":{"waiting":{"reason":"ErrImagePull"}})", false,
       "! " + which + " is waiting to start: image can't be pulled"},
      {R"("state":{"waiting":{"reason":"ImagePullBackOff"}})", false,
       "! " + which + " is waiting to start: trying and failing to pull image"},
      {R"("state":{"waiting":{"reason":"PodInitializing"}})", false,
       "! " + which + " is waiting to start: PodInitializing"},
      {R"("ready":false)", false, "! " + which + " is waiting to start - no logs yet"},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.status);
    for (const std::string list :
         {"containerStatuses", "initContainerStatuses", "ephemeralContainerStatuses"}) {
      const json::Document status = *json::parse(
          R"({")" + list + R"(":[{"name":"other"},{"name":"main",)" + c.status + "}]}");
      const Result<std::string> found = log_source(status.root(), "web", "main", c.previous);
      EXPECT_EQ(found ? *found : "! " + found.status().message(), c.expected);
    }
  }
  const json::Document nothing = *json::parse("{}");
  EXPECT_EQ(log_source(nothing.root(), "web", "main", false).status().message(),
            which + " is not available");
}

}  // namespace
}  // namespace proa::kubelet

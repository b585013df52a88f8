#include "apiserver/resources/write/deletion/grace.h"

#include <gtest/gtest.h>

#include "api/schema/builtin.h"
#include "json/parse.h"

namespace proa::apiserver {
namespace {

constexpr const char* kRunning =
    R"({"metadata":{},"spec":{"nodeName":"n","terminationGracePeriodSeconds":30}})";
constexpr const char* kWaiting = R"({"metadata":{},"spec":{"terminationGracePeriodSeconds":30}})";

std::string marked(int64_t seconds) {
  return R"({"metadata":{"deletionTimestamp":"2026-01-02T15:04:35Z","deletionGracePeriodSeconds":)" +
         std::to_string(seconds) + R"(},"spec":{"nodeName":"n"},"status":{"phase":"Failed"}})";
}

TEST(DecideGrace, AsUpstream) {
  struct Case {
    const char* name;
    std::string pod;
    std::optional<int64_t> requested;
    Grace::Is is;
    int64_t seconds;
    std::optional<int64_t> shown;
  };
  using Is = Grace::Is;
  for (const Case& c : {
           Case{"the pod's own", kRunning, {}, Is::kGiven, 30, 30},
           Case{"the request's", kRunning, 5, Is::kGiven, 5, 5},
           Case{"a negative one", kRunning, -5, Is::kGiven, 1, 1},
           Case{"none is needed", kWaiting, {}, Is::kGiven, 0, 0},
           Case{"none is needed, whatever is asked for", kWaiting, 5, Is::kGiven, 0, 0},
           Case{"again", marked(30), {}, Is::kPending, 0, {}},
           Case{"as long as before", marked(30), 30, Is::kPending, 0, 30},
           Case{"shorter", marked(30), 10, Is::kGiven, 10, 10},
           Case{"at once", marked(30), 0, Is::kGiven, 0, 0},
           Case{"it is over", marked(0), {}, Is::kNone, 0, {}},
           Case{"it is over, whatever is asked for", marked(0), 5, Is::kNone, 0, 5},
       }) {
    SCOPED_TRACE(c.name);
    const json::Document pod = json::parse_literal(c.pod);
    const Grace grace = decide_grace(pod.root(), c.requested,
                                     *api::builtin_schema().find_resource("", "v1", "pods"));
    EXPECT_EQ(grace.is, c.is);
    EXPECT_EQ(grace.seconds, c.seconds);
    EXPECT_EQ(grace.shown, c.shown);
  }
}

TEST(DecideGrace, OtherKindsHaveNone) {
  const json::Document object = json::parse_literal(R"({"metadata":{}})");
  const api::Resource& resource = *api::builtin_schema().find_resource("", "v1", "configmaps");
  EXPECT_EQ(decide_grace(object.root(), {}, resource).shown, std::nullopt);
  const Grace grace = decide_grace(object.root(), -3, resource);
  EXPECT_EQ(grace.is, Grace::Is::kNone);
  EXPECT_EQ(grace.shown, 1);
}

TEST(ShortenGrace, CountsFromTheFirstDeletion) {
  const json::Document pod = json::parse_literal(marked(30));
  const api::View metadata = api::View(pod.root())["metadata"];
  const auto shortened = [&](int64_t grace, std::string_view now) {
    const ShorterGrace made = shorten_grace(metadata, grace, parse_time(now).value());
    return format_time(made.end) + " " + std::to_string(made.seconds);
  };
  EXPECT_EQ(shortened(10, "2026-01-02T15:04:10Z"), "2026-01-02T15:04:15Z 10");
  EXPECT_EQ(shortened(10, "2026-01-02T15:04:20Z"), "2026-01-02T15:04:20Z 1");
  EXPECT_EQ(shortened(0, "2026-01-02T15:04:20Z"), "2026-01-02T15:04:20Z 0");
}

}  // namespace
}  // namespace proa::apiserver

#include "controllers/network/trigger_times.h"

#include <gtest/gtest.h>

#include "testkit/controllers/network_world.h"

namespace proa::controllers {
namespace {

api::ObjectPtr service_created(std::string_view time) {
  return api::Object::make(fmt::format(
      R"({{"metadata":{{"name":"web","namespace":"default","creationTimestamp":"{}"}}}})", time));
}

api::ObjectPtr pod_ready(std::string name, std::string time) {
  return TestPod{.name = std::move(name), .since = std::move(time)}.object();
}

class TriggerTimesTest : public testing::Test {
 protected:
  std::string next(const api::ObjectPtr& service, const std::vector<api::ObjectPtr>& pods) {
    const std::optional<Time> time = times_.next(*service, pods);
    return time ? format_time(*time) : "none";
  }

  TriggerTimes times_;
  const api::ObjectPtr service_ = service_created("2026-01-01T00:00:00Z");
};

TEST_F(TriggerTimesTest, TheFirstIsThatOfTheService) {
  EXPECT_EQ(next(service_, {pod_ready("a", "2025-01-01T00:00:00Z")}), "2026-01-01T00:00:00Z");
}

TEST_F(TriggerTimesTest, ThenTheEarliestOfWhatChanged) {
  const api::ObjectPtr old = pod_ready("a", "2026-01-01T00:00:01Z");
  next(service_, {old});
  EXPECT_EQ(next(service_, {old}), "none");
  EXPECT_EQ(next(service_, {old, pod_ready("c", "2026-01-01T00:00:05Z"),
                            pod_ready("b", "2026-01-01T00:00:04Z")}),
            "2026-01-01T00:00:04Z");
  EXPECT_EQ(next(service_, {pod_ready("a", "2026-01-01T00:00:09Z")}), "2026-01-01T00:00:09Z");
  EXPECT_EQ(next(service_, {}), "none");
}

TEST_F(TriggerTimesTest, AServiceThatCameAgainIsAChange) {
  next(service_, {});
  EXPECT_EQ(next(service_created("2026-02-01T00:00:00Z"), {}), "2026-02-01T00:00:00Z");
  times_.forget({"default", "web"});
  EXPECT_EQ(next(service_, {}), "2026-01-01T00:00:00Z");
}

}  // namespace
}  // namespace proa::controllers

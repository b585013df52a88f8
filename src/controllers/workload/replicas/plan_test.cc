#include "controllers/workload/replicas/plan.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "testkit/fake_clock.h"

namespace proa::controllers::replicas {
namespace {

constexpr Time kNow = testkit::FakeClock::kStart;

struct PodIs {
  std::string name;
  std::string node = "a";
  std::string phase = "Running";
  bool ready = true;
  int cost = 0;
  bool being_deleted = false;
};

api::ObjectPtr make_pod(const PodIs& is) {
  const std::string deleted =
      is.being_deleted ? R"(,"deletionTimestamp":"2026-01-02T15:00:00Z")" : "";
  return api::Object::make(fmt::format(
      R"({{"metadata":{{"name":"{}"{},"annotations":)"
      R"({{"controller.kubernetes.io/pod-deletion-cost":"{}"}}}},"spec":{{"nodeName":"{}"}},)"
      R"("status":{{"phase":"{}","conditions":[{{"type":"Ready","status":"{}",)"
      R"("lastTransitionTime":"2026-01-02T15:00:00Z"}}]}}}})",
      is.name, deleted, is.cost, is.node, is.phase, is.ready ? "True" : "False"));
}

std::vector<api::ObjectPtr> make_pods(const std::vector<PodIs>& all) {
  std::vector<api::ObjectPtr> pods;
  for (const PodIs& one : all) pods.push_back(make_pod(one));
  return pods;
}

std::string names(const std::vector<api::ObjectPtr>& pods) {
  std::string all;
  for (const api::ObjectPtr& pod : pods) all += std::string(pod->metadata().name) + " ";
  return all;
}

TEST(MissingReplicas, AreTheDifferenceButNeverMoreThanABurst) {
  EXPECT_EQ(missing_replicas(3, 1), 2);
  EXPECT_EQ(missing_replicas(1, 4), -3);
  EXPECT_EQ(missing_replicas(7, 7), 0);
  EXPECT_EQ(missing_replicas(2000, 1), kBurst);
  EXPECT_EQ(missing_replicas(0, 2000), -kBurst);
}

TEST(ChooseToRemove, TakesWhatDoesLeastFirst) {
  const auto pods = make_pods({{.name = "works"},
                               {.name = "not-ready", .ready = false},
                               {.name = "waits", .phase = "Pending", .ready = false},
                               {.name = "nowhere", .node = "", .phase = "Pending", .ready = false},
                               {.name = "cheap", .cost = -5}});
  EXPECT_EQ(names(choose_to_remove(pods, {}, 4, kNow)), "nowhere waits not-ready cheap ");
  EXPECT_EQ(choose_to_remove(pods, {}, 5, kNow).size(), 5u);
  EXPECT_EQ(choose_to_remove(pods, {}, 0, kNow).size(), 0u);
}

TEST(ChooseToRemove, TakesFromTheNodeThatHasMostOfThem) {
  const auto pods = make_pods({{.name = "one"}, {.name = "two", .node = "b"}});
  const auto related = make_pods({{.name = "one"},
                                  {.name = "two", .node = "b"},
                                  {.name = "other-set", .node = "b"},
                                  {.name = "leaves", .node = "a", .being_deleted = true},
                                  {.name = "over", .node = "a", .phase = "Failed"}});
  EXPECT_EQ(names(choose_to_remove(pods, related, 1, kNow)), "two ");
  // Who has no siblings: their names' order, so that every run does the same.
  EXPECT_EQ(names(choose_to_remove(pods, {}, 1, kNow)), "one ");
}

}  // namespace
}  // namespace proa::controllers::replicas

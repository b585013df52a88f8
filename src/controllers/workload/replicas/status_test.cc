#include "controllers/workload/replicas/status.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "json/print.h"
#include "testkit/fake_clock.h"

namespace proa::controllers::replicas {
namespace {

constexpr Time kNow = testkit::FakeClock::kStart;

api::ObjectPtr make_pod(std::string_view labels, bool ready, Time since = kNow) {
  return api::Object::make(fmt::format(
      R"({{"metadata":{{"name":"p","labels":{}}},"status":{{"phase":"Running","conditions":)"
      R"([{{"type":"Ready","status":"{}","lastTransitionTime":"{}"}}]}}}})",
      labels, ready ? "True" : "False", format_time(since)));
}

SetFacts make_facts(int64_t min_ready_seconds) {
  const api::ObjectPtr set = api::Object::make(
      fmt::format(R"({{"metadata":{{"name":"web"}},"spec":{{"replicas":3,"minReadySeconds":{},)"
                  R"("selector":{{"matchLabels":{{"a":"b"}}}},)"
                  R"("template":{{"metadata":{{"labels":{{"a":"b","c":"d"}}}}}}}}}})",
                  min_ready_seconds));
  return set_facts(*set, SelectorForm::kSelector);
}

std::string status_after(const std::string& before, const std::function<void(api::Edit)>& change) {
  json::Document document = api::Object::make(before)->document().value();
  change(api::Edit(document));
  return json::print(document.root());
}

TEST(CountReplicas, LooksAtLabelsReadinessAndTime) {
  const std::vector<api::ObjectPtr> pods = {
      make_pod(R"({"a":"b","c":"d","e":"f"})", true, kNow - std::chrono::seconds(10)),
      make_pod(R"({"a":"b"})", true, kNow - std::chrono::seconds(9)),
      make_pod(R"({"a":"b","c":"d"})", false, kNow - std::chrono::seconds(60)),
  };
  EXPECT_EQ(count_replicas(make_facts(0), pods, kNow),
            (Counts{.replicas = 3, .fully_labeled = 2, .ready = 2, .available = 2}));
  EXPECT_EQ(count_replicas(make_facts(10), pods, kNow),
            (Counts{.replicas = 3, .fully_labeled = 2, .ready = 2, .available = 1}));
}

TEST(PutCounts, LeavesOutZerosAsTheApiDoes) {
  EXPECT_EQ(status_after(R"({"replicas":2,"readyReplicas":2})",
                         [](api::Edit status) { put_counts(status, {}, 0); }),
            R"({"replicas":0})");
  EXPECT_EQ(
      status_after(
          "{}",
          [](api::Edit status) {
            put_counts(
                status,
                {.replicas = 3, .fully_labeled = 2, .ready = 1, .available = 1, .terminating = 0},
                7);
          }),
      R"({"replicas":3,"fullyLabeledReplicas":2,"readyReplicas":1,"availableReplicas":1,)"
      R"("terminatingReplicas":0,"observedGeneration":7})");
}

TEST(PutFailure, SaysTheFirstOneUntilThereIsNone) {
  const std::string failed = status_after("{}", [](api::Edit status) {
    put_failure(status, Status(Reason::kForbidden, "no more"), 2, kNow);
  });
  EXPECT_EQ(failed, R"({"conditions":[{"type":"ReplicaFailure","lastTransitionTime":)"
                    R"("2026-01-02T15:04:05Z","status":"True","reason":"FailedCreate",)"
                    R"("message":"no more"}]})");
  EXPECT_EQ(status_after(failed,
                         [](api::Edit status) {
                           put_failure(status, Status(Reason::kForbidden, "other"), -1,
                                       kNow + std::chrono::seconds(9));
                         }),
            failed);
  EXPECT_EQ(status_after(failed, [](api::Edit status) { put_failure(status, {}, 0, kNow); }),
            R"({"conditions":[]})");
  EXPECT_NE(status_after("{}",
                         [](api::Edit status) {
                           put_failure(status, Status(Reason::kForbidden, "no"), -1, kNow);
                         })
                .find("FailedDelete"),
            std::string::npos);
}

TEST(SetFacts, WantNothingWhenTheSelectorIsNotValid) {
  const api::ObjectPtr set = api::Object::make(
      R"({"spec":{"selector":{"matchExpressions":[{"key":"a","operator":"Like"}]}}})");
  EXPECT_TRUE(set_facts(*set, SelectorForm::kSelector).selector.matches_nothing());
  const api::ObjectPtr plain = api::Object::make(R"({"spec":{"selector":{"a":"b"}}})");
  EXPECT_EQ(set_facts(*plain, SelectorForm::kMap).selector.str(), "a=b");
  EXPECT_EQ(set_facts(*plain, SelectorForm::kMap).replicas, 1);
}

}  // namespace
}  // namespace proa::controllers::replicas

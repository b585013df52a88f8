#include "apiserver/front/fairness/seats.h"

#include <gtest/gtest.h>

#include "apiserver/front/fairness/watch_counts.h"

namespace proa::apiserver::fairness {
namespace seats_test {

const User kJane{.name = "jane", .uid = {}, .groups = {}, .extra = {}};

Attributes list_of_pods() {
  return {.user = &kJane, .verb = "list", .resource = "pods", .name_space = "default"};
}

int seats_of(const Attributes& request, const ListOptions& options, const ObjectFigures& figures,
             int max_seats = 0) {
  return estimate_list(request, &options, figures, max_seats).initial_seats;
}

TEST(EstimateList, CostsASeatForEvery100Kilobytes) {
  const ObjectFigures few{.objects = 100, .more = false, .average_bytes = 2'500};
  EXPECT_EQ(seats_of(list_of_pods(), {}, few), 3);
  EXPECT_EQ(seats_of(list_of_pods(), {}, {}), 1);
  const ObjectFigures many{.objects = 1024, .more = true, .average_bytes = 100};
  EXPECT_EQ(seats_of(list_of_pods(), {}, many), 10) << "a megabyte at a time";
  EXPECT_EQ(seats_of(list_of_pods(), {}, many, 8), 8) << "the level's limit";
}

TEST(EstimateList, CountsWhatAPageHas) {
  const ObjectFigures many{.objects = 1024, .more = true, .average_bytes = 1'000};
  ListOptions page;
  page.limit = 150;
  EXPECT_EQ(seats_of(list_of_pods(), page, many), 2);
  page.continue_token = "x";
  EXPECT_EQ(seats_of(list_of_pods(), page, many), 2);
  page.limit = 50'000;
  EXPECT_EQ(seats_of(list_of_pods(), page, many), 100) << "not from memory: no limit but the last";
  page.limit = 0;
  EXPECT_EQ(seats_of(list_of_pods(), page, many), 100);
}

TEST(EstimateList, AnyLimitIsOne) {
  const ObjectFigures many{.objects = 1024, .more = true, .average_bytes = 1'000};
  ListOptions page;
  page.limit = INT64_MAX;
  EXPECT_EQ(seats_of(list_of_pods(), page, many), 10) << "from memory";
  page.continue_token = "x";
  EXPECT_EQ(seats_of(list_of_pods(), page, many), 100);
  const ObjectFigures empty{.objects = 1024, .more = true, .average_bytes = 0};
  EXPECT_EQ(seats_of(list_of_pods(), page, empty), 1);
}

TEST(EstimateList, CostsOneSeatForOneObject) {
  const ObjectFigures many{.objects = 1024, .more = true, .average_bytes = 1'000};
  Attributes one = list_of_pods();
  one.name = "web";
  EXPECT_EQ(seats_of(one, {}, many), 1);
}

TEST(EstimateList, CostsTheMostIfItIsMalformedAndTheLeastIfItIsElsewhere) {
  EXPECT_EQ(estimate_list(list_of_pods(), nullptr, std::nullopt, 9).initial_seats, 9);
  const ListOptions options;
  EXPECT_EQ(estimate_list(list_of_pods(), &options, std::nullopt, 9).initial_seats, 1);
}

TEST(CostKind, DependsOnVerbAndOptions) {
  Attributes request = list_of_pods();
  ListOptions options;
  EXPECT_EQ(cost_kind(request, &options), CostKind::kList);
  request.verb = "watch";
  EXPECT_EQ(cost_kind(request, &options), CostKind::kList) << "it begins with all objects";
  options.resource_version = "12";
  EXPECT_EQ(cost_kind(request, &options), CostKind::kFixed);
  options.send_initial_events = true;
  EXPECT_EQ(cost_kind(request, &options), CostKind::kList);
  for (const char* verb : {"create", "update", "patch", "delete"}) {
    request.verb = verb;
    EXPECT_EQ(cost_kind(request, nullptr), CostKind::kChange) << verb;
  }
  request.verb = "deletecollection";
  EXPECT_EQ(cost_kind(request, nullptr), CostKind::kFixed);
  request = {
      .user = &kJane, .verb = "create", .resource = "serviceaccounts", .subresource = "token"};
  EXPECT_EQ(cost_kind(request, nullptr), CostKind::kFixed);
  EXPECT_EQ(cost_kind({.user = &kJane, .verb = "list", .is_resource = false, .path = "/"}, nullptr),
            CostKind::kFixed);
}

TEST(EstimateChange, CostsSeatsForWatches) {
  EXPECT_EQ(estimate_change(9, 0), WorkEstimate{});
  EXPECT_EQ(estimate_change(45, 0),
            (WorkEstimate{.initial_seats = 1,
                          .final_seats = 5,
                          .additional_latency = std::chrono::milliseconds(5)}));
  // The same work on fewer seats.
  EXPECT_EQ(estimate_change(1000, 0),
            (WorkEstimate{.initial_seats = 1,
                          .final_seats = 10,
                          .additional_latency = std::chrono::milliseconds(50)}));
}

TEST(WatchCounts, CountWhoSeesAnEvent) {
  const auto counts = std::make_shared<WatchCounts>();
  Attributes watch = list_of_pods();
  watch.verb = "watch";
  Attributes everywhere = watch;
  everywhere.name_space = "";
  Attributes one = watch;
  one.name = "web";
  const auto first = counts->add(watch);
  auto second = counts->add(everywhere);
  const auto third = counts->add(one);
  Attributes change = watch;
  change.verb = "update";
  change.name = "web";
  EXPECT_EQ(counts->interested_in(change), 3);
  change.name = "db";
  EXPECT_EQ(counts->interested_in(change), 2);
  change.name_space = "other";
  EXPECT_EQ(counts->interested_in(change), 1);
  second.reset();
  EXPECT_EQ(counts->interested_in(change), 0);
  change.resource = "secrets";
  EXPECT_EQ(counts->interested_in(change), 0);
}

// As upstream: kubelets watch the pods of their node, and see few of the events.
TEST(WatchCounts, IgnoreWatchesOfOneNode) {
  const auto counts = std::make_shared<WatchCounts>();
  const api::FieldSelector::Term terms[] = {{.field = "spec.nodeName", .value = "n1"}};
  Attributes watch = list_of_pods();
  watch.verb = "watch";
  watch.fields = terms;
  const auto held = counts->add(watch);
  EXPECT_EQ(counts->interested_in(list_of_pods()), 0);
}

}  // namespace seats_test
}  // namespace proa::apiserver::fairness

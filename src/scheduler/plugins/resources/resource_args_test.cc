#include "scheduler/plugins/resources/resource_args.h"

#include <gtest/gtest.h>

#include "json/parse.h"

namespace proa::scheduler {
namespace {

TEST(FitArgs, HaveDefaults) {
  const auto none = read_fit_args({});
  ASSERT_TRUE(none.ok());
  EXPECT_EQ(none->strategy, FitArgs::Strategy::kLeastAllocated);
  EXPECT_EQ(none->resources, (std::vector<ResourceWeight>{{.name = "cpu"}, {.name = "memory"}}));
  EXPECT_FALSE(none->ignores("example.com/a"));
}

TEST(FitArgs, AreRead) {
  const auto document = json::parse(R"({
      "ignoredResources": ["example.com/a"],
      "ignoredResourceGroups": ["other.com"],
      "scoringStrategy": {
        "type": "RequestedToCapacityRatio",
        "resources": [{"name": "memory", "weight": 3}, {"name": "cpu"}],
        "requestedToCapacityRatio": {
          "shape": [{"utilization": 0, "score": 10}, {"utilization": 100}]}}})");
  ASSERT_TRUE(document.ok());
  const auto args = read_fit_args(document->root());
  ASSERT_TRUE(args.ok()) << args.status().message();
  EXPECT_EQ(args->strategy, FitArgs::Strategy::kRequestedToCapacityRatio);
  EXPECT_EQ(args->resources,
            (std::vector<ResourceWeight>{{.name = "memory", .weight = 3}, {.name = "cpu"}}));
  EXPECT_EQ(args->shape, (std::vector<ShapePoint>{{.utilization = 0, .score = 10},
                                                  {.utilization = 100, .score = 0}}));
  EXPECT_TRUE(args->ignores("example.com/a"));
  EXPECT_FALSE(args->ignores("example.com/b"));
  EXPECT_TRUE(args->ignores("other.com/b"));
  EXPECT_FALSE(args->ignores("hugepages-2Mi"));
}

struct WrongArgs {
  const char* name;
  const char* args;
  const char* message;
};

void expect_wrong(const WrongArgs& c, Status (*failure)(api::View args)) {
  SCOPED_TRACE(c.name);
  const auto document = json::parse(c.args);
  ASSERT_TRUE(document.ok());
  const Status status = failure(document->root());
  EXPECT_TRUE(status.is(Reason::kBadRequest));
  EXPECT_EQ(status.message(), c.message);
}

TEST(FitArgs, AreChecked) {
  const WrongArgs cases[] = {
      {"a strategy that is not there", R"({"scoringStrategy":{"type":"Least"}})",
       R"(scoringStrategy.type: Unsupported value: "Least": supported values: "LeastAllocated", )"
       R"("MostAllocated", "RequestedToCapacityRatio")"},
      {"no shape", R"({"scoringStrategy":{"type":"RequestedToCapacityRatio"}})",
       "scoringStrategy.requestedToCapacityRatio: Required value: must be specified when type is "
       "RequestedToCapacityRatio"},
      {"a shape without points",
       R"({"scoringStrategy":{"type":"RequestedToCapacityRatio","requestedToCapacityRatio":{}}})",
       "scoringStrategy.requestedToCapacityRatio.shape: Required value: at least one point must "
       "be specified"},
      {"a shape that nobody asked for",
       R"({"scoringStrategy":{"type":"MostAllocated","requestedToCapacityRatio":{}}})",
       "scoringStrategy.requestedToCapacityRatio: Forbidden: must be nil when type is not "
       "RequestedToCapacityRatio"},
      {"points in disorder",
       R"({"scoringStrategy":{"type":"RequestedToCapacityRatio","requestedToCapacityRatio":
           {"shape":[{"utilization":5,"score":1},{"utilization":5,"score":1}]}}})",
       "scoringStrategy.requestedToCapacityRatio.shape[1].utilization: Invalid value: 5: values "
       "must be sorted in increasing order"},
      {"points beyond the edge, both said",
       R"({"scoringStrategy":{"type":"RequestedToCapacityRatio","requestedToCapacityRatio":
           {"shape":[{"utilization":-1,"score":11}]}}})",
       "[scoringStrategy.requestedToCapacityRatio.shape[0].utilization: Invalid value: -1: not in "
       "valid range [0, 100], scoringStrategy.requestedToCapacityRatio.shape[0].score: Invalid "
       "value: 11: not in valid range [0, 10]]"},
      {"a weight that is too large",
       R"({"scoringStrategy":{"type":"LeastAllocated","resources":[{"name":"cpu","weight":101}]}})",
       "scoringStrategy.resources[0].weight: Invalid value: 101: resource weight of cpu not in "
       "valid range (0, 100]"},
      {"a weight below zero",
       R"({"scoringStrategy":{"type":"LeastAllocated","resources":[{"name":"cpu","weight":-1}]}})",
       "scoringStrategy.resources[0].weight: Invalid value: -1: resource weight of cpu not in "
       "valid range (0, 100]"},
  };
  for (const WrongArgs& c : cases)
    expect_wrong(c, [](api::View args) { return read_fit_args(args).status(); });
}

TEST(FitArgs, WantNamesOfIgnoredResources) {
  const auto document =
      json::parse(R"({"ignoredResources":["a b"],"ignoredResourceGroups":["a.com/x"]})");
  ASSERT_TRUE(document.ok());
  const std::string message = read_fit_args(document->root()).status().message();
  EXPECT_TRUE(message.starts_with(R"([ignoredResources[0]: Invalid value: "a b": )")) << message;
  EXPECT_TRUE(message.ends_with(
      R"(, ignoredResourceGroups[0]: Invalid value: "a.com/x": resource group name can't contain '/'])"))
      << message;
}

TEST(BalancedArgs, AreReadAndChecked) {
  const auto none = read_balanced_args({});
  ASSERT_TRUE(none.ok());
  EXPECT_EQ(*none, (std::vector<ResourceWeight>{{.name = "cpu"}, {.name = "memory"}}));

  const WrongArgs cases[] = {
      {"a weight", R"({"resources":[{"name":"cpu","weight":2}]})",
       "resources[0].weight: Invalid value: 2: must be 1"},
      {"a name twice", R"({"resources":[{"name":"cpu"},{"name":"memory"},{"name":"cpu"}]})",
       R"(resources[2].name: Duplicate value: "cpu")"},
  };
  for (const WrongArgs& c : cases)
    expect_wrong(c, [](api::View args) { return read_balanced_args(args).status(); });
}

}  // namespace
}  // namespace proa::scheduler

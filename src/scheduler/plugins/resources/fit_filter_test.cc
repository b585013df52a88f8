#include "scheduler/plugins/resources/fit_filter.h"

#include <gtest/gtest.h>

#include "testkit/scheduler/plugins/test_resources.h"

namespace proa::scheduler {
namespace {

using testkit::make_node;
using testkit::make_pod;
using testkit::NodeBuilder;
using testkit::Pairs;
using testkit::PodBuilder;

PodBuilder asks(const Pairs& amounts) { return make_pod("p").request(amounts); }

NodeBuilder small_node() {
  return make_node("n").capacity({{"cpu", "10m"},
                                  {"memory", "20"},
                                  {"pods", "32"},
                                  {"ephemeral-storage", "20"},
                                  {"example.com/aaa", "5"},
                                  {"hugepages-2Mi", "5"}});
}

struct FilterCase {
  const char* name;
  PodBuilder pod;
  Pairs used = {};
  Code code = Code::kSuccess;
  std::vector<std::string> reasons = {};
  std::string_view args = {};
};

const std::vector<FilterCase>& filter_cases() {
  static const std::vector<FilterCase> cases = {
      {"nothing is asked for", make_pod("p"), {{"cpu", "10m"}, {"memory", "20"}}},
      {"nothing is asked for of an overfull node", make_pod("p"), {{"cpu", "20m"}}},
      {"both are used up",
       asks({{"cpu", "1m"}, {"memory", "1"}}),
       {{"cpu", "10m"}, {"memory", "20"}},
       Code::kUnschedulable,
       {"Insufficient cpu", "Insufficient memory"}},
      {"both fit", asks({{"cpu", "1m"}, {"memory", "1"}}), {{"cpu", "5m"}, {"memory", "5"}}},
      {"to the last of it",
       asks({{"cpu", "5m"}, {"memory", "1"}}),
       {{"cpu", "5m"}, {"memory", "19"}}},
      {"cpu does not fit",
       asks({{"cpu", "2m"}, {"memory", "1"}}),
       {{"cpu", "9m"}, {"memory", "5"}},
       Code::kUnschedulable,
       {"Insufficient cpu"}},
      {"memory does not fit",
       asks({{"cpu", "1m"}, {"memory", "2"}}),
       {{"cpu", "5m"}, {"memory", "19"}},
       Code::kUnschedulable,
       {"Insufficient memory"}},
      {"storage does not fit",
       asks({{"ephemeral-storage", "10"}}),
       {{"ephemeral-storage", "11"}},
       Code::kUnschedulable,
       {"Insufficient ephemeral-storage"}},
      {"only what is asked for counts", asks({{"memory", "1"}}), {{"cpu", "20m"}}},
      {"an init container does not fit",
       asks({{"cpu", "1m"}}).init_request({{"cpu", "3m"}}),
       {{"cpu", "8m"}},
       Code::kUnschedulable,
       {"Insufficient cpu"}},
      {"not the sum with init containers",
       asks({{"cpu", "1m"}}).init_request({{"cpu", "1m"}}),
       {{"cpu", "9m"}}},
      {"the sum with sidecars",
       asks({{"cpu", "1m"}}).sidecar_request({{"cpu", "1m"}}),
       {{"cpu", "9m"}},
       Code::kUnschedulable,
       {"Insufficient cpu"}},
      {"overhead does not fit",
       asks({{"memory", "1"}}).overhead({{"memory", "15"}}),
       {{"memory", "5"}},
       Code::kUnschedulable,
       {"Insufficient memory"}},
      {"the pod as a whole does not fit",
       asks({{"cpu", "1m"}}).pod_request({{"cpu", "7m"}}),
       {{"cpu", "5m"}},
       Code::kUnschedulable,
       {"Insufficient cpu"}},
      {"more cpu than the node has at all",
       asks({{"cpu", "11m"}, {"memory", "2"}}),
       {{"memory", "19"}},
       Code::kUnresolvable,
       {"Insufficient cpu", "Insufficient memory"}},
      {"a device fits", asks({{"example.com/aaa", "1"}})},
      {"a device is used up",
       asks({{"example.com/aaa", "1"}}),
       {{"example.com/aaa", "5"}},
       Code::kUnschedulable,
       {"Insufficient example.com/aaa"}},
      {"more devices than the node has",
       asks({{"example.com/aaa", "10"}}),
       {},
       Code::kUnresolvable,
       {"Insufficient example.com/aaa"}},
      {"a device that the node does not know",
       asks({{"example.com/bbb", "1"}}),
       {},
       Code::kUnresolvable,
       {"Insufficient example.com/bbb"}},
      {"no devices, in so many words",
       asks({{"cpu", "1m"}, {"example.com/aaa", "0"}}),
       {{"example.com/aaa", "6"}}},
      {"huge pages",
       asks({{"hugepages-2Mi", "6"}}),
       {{"hugepages-2Mi", "2"}},
       Code::kUnresolvable,
       {"Insufficient hugepages-2Mi"}},
      {"of Kubernetes itself",
       asks({{"kubernetes.io/something", "10"}}),
       {},
       Code::kUnresolvable,
       {"Insufficient kubernetes.io/something"}},
      {"a device that is ignored",
       asks({{"example.com/bbb", "1"}}),
       {},
       Code::kSuccess,
       {},
       R"({"ignoredResources":["example.com/bbb"]})"},
      {"a group that is ignored, and one that can't be",
       asks({{"example.com/bbb", "1"}, {"kubernetes.io/something", "1"}}),
       {},
       Code::kUnresolvable,
       {"Insufficient kubernetes.io/something"},
       R"({"ignoredResourceGroups":["example.com","kubernetes.io"]})"},
  };
  return cases;
}

TEST(FitFilter, RejectsNodesWithoutRoom) {
  for (const FilterCase& c : filter_cases()) {
    SCOPED_TRACE(c.name);
    ReasonBook book;
    const auto filter = make_fit_filter(fit_args(c.args), requests_of(c.pod).exact, book);
    EXPECT_TRUE(filter->is_local());
    const Node node = node_of(small_node(), {make_pod("q").request(c.used)});
    const Verdict verdict = filter->check(0, node);
    EXPECT_EQ(verdict.code, c.code);
    EXPECT_EQ(verdict.reasons == nullptr ? Verdict::Reasons() : *verdict.reasons, c.reasons);
    EXPECT_EQ(filter->suggestion(0, node).empty(), c.code == Code::kSuccess);
  }
}

TEST(FitFilter, CountsPods) {
  ReasonBook book;
  const auto filter = make_fit_filter({}, requests_of(asks({{"cpu", "1m"}})).exact, book);
  const NodeBuilder one_pod = make_node("n").capacity({{"cpu", "10m"}, {"pods", "1"}});
  EXPECT_TRUE(filter->check(0, node_of(one_pod)).ok());

  const Node full = node_of(one_pod, {make_pod("q").request({{"cpu", "10m"}})});
  const Verdict verdict = filter->check(0, full);
  EXPECT_EQ(verdict.code, Code::kUnschedulable);
  EXPECT_EQ(*verdict.reasons, (Verdict::Reasons{"Too many pods", "Insufficient cpu"}));
  EXPECT_EQ(filter->suggestion(0, full),
            "has 1 of at most 1 pod: remove one, or raise its --max-pods; "
            "needs 1m cpu, has 0 free of 10m: free 1m, or request less");

  // To take pods away would help, as far as upstream is concerned.
  const Node none = node_of(make_node("n").capacity({{"cpu", "10m"}}));
  EXPECT_EQ(filter->check(0, none).code, Code::kUnschedulable);
}

TEST(FitFilter, KeepsTheSameReasonsForManyNodes) {
  ReasonBook book;
  const auto filter = make_fit_filter({}, requests_of(asks({{"cpu", "6m"}})).exact, book);
  const Node full = node_of(small_node(), {asks({{"cpu", "5m"}})});
  const Node fuller = node_of(small_node(), {asks({{"cpu", "6m"}})});
  const Node tiny = node_of(make_node("n").capacity({{"cpu", "5m"}, {"pods", "1"}}));
  const Verdict first = filter->check(0, full);
  EXPECT_EQ(filter->check(1, fuller), first);
  // The same words, though nothing can be done about it.
  const Verdict third = filter->check(2, tiny);
  EXPECT_EQ(third.reasons, first.reasons);
  EXPECT_EQ(third.code, Code::kUnresolvable);
  EXPECT_EQ(first.code, Code::kUnschedulable);
}

TEST(FitFilter, SaysWhatIsMissing) {
  ReasonBook book;
  const auto filter = make_fit_filter(
      {},
      requests_of(
          asks({{"cpu", "500m"}, {"memory", "2Gi"}, {"hugepages-2Mi", "4Mi"}, {"a.com/x", "3"}}))
          .exact,
      book);
  const Node node = node_of(make_node("n").capacity({{"cpu", "4"},
                                                     {"memory", "8Gi"},
                                                     {"pods", "9"},
                                                     {"hugepages-2Mi", "2Mi"},
                                                     {"a.com/x", "2"}}),
                            {asks({{"cpu", "3800m"}, {"memory", "7Gi"}, {"a.com/x", "4"}})});
  EXPECT_EQ(filter->suggestion(0, node),
            "needs 500m cpu, has 200m free of 4: free 300m, or request less; "
            "needs 2Gi memory, has 1Gi free of 8Gi: free 1Gi, or request less; "
            "needs 3 a.com/x, has 0 free of 2: request less, or use a larger node; "
            "needs 4Mi hugepages-2Mi, has 2Mi free of 2Mi: request less, or use a larger node");
}

}  // namespace
}  // namespace proa::scheduler

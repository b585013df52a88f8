#include "scheduler/plugins/basic/image_locality.h"

#include <gtest/gtest.h>

#include "testkit/scheduler/plugins/test_bench.h"

namespace proa::scheduler {
namespace {

using testkit::make_node;
using testkit::make_pod;
using testkit::NodeBuilder;
using testkit::PodBuilder;
using Scores = std::vector<int64_t>;

// Images named after their size in MiB.
NodeBuilder node_with(const std::vector<int>& sizes) {
  static int count = 0;
  NodeBuilder node = make_node("n" + std::to_string(++count));
  for (const int size : sizes) {
    const std::string name = "gcr.io/" + std::to_string(size);
    node.images({name + ":latest", name + ":v1"}, int64_t{size} * 1024 * 1024);
  }
  return node;
}

PodBuilder pod_with(const std::vector<int>& sizes) {
  PodBuilder pod = make_pod("p");
  bool first = true;
  for (const int size : sizes) {
    if (!std::exchange(first, false)) pod.container();
    pod.image("gcr.io/" + std::to_string(size));
  }
  return pod;
}

Scores scores(const PodBuilder& pod, const std::vector<std::vector<int>>& nodes) {
  TestBench bench(make_image_locality);
  for (const std::vector<int>& sizes : nodes) bench.add(node_with(sizes));
  return bench.scores(pod);
}

TEST(ImageLocality, ScoresImagesBySizeAndSpread) {
  struct Case {
    const char* name;
    PodBuilder pod;
    std::vector<std::vector<int>> nodes;
    Scores scores;
  };
  const Case cases[] = {
      {"the larger one counts", pod_with({40, 250}), {{40, 300, 2000}, {250, 10}}, {0, 5}},
      {"both on one node", pod_with({40, 300}), {{40, 300, 2000}, {250, 10}}, {7, 0}},
      {"no more than the most", pod_with({10, 4000}), {{4000, 30}, {250, 10}}, {100, 0}},
      {"less when fewer have it", pod_with({10, 4000}), {{4000, 30}, {250, 10}, {}}, {66, 0, 0}},
      {"several large ones",
       pod_with({300, 600, 900}),
       {{600, 40, 900}, {300, 600, 900}, {}},
       {32, 36, 0}},
      {"several small ones", pod_with({30, 40}), {{20, 30, 40}, {4000, 30}}, {1, 0}},
      {"of an init container",
       pod_with({30}).init_request({}, "gcr.io/300"),
       {{40, 300, 2000}, {20, 30, 40}},
       {6, 0}},
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(c.name);
    EXPECT_EQ(scores(c.pod, c.nodes), c.scores);
  }
}

TEST(ImageLocality, TakesAnImageWithoutTagAsLatest) {
  const std::vector<std::vector<int>> nodes{{900}, {}};
  const auto score_of = [&](std::string_view image) {
    return scores(make_pod("p").image(image), nodes);
  };
  const Scores found{43, 0};  // 100 * (900/2 - 23) / (1000 - 23)
  EXPECT_EQ(score_of("gcr.io/900"), found);
  EXPECT_EQ(score_of("gcr.io/900:latest"), found);
  EXPECT_EQ(score_of("gcr.io/900:v1"), found);
  EXPECT_EQ(score_of("gcr.io/900:v2"), Scores{});
  EXPECT_EQ(score_of("gcr.io:443/900"), Scores{});
}

TEST(ImageLocality, HasNothingToSayWhenNoNodeHasAnImage) {
  EXPECT_EQ(scores(pod_with({1, 2}), {{900}, {}}), Scores{});
}

}  // namespace
}  // namespace proa::scheduler

#include "controllers/workload/autoscaler/replica_count.h"

#include <gtest/gtest.h>

#include <limits>

namespace proa::controllers {
namespace {

constexpr Time kNow{std::chrono::seconds(1767366245)};
constexpr int64_t kMost = std::numeric_limits<int64_t>::max();
constexpr int64_t kMostReplicas = std::numeric_limits<int32_t>::max();

// A pod by letter: Ready, Unready from the start, Hot (just started), Pending, Failed, Deleted.
PodSample pod_of(char letter, size_t index, int64_t request) {
  PodSample pod{.name = "p" + std::to_string(index), .phase = "Running"};
  pod.started = letter == 'H' ? kNow - std::chrono::minutes(1) : Time{};
  pod.readiness =
      PodSample::Readiness{.is_true = letter == 'R' || letter == 'H',
                           .is_false = letter != 'R' && letter != 'H',
                           .since = letter == 'H' ? kNow - std::chrono::seconds(30) : Time{}};
  if (letter == 'P') pod.phase = "Pending";
  if (letter == 'F') pod.phase = "Failed";
  pod.being_deleted = letter == 'D';
  pod.containers = {{"side", {{"cpu", api::Quantity::milli(1)}}},
                    {"main", {{"cpu", api::Quantity::milli(request)}}}};
  return pod;
}

struct World {
  World(int64_t replicas, std::string_view letters, std::vector<int64_t> requests = {}) {
    for (size_t i = 0; i < letters.size(); ++i) {
      samples.push_back(pod_of(letters[i], i, i < requests.size() ? requests[i] : 1000));
    }
    for (const PodSample& sample : samples) scaled.pods.push_back(&sample);
    scaled.replicas = replicas;
    scaled.now = kNow;
  }
  static PodMetrics metrics(const std::vector<int64_t>& levels) {
    PodMetrics metrics;
    for (size_t i = 0; i < levels.size(); ++i) {
      metrics["p" + std::to_string(i)] = {kNow, std::chrono::minutes(1), levels[i]};
    }
    return metrics;
  }

  std::vector<PodSample> samples;
  ScaledPods scaled;
};

// Upstream's tables, TestReplicaCalc*.
TEST(ReplicasForUtilization, AreUpstreams) {
  const struct {
    const char* name;
    int64_t replicas;
    const char* pods;
    std::vector<int64_t> requests;
    std::vector<int64_t> levels;
    int64_t target;
    int64_t wanted;
    int64_t utilization;
    int64_t usage;
    Tolerances tolerances = {};
  } cases[] = {
      {"up", 3, "RRR", {}, {300, 500, 700}, 30, 5, 50, 500},
      {"up, with one that is not ready", 3, "URR", {}, {300, 500, 700}, 30, 4, 60, 600},
      {"up, with a hot one", 3, "HRR", {}, {300, 500, 700}, 30, 4, 60, 600},
      {"not up, as too many are not ready", 3, "RUU", {}, {400, 500, 700}, 30, 3, 40, 400},
      {"up, without failed ones", 2, "RRFF", {}, {500, 700}, 30, 4, 60, 600},
      {"up, without deleted ones", 2, "RRDD", {}, {500, 700}, 30, 4, 60, 600},
      {"down", 5, "RRRRR", {}, {100, 300, 500, 250, 250}, 50, 3, 28, 280},
      {"down, without unready ones", 5, "RRRUU", {}, {100, 300, 500, 250, 250}, 50, 2, 30, 300},
      {"down, without pending ones", 5, "RPPPP", {}, {100}, 50, 1, 10, 100},
      {"down, without hot ones", 5, "RRRHH", {}, {100, 300, 500, 250, 250}, 50, 2, 30, 300},
      {"down, without failed ones", 5, "RRRRRFF", {}, {100, 300, 500, 250, 250}, 50, 3, 28, 280},
      {"tolerated", 3, "RRR", {900, 1000, 1100}, {1010, 1030, 1020}, 100, 3, 102, 1020},
      {"no tolerance", 3, "RRR", {900, 1000, 1100}, {909, 1010, 1111}, 100, 4, 101, 1010, {0, 0}},
      {"much tolerance",
       3,
       "RRR",
       {900, 1000, 1100},
       {1890, 1910, 1900},
       100,
       3,
       190,
       1900,
       {0.1, 2}},
      {"tolerance up",
       3,
       "RRR",
       {900, 1000, 1100},
       {1100, 1080, 1090},
       100,
       4,
       109,
       1090,
       {2, 0.08}},
      {"tolerance down",
       3,
       "RRR",
       {900, 1000, 1100},
       {660, 640, 650},
       100,
       3,
       65,
       650,
       {0.36, 0.1}},
      {"too little tolerance down",
       3,
       "RRR",
       {900, 1000, 1100},
       {660, 640, 650},
       100,
       2,
       65,
       650,
       {0.34, 0.1}},
      {"more metrics than pods",
       4,
       "RRRR",
       {},
       {4000, 9500, 3000, 7000, 3200, 2000},
       100,
       24,
       587,
       5875},
      {"missing ones use all when less are wanted", 4, "RRRR", {}, {400, 95}, 100, 3, 24, 247},
      {"missing, equal", 2, "RR", {}, {1000}, 100, 2, 100, 1000},
      {"missing, more", 2, "RR", {}, {1900}, 100, 2, 190, 1900},
      {"missing, less", 2, "RR", {}, {600}, 100, 2, 60, 600},
      {"missing and unready, less", 3, "URR", {}, {100, 450}, 50, 3, 45, 450},
      {"missing and hot", 3, "HRR", {}, {100, 450}, 50, 3, 45, 450},
      {"missing and unready, more", 3, "URR", {}, {100, 2000}, 50, 4, 200, 2000},
      {"missing and unready, much less", 4, "URRR", {}, {100, 100, 100}, 50, 3, 10, 100},
      {"a target above 100", 4, "URRR", {1000, 1000, 2000, 2000}, {200, 100, 100}, 300, 2, 6, 100},
      {"a surge", 2, "RRR", {}, {100, 100}, 50, 2, 10, 100},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.name);
    World world(c.replicas, c.pods, c.requests);
    world.scaled.tolerances = c.tolerances;
    const Result<Proposal> proposal =
        replicas_for_utilization(world.scaled, World::metrics(c.levels), "cpu", "main", c.target);
    ASSERT_TRUE(proposal.ok()) << proposal.status().message();
    EXPECT_EQ(proposal->replicas, c.wanted);
    EXPECT_EQ(proposal->utilization, c.utilization);
    EXPECT_EQ(proposal->usage, c.usage);
  }
}

TEST(ReplicasForUtilization, FailInUpstreamsWords) {
  const struct {
    const char* pods;
    std::vector<int64_t> levels;
    const char* resource;
    const char* container;
    const char* why;
  } cases[] = {
      {"", {1}, "cpu", "", "no pods returned by selector while calculating replica count"},
      {"U", {1}, "cpu", "", "did not receive metrics for targeted pods (pods might be unready)"},
      {"R", {1}, "memory", "", "missing request for memory in container side of Pod p0"},
      {"R", {1}, "cpu", "none", "container none not found in Pod p0"},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.why);
    World world(1, c.pods);
    const Result<Proposal> proposal = replicas_for_utilization(
        world.scaled, World::metrics(c.levels), c.resource, c.container, 50);
    ASSERT_FALSE(proposal.ok());
    EXPECT_EQ(proposal.status().message(), c.why);
  }
  World world(1, "R");
  const PodMetrics others{{"other", {kNow, Duration{}, 100}}};
  EXPECT_EQ(replicas_for_utilization(world.scaled, others, "cpu", "", 50).status().message(),
            "no metrics returned matched known pods");
}

TEST(ReplicasForUtilization, GoByWhatThePodAsksForAsAWhole) {
  World world(1, "R");
  world.samples[0].pod_requests = kinds::quota::Amounts{{"cpu", api::Quantity(2)}};
  const Result<Proposal> proposal =
      replicas_for_utilization(world.scaled, World::metrics({1000}), "cpu", "", 25);
  EXPECT_EQ(proposal->utilization, 50);
  EXPECT_EQ(proposal->replicas, 2);
  EXPECT_EQ(replicas_for_utilization(world.scaled, World::metrics({1}), "memory", "", 25)
                .status()
                .message(),
            "missing pod-level request for memory in Pod p0");
}

TEST(ReplicasForAverage, AreUpstreams) {
  const struct {
    const char* name;
    int64_t replicas;
    const char* pods;
    std::vector<int64_t> levels;
    int64_t target;
    int64_t wanted;
    int64_t usage;
    double tolerance_up = 0.1;
  } cases[] = {
      {"up", 3, "RRR", {20000, 10000, 30000}, 15000, 4, 20000},
      {"readiness does not matter", 3, "RRH", {50000, 10000, 30000}, 15000, 6, 30000},
      {"not at all", 3, "URU", {50000, 15000, 30000}, 15000, 7, 31666},
      {"one", 1, "R", {8600}, 4400, 2, 8600},
      {"down", 5, "RRRRR", {12000, 12000, 12000, 12000, 12000}, 20000, 3, 12000},
      {"tolerated", 3, "RRR", {20000, 21000, 21000}, 20000, 3, 20666},
      {"not tolerated", 3, "RRR", {20000, 21000, 21000}, 20000, 4, 20666, 0.01},
      {"missing", 5, "RRRRR", {20000, 19000, 21000}, 20000, 5, 20000},
      {"a surge", 2, "RRR", {10000, 10000}, 17000, 2, 10000},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.name);
    World world(c.replicas, c.pods);
    world.scaled.tolerances.up = c.tolerance_up;
    const Result<Proposal> proposal =
        replicas_for_average(world.scaled, World::metrics(c.levels), "", c.target);
    ASSERT_TRUE(proposal.ok()) << proposal.status().message();
    EXPECT_EQ(proposal->replicas, c.wanted);
    EXPECT_EQ(proposal->usage, c.usage);
    EXPECT_FALSE(proposal->utilization);
  }
}

TEST(ReplicasForValue, AreUpstreams) {
  const struct {
    const char* name;
    int64_t replicas;
    const char* pods;
    int64_t usage;
    int64_t target;
    int64_t wanted;
  } cases[] = {
      {"up", 3, "RRR", 20000, 15000, 4},
      {"up by those that are ready", 3, "URU", 50000, 10000, 5},
      {"even if that is down", 3, "URU", 8600, 4400, 2},
      {"down", 5, "RRRRR", 12000, 20000, 3},
      {"down, a little more", 5, "RRRRR", 8600, 14334, 3},
      {"tolerated", 3, "RRR", 20666, 20000, 3},
      {"tolerated, less", 3, "RRR", 8600, 8888, 3},
      {"more than there can be", 3, "RRR", kMost, 1, kMostReplicas},
      {"from nothing", 0, "", 20000, 15000, 2},
      {"nothing from nothing", 0, "", 0, 15000, 0},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.name);
    const World world(c.replicas, c.pods);
    const Result<Proposal> proposal = replicas_for_value(world.scaled, c.usage, c.target);
    ASSERT_TRUE(proposal.ok()) << proposal.status().message();
    EXPECT_EQ(proposal->replicas, c.wanted);
    EXPECT_EQ(proposal->usage, c.usage);
  }
  EXPECT_EQ(replicas_for_value(World(3, "").scaled, 2, 1).status().message(),
            "unable to calculate ready pods: no pods returned by selector while calculating "
            "replica count");
}

TEST(ReplicasForShare, AreUpstreams) {
  const struct {
    const char* name;
    int64_t replicas;
    int64_t usage;
    int64_t target;
    int64_t wanted;
    int64_t share;
  } cases[] = {
      {"up", 3, 20000, 5000, 4, 6667},
      {"up, once more", 3, 8600, 2150, 4, 2867},
      {"down", 5, 6000, 2000, 3, 1200},
      {"down, once more", 5, 8600, 2867, 3, 1720},
      {"tolerated", 4, 20166, 5000, 4, 5042},
      {"tolerated, less", 3, 8600, 2900, 3, 2867},
      {"more than there can be", 1, kMost, 1, kMostReplicas, kMost},
      {"much, but one is enough", 1, kMost, kMost, 1, kMost},
      {"from nothing", 0, 8600, 2150, 4, kMost},
      {"nothing from nothing", 0, 0, 2150, 0, 0},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.name);
    const Proposal proposal = replicas_for_average_value(c.replicas, {}, c.usage, c.target);
    EXPECT_EQ(proposal.replicas, c.wanted);
    EXPECT_EQ(proposal.usage, c.share);
  }
}

TEST(SumOf, IsAtMostWhatFits) {
  EXPECT_EQ(sum_of({1, 2}), 3);
  EXPECT_EQ(sum_of({}), 0);
  EXPECT_EQ(sum_of({kMost / 2 + 1, kMost / 2 + 1}), kMost);
}

TEST(GroupPods, KnowsWhoIsStillStarting) {
  const auto minutes = [](int count) { return std::chrono::minutes(count); };
  const struct {
    const char* name;
    Duration started;  // ago
    Duration ready;    // last change, ago
    bool is_ready;
    bool is_cpu;
    const char* group;
  } cases[] = {
      {"ready for long", minutes(10), minutes(9), true, true, "ready"},
      {"never ready", minutes(10), minutes(10), false, true, "unready"},
      {"was ready once", minutes(10), minutes(3), false, true, "ready"},
      {"starting", minutes(2), minutes(2), false, true, "unready"},
      {"starting, and measured before", minutes(2), std::chrono::seconds(20), true, true,
       "unready"},
      {"starting, and measured since", minutes(4), minutes(3), true, true, "ready"},
      {"starting, but of memory that says nothing", minutes(2), minutes(2), false, false, "ready"},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.name);
    PodSample pod{.name = "p", .phase = "Running"};
    pod.started = kNow - c.started;
    pod.readiness = PodSample::Readiness{
        .is_true = c.is_ready, .is_false = !c.is_ready, .since = kNow - c.ready};
    const PodMetrics metrics{{"p", {kNow, std::chrono::minutes(1), 1}}};
    const PodGroups groups = group_pods({&pod}, metrics, c.is_cpu, kNow);
    EXPECT_EQ(groups.ready == 1 ? "ready" : "unready", std::string(c.group));
    EXPECT_EQ(groups.unready.size() + static_cast<size_t>(groups.ready), 1u);
  }
}

TEST(PodSample, IsReadFromAPod) {
  const api::ObjectPtr pod = api::Object::make(
      R"({"metadata":{"name":"p"},"spec":{"initContainers":[{"name":"once","resources":{)"
      R"("requests":{"cpu":"9"}}},{"name":"side","restartPolicy":"Always","resources":{)"
      R"("requests":{"cpu":"1"}}}],"containers":[{"name":"main","resources":{)"
      R"("requests":{"cpu":"2500m"}}}]},"status":{"phase":"Running",)"
      R"("startTime":"2026-01-02T15:00:00Z","conditions":[{"type":"Ready","status":"True",)"
      R"("lastTransitionTime":"2026-01-02T15:01:00Z"}]}})");
  const PodSample& sample = pod_sample(*pod);
  EXPECT_TRUE(sample.is_ready());
  EXPECT_EQ(sample.readiness->since - *sample.started, std::chrono::minutes(1));
  EXPECT_EQ(*request_of(sample, "cpu", ""), 3500);
  EXPECT_EQ(*request_of(sample, "cpu", "side"), 1000);
  EXPECT_FALSE(request_of(sample, "cpu", "once").ok());
}

}  // namespace
}  // namespace proa::controllers

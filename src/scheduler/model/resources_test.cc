#include "scheduler/model/resources.h"

#include <gtest/gtest.h>

#include "base/check.h"
#include "testkit/scheduler/pod_builder.h"

namespace proa::scheduler {
namespace {

using testkit::make_pod;
using testkit::PodBuilder;

constexpr int64_t kMebi = int64_t{1} << 20;

PodRequests requests_of(const PodBuilder& pod) {
  const auto object = pod.object();
  const auto decoded = api::decode<objects::Pod>(*object);
  CHECK(decoded.ok());
  return read_requests(decoded->spec, decoded->status);
}

Resources amounts(int64_t milli_cpu, int64_t memory, int64_t ephemeral_storage = 0,
                  std::vector<std::pair<std::string, int64_t>> others = {}) {
  return {.milli_cpu = milli_cpu,
          .memory = memory,
          .ephemeral_storage = ephemeral_storage,
          .others = std::move(others)};
}

TEST(Resources, GoesBackToWhatItWas) {
  const Resources before = amounts(100, 200, 300, {{"a.com/x", 1}, {"c.com/z", 3}});
  const Resources pods[] = {
      amounts(1, 2, 3),
      amounts(0, 0, 0, {{"b.com/y", 7}}),
      amounts(5, 0, 0, {{"a.com/x", 2}, {"d.com/w", 9}}),
  };
  Resources sum = before;
  for (const Resources& pod : pods) sum += pod;
  EXPECT_EQ(sum, amounts(106, 202, 303,
                         {{"a.com/x", 3}, {"b.com/y", 7}, {"c.com/z", 3}, {"d.com/w", 9}}));
  for (const Resources& pod : pods) sum -= pod;
  EXPECT_EQ(sum, before);
}

TEST(Resources, KnowsAmountsByName) {
  const Resources some = amounts(1, 2, 3, {{"a.com/x", 4}});
  EXPECT_EQ(some.amount("cpu"), 1);
  EXPECT_EQ(some.amount("memory"), 2);
  EXPECT_EQ(some.amount("ephemeral-storage"), 3);
  EXPECT_EQ(some.amount("a.com/x"), 4);
  EXPECT_EQ(some.amount("b.com/x"), 0);
}

TEST(Resources, AreReadWithWhatIsCounted) {
  const kinds::pods::Amounts list = {
      {"attachable-volumes-x", api::Quantity(1)},
      {"cpu", *api::Quantity::parse("0.0001")},  // a part of a milli counts as one
      {"ephemeral-storage", *api::Quantity::parse("1k")},
      {"example.com/gpu", api::Quantity(2)},
      {"example.com/none", api::Quantity(0)},
      {"hugepages-2Mi", *api::Quantity::parse("4Mi")},
      {"memory", *api::Quantity::parse("1500m")},
      {"pods", api::Quantity(110)},
      {"scheduling.kubernetes.io/foo", api::Quantity(3)},
      {"unknown", api::Quantity(1)},
  };
  EXPECT_EQ(Resources::from(list), amounts(1, 2, 1000,
                                           {{"attachable-volumes-x", 1},
                                            {"example.com/gpu", 2},
                                            {"hugepages-2Mi", 4 * kMebi},
                                            {"scheduling.kubernetes.io/foo", 3}}));
}

TEST(ReadRequests, AddUpContainers) {
  struct Case {
    const char* name;
    PodBuilder pod;
    Resources exact;
  };
  const Case cases[] = {
      {"nothing", make_pod("p"), {}},
      {"one container", make_pod("p").request({{"cpu", "1"}, {"memory", "2Ki"}}),
       amounts(1000, 2048)},
      {"two beside each other",
       make_pod("p")
           .request({{"cpu", "1"}, {"memory", "1k"}})
           .container()
           .request({{"cpu", "500m"}, {"ephemeral-storage", "5"}, {"a.com/x", "2"}}),
       amounts(1500, 1000, 5, {{"a.com/x", 2}})},
      {"parts of units are rounded after they are added",
       make_pod("p").request({{"memory", "500m"}}).container().request({{"memory", "500m"}}),
       amounts(0, 1)},
      {"the larger of init containers and containers, resource by resource",
       make_pod("p")
           .init_request({{"cpu", "2"}, {"memory", "1k"}})
           .init_request({{"cpu", "1"}, {"memory", "4k"}})
           .request({{"cpu", "1500m"}, {"memory", "3k"}}),
       amounts(2000, 4000)},
      {"a sidecar runs beside containers",
       make_pod("p").sidecar_request({{"cpu", "1"}}).request({{"cpu", "2"}}), amounts(3000, 0)},
      {"and beside init containers that come after it",
       make_pod("p")
           .init_request({{"cpu", "4"}})
           .sidecar_request({{"cpu", "1"}})
           .init_request({{"cpu", "5"}})
           .sidecar_request({{"cpu", "2"}})
           .request({{"cpu", "1"}}),
       amounts(6000, 0)},
      {"overhead is on top",
       make_pod("p").request({{"cpu", "1"}}).overhead({{"cpu", "250m"}, {"memory", "64"}}),
       amounts(1250, 64)},
      {"what the pod says as a whole counts, with overhead on top",
       make_pod("p")
           .request({{"cpu", "1"}, {"memory", "1k"}, {"ephemeral-storage", "7"}})
           .pod_request({{"cpu", "3"}})
           .overhead({{"cpu", "1"}}),
       amounts(4000, 1000, 7)},
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(c.name);
    EXPECT_EQ(requests_of(c.pod).exact, c.exact);
  }
}

TEST(ReadRequests, TakeADefaultForScoring) {
  struct Case {
    const char* name;
    PodBuilder pod;
    int64_t milli_cpu, memory;                    // on a node
    int64_t newcomer_milli_cpu, newcomer_memory;  // while it looks for one
  };
  const Case cases[] = {
      {"nothing", make_pod("p"), 100, 200 * kMebi, 100, 200 * kMebi},
      {"zero is something", make_pod("p").request({{"cpu", "0"}, {"memory", "0"}}), 0, 0, 0, 0},
      {"each container by itself", make_pod("p").request({{"cpu", "1"}}).container(), 1100,
       400 * kMebi, 1100, 400 * kMebi},
      {"init containers too, in place of nothing",
       make_pod("p").init_request({}).request({{"cpu", "50m"}, {"memory", "1Mi"}}), 100,
       200 * kMebi, 100, 200 * kMebi},
      {"with overhead on top", make_pod("p").overhead({{"cpu", "10m"}}), 110, 200 * kMebi, 110,
       200 * kMebi},
      {"not where the pod says it as a whole",
       make_pod("p").pod_request({{"cpu", "2"}, {"memory", "8Mi"}}), 2000, 8 * kMebi, 100,
       200 * kMebi},
      {"but for what it does not say", make_pod("p").container().pod_request({{"cpu", "2"}}), 2000,
       400 * kMebi, 200, 400 * kMebi},
      {"and nobody in it",
       make_pod("p").request({{"memory", "1Mi"}}).container().pod_request({{"cpu", "2"}}), 2000,
       1 * kMebi, 200, 201 * kMebi},
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(c.name);
    const PodRequests requests = requests_of(c.pod);
    EXPECT_EQ(requests.scored_milli_cpu, c.milli_cpu);
    EXPECT_EQ(requests.scored_memory, c.memory);
    EXPECT_EQ(requests.scored_newcomer.milli_cpu, c.newcomer_milli_cpu);
    EXPECT_EQ(requests.scored_newcomer.memory, c.newcomer_memory);
  }
}

// A pod with one container that asks for 1 cpu, has `running` and was allotted `allocated`.
PodBuilder resized(std::string_view running, std::string_view allocated, const char* reason) {
  PodBuilder pod = make_pod("p").request({{"cpu", "1"}});
  const std::string name(std::string_view(R"("name":"c0","image":"i","imageID":"","ready":true,)"));
  pod.json("spec.containers.0.name", R"("c0")");
  pod.status_json("containerStatuses", std::string("[{")
                                           .append(name)
                                           .append(R"("restartCount":0,"resources":)")
                                           .append(running)
                                           .append(R"(,"allocatedResources":)")
                                           .append(allocated)
                                           .append("}]"));
  if (reason != nullptr) {
    pod.status_json("conditions", std::string(R"([{"type":"PodResizePending","status":"True",)")
                                      .append(R"("reason":")")
                                      .append(reason)
                                      .append(R"("}])"));
  }
  return pod;
}

TEST(ReadRequests, CountTheMostWhileAPodIsResized) {
  struct Case {
    const char* name;
    const char* running;
    const char* allocated;
    const char* reason;
    int64_t milli_cpu;
  };
  const Case cases[] = {
      {"what was asked for", R"({"requests":{"cpu":"500m"}})", R"({"cpu":"700m"})", nullptr, 1000},
      {"what is running", R"({"requests":{"cpu":"1500m"}})", R"({"cpu":"700m"})", nullptr, 1500},
      {"what was allotted", R"({"requests":{"cpu":"500m"}})", R"({"cpu":"1700m"})", "Deferred",
       1700},
      {"not what can't be", R"({"requests":{"cpu":"500m"}})", R"({"cpu":"700m"})", "Infeasible",
       700},
      {"no resources in the status", "null", R"({"cpu":"1700m"})", nullptr, 1000},
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(c.name);
    EXPECT_EQ(requests_of(resized(c.running, c.allocated, c.reason)).exact.milli_cpu, c.milli_cpu);
  }
}

TEST(ReadRequests, CountTheMostWhileAWholePodIsResized) {
  PodBuilder pod = make_pod("p").pod_request({{"cpu", "1"}});
  pod.status_json("resources", R"({"requests":{"cpu":"2"}})");
  EXPECT_EQ(requests_of(pod).exact.milli_cpu, 2000);
  pod.status_json("allocatedResources", R"({"cpu":"3"})");
  EXPECT_EQ(requests_of(pod).exact.milli_cpu, 3000);
}

}  // namespace
}  // namespace proa::scheduler

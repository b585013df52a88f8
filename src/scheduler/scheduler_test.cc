#include "scheduler/scheduler.h"

#include <gtest/gtest.h>

#include <map>

#include "json/parse.h"
#include "testkit/scheduler/scheduler_world.h"

namespace proa::scheduler {
namespace {

using testkit::make_node;
using testkit::make_pod;
using testkit::NodeBuilder;
using testkit::PodBuilder;
using testkit::SchedulerWorld;

using namespace std::chrono_literals;

NodeBuilder node(std::string_view name, std::string_view cpu = "2") {
  return make_node(name).hostname(name).capacity(
      {{"cpu", std::string(cpu)}, {"memory", "8Gi"}, {"pods", "110"}});
}

PodBuilder pod(std::string_view name, std::string_view cpu = "1") {
  return make_pod(name).request({{"cpu", std::string(cpu)}});
}

size_t count(const std::vector<std::string>& writes, std::string_view what) {
  return static_cast<size_t>(std::count(writes.begin(), writes.end(), what));
}

constexpr std::string_view kNoRoom =
    "0/1 nodes are available: 1 Insufficient cpu. preemption: 0/1 nodes are available: 1 No "
    "preemption victims found for incoming pod.";

TEST(SchedulerTest, BindsAPodToANode) {
  SchedulerWorld world;
  world.add(node("n1"));
  world.add(pod("a"));
  world.settle();
  EXPECT_EQ(world.node_of("a"), "n1");
  EXPECT_EQ(world.condition("a"), "True");
  EXPECT_EQ(world.events("a"), "Normal Scheduled: Successfully assigned default/a to n1\n");
  EXPECT_EQ(world.writes(), std::vector<std::string>{"create pods/binding default/a"});
  EXPECT_FALSE(
      world.scheduler().cluster().is_assumed(api::UidView(world.pod("a")->metadata().uid)));
}

TEST(SchedulerTest, SaysWhyAPodFindsNoNode) {
  SchedulerWorld world;
  world.add(node("n1"));
  world.add(pod("there", "2").node("n1"));
  world.add(pod("a"));
  world.settle();
  EXPECT_EQ(world.node_of("a"), "");
  EXPECT_EQ(world.condition("a"), "False Unschedulable: " + std::string(kNoRoom));
  EXPECT_EQ(world.events("a"), "Warning FailedScheduling: " + std::string(kNoRoom) + "\n");
}

TEST(SchedulerTest, SaysThatThereAreNoNodes) {
  SchedulerWorld world;
  world.add(pod("a"));
  world.settle();
  EXPECT_EQ(world.condition("a"), "False Unschedulable: no nodes available to schedule pods");
  world.add(node("n1"));
  world.settle();
  EXPECT_EQ(world.node_of("a"), "n1");
}

TEST(SchedulerTest, TriesAgainWhenARoomBecomesFree) {
  SchedulerWorld world;
  world.add(node("n1"));
  world.add(pod("there", "2").node("n1"));
  world.add(pod("a"));
  world.settle();
  ASSERT_EQ(world.node_of("a"), "");
  world.remove_pod("there");
  world.settle();
  EXPECT_EQ(world.node_of("a"), "n1");
  EXPECT_EQ(world.condition("a"), "True");
}

TEST(SchedulerTest, TriesAgainWhenAPodThatIsDoneLeavesItsRoom) {
  SchedulerWorld world;
  world.add(node("n1"));
  world.add(pod("there", "2").node("n1"));
  world.add(pod("a"));
  world.settle();
  ASSERT_EQ(world.node_of("a"), "");
  world.api().patch("", "pods", "default", "there", R"({"status":{"phase":"Succeeded"}})",
                    "status");
  world.settle();
  EXPECT_EQ(world.node_of("a"), "n1");
}

TEST(SchedulerTest, TriesAgainWhenANodeComesOrGrows) {
  struct Case {
    const char* name;
    std::function<void(SchedulerWorld&)> change;
    std::string expected;
  };
  const std::vector<Case> cases = {
      {"another node", [](SchedulerWorld& world) { world.add(node("n2")); }, "n2"},
      {"a node too small", [](SchedulerWorld& world) { world.add(node("n2", "500m")); }, ""},
      {"the node grows",
       [](SchedulerWorld& world) {
         world.api().patch("", "nodes", "", "n1",
                           R"({"status":{"allocatable":{"cpu":"3"},"capacity":{"cpu":"3"}}})",
                           "status");
       },
       "n1"},
      {"a heartbeat",
       [](SchedulerWorld& world) {
         world.api().patch("", "nodes", "", "n1",
                           R"({"status":{"conditions":[{"type":"Ready","status":"True"}]}})",
                           "status");
       },
       ""},
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(c.name);
    SchedulerWorld world;
    world.add(node("n1"));
    world.add(pod("there", "2").node("n1"));
    world.add(pod("a"));
    world.settle();
    ASSERT_EQ(world.node_of("a"), "");
    c.change(world);
    const size_t tried = world.settle();
    EXPECT_EQ(world.node_of("a"), c.expected);
    EXPECT_EQ(tried, c.expected.empty() ? 0u : 1u) << "nobody is tried in vain";
  }
}

TEST(SchedulerTest, WritesNothingTwice) {
  SchedulerWorld world;
  world.add(node("n1"));
  world.add(pod("there", "2").node("n1"));
  world.add(pod("a"));
  world.settle();
  const std::vector<std::string> once = {"patch pods/status default/a"};
  EXPECT_EQ(world.writes(), once);
  const std::string version(world.pod("a")->metadata().resource_version);
  world.pass(4min);
  EXPECT_EQ(world.settle(), 0u);
  // It is tried again after five minutes, and has nothing else to say.
  world.pass(2min);
  EXPECT_EQ(world.writes(), once);
  EXPECT_EQ(world.pod("a")->metadata().resource_version, version);
  const std::string_view note = "FailedScheduling";
  const std::string events = world.events("a");
  EXPECT_NE(events.find(note), std::string::npos);
  EXPECT_EQ(events.find(note), events.rfind(note)) << "one Event that is counted";
}

TEST(SchedulerTest, TriesPodsByPriorityThenByAge) {
  SchedulerWorld world;
  world.settle();
  for (const char* name : {"b", "a", "c"}) {
    world.add(pod(name, "100m"));
    world.api().wait(1s);
    world.scheduler().step(0);  // it hears of it
  }
  world.add(pod("d", "100m").priority(10));
  world.add(node("n1"));
  world.settle();
  EXPECT_EQ(world.writes(), (std::vector<std::string>{
                                "create pods/binding default/d", "create pods/binding default/b",
                                "create pods/binding default/a", "create pods/binding default/c"}));
}

TEST(SchedulerTest, SchedulesForSeveralNamesAndForNoOthers) {
  SchedulerWorld world({.config = R"(
apiVersion: kubescheduler.config.k8s.io/v1
kind: KubeSchedulerConfiguration
profiles:
- schedulerName: default-scheduler
- schedulerName: careless
  plugins:
    multiPoint:
      disabled: [{name: TaintToleration}, {name: DefaultPreemption}]
)"});
  world.add(node("n1").taint("why", "", "NoSchedule"));
  world.add(pod("a"));
  world.add(pod("b").scheduler_name("careless"));
  world.add(pod("c", "4").scheduler_name("careless"));
  world.add(pod("d").scheduler_name("somebody-else"));
  world.settle();
  EXPECT_EQ(world.node_of("a"), "");
  EXPECT_EQ(world.condition("a"),
            "False Unschedulable: 0/1 nodes are available: 1 node(s) had untolerated taint(s). "
            "preemption: 0/1 nodes are available: 1 Preemption is not helpful for scheduling.");
  EXPECT_EQ(world.node_of("b"), "n1");
  EXPECT_EQ(world.condition("c"),
            "False Unschedulable: 0/1 nodes are available: 1 Insufficient cpu.");
  EXPECT_EQ(world.node_of("d"), "");
  EXPECT_EQ(world.condition("d"), "none");
  EXPECT_EQ(world.events("d"), "");
}

TEST(SchedulerTest, LeavesGatedPodsAlone) {
  SchedulerWorld world;
  world.add(node("n1"));
  world.add(pod("a").gate("example.com/wait"));
  world.settle();
  EXPECT_EQ(world.node_of("a"), "");
  EXPECT_EQ(world.writes(), std::vector<std::string>{});
  EXPECT_EQ(world.scheduler().queue().gated(), 1u);
  world.api().patch("", "pods", "default", "a", R"({"spec":{"schedulingGates":[]}})");
  world.settle();
  EXPECT_EQ(world.node_of("a"), "n1");
}

TEST(SchedulerTest, CountsPodsOfOtherSchedulersOnNodes) {
  SchedulerWorld world;
  world.add(node("n1"));
  world.add(pod("other", "2").scheduler_name("somebody-else").node("n1"));
  world.add(pod("a"));
  world.settle();
  EXPECT_EQ(world.node_of("a"), "");
}

TEST(SchedulerTest, PutsAPodBackThatCouldNotBeBound) {
  SchedulerWorld world;
  world.add(node("n1"));
  world.add(pod("a", "2"));
  size_t failures = 0;
  world.set_fault([&](std::string_view write) -> Result<void> {
    if (write != "create pods/binding default/a" || failures == 2) return {};
    ++failures;
    return Status(Reason::kServiceUnavailable, "the connection broke");
  });
  world.settle();
  EXPECT_EQ(failures, 1u) << "it waits before it is tried again";
  EXPECT_EQ(world.condition("a"),
            "False SchedulerError: running Bind plugin \"DefaultBinder\": the connection broke");
  EXPECT_EQ(world.scheduler().cluster().pod_count(), 0u) << "the room is free";
  world.pass(2s);
  EXPECT_EQ(failures, 2u);
  world.pass(2s);
  EXPECT_EQ(world.node_of("a"), "") << "two seconds after the second failure";
  world.pass(1s);
  EXPECT_EQ(world.node_of("a"), "n1");
  EXPECT_EQ(world.condition("a"), "True");
}

TEST(SchedulerTest, GivesTheRoomOfAFailedBindingToAnother) {
  SchedulerWorld world;
  world.add(node("n1"));
  world.add(pod("a", "2"));
  world.set_fault([&](std::string_view write) -> Result<void> {
    if (write != "create pods/binding default/a") return {};
    world.set_fault({});
    world.add(pod("b", "2"));
    return Status(Reason::kServiceUnavailable, "the connection broke");
  });
  world.pass(20s);
  EXPECT_EQ(world.node_of("a"), "");
  EXPECT_EQ(world.node_of("b"), "n1");
  EXPECT_EQ(world.condition("a"), "False Unschedulable: " + std::string(kNoRoom));
}

TEST(SchedulerTest, ForgetsAPodThatIsDeletedWhileItIsBound) {
  SchedulerWorld world;
  world.add(node("n1"));
  world.add(pod("a", "2"));
  world.set_fault([&](std::string_view write) -> Result<void> {
    if (write == "create pods/binding default/a") world.remove_pod("a");
    return {};
  });
  world.settle();
  EXPECT_EQ(world.pod("a"), nullptr);
  world.set_fault({});
  EXPECT_EQ(world.scheduler().cluster().pod_count(), 0u);
  // Another one of the same name is another pod.
  world.add(pod("a", "2"));
  world.settle();
  EXPECT_EQ(world.node_of("a"), "n1");
  world.pass(10min);
  EXPECT_EQ(count(world.writes(), "create pods/binding default/a"), 2u);
}

TEST(SchedulerTest, DoesNotTryAPodAgainThatIsOnItsWayOut) {
  SchedulerWorld world;
  world.add(node("n1"));
  world.add(pod("a", "2").finalizer("example.com/keep"));
  world.set_fault([&](std::string_view write) -> Result<void> {
    if (write == "create pods/binding default/a") world.delete_pod("a");
    return {};
  });
  world.settle();
  ASSERT_TRUE(world.is_terminating("a"));
  world.pass(10min);
  EXPECT_EQ(count(world.writes(), "create pods/binding default/a"), 1u);
  EXPECT_EQ(world.scheduler().cluster().pod_count(), 0u);
}

TEST(SchedulerTest, TakesTheLatestStateOfAPodThatCouldNotBeBound) {
  SchedulerWorld world;
  world.add(node("n1"));
  world.add(node("n2").label("disk", "fast"));
  world.add(pod("a").node_selector({{"kubernetes.io/hostname", "n1"}}).gate("example.com/wait"));
  world.settle();
  world.set_fault([&](std::string_view write) -> Result<void> {
    if (write != "create pods/binding default/a") return {};
    world.set_fault({});
    world.api().patch("", "pods", "default", "a", R"({"metadata":{"labels":{"seen":"yes"}}})");
    return Status(Reason::kServiceUnavailable, "the connection broke");
  });
  world.api().patch("", "pods", "default", "a", R"({"spec":{"schedulingGates":null}})");
  world.settle();
  std::string seen;
  world.scheduler().queue().for_each([&](const WaitingPod& waiting, std::string_view where) {
    const std::string_view* label = waiting.pod->shape->labels.find("seen");
    seen = std::string(where) + " " + std::string(label == nullptr ? "" : *label);
  });
  EXPECT_EQ(seen, "backoff yes");
}

TEST(SchedulerTest, LeavesAPodThatSomebodyElseBound) {
  SchedulerWorld world;
  world.add(node("n1"));
  world.add(node("n2"));
  world.add(pod("a", "2"));
  world.set_fault([&](std::string_view write) -> Result<void> {
    if (write != "create pods/binding default/a") return {};
    const std::string other = world.scheduler().cluster().at(0).pods().empty() ? "n1" : "n2";
    client::Place place = world.api().place("", "pods", "default", "a");
    place.subresource = "binding";
    CHECK(world.api()
              .client()
              .create(place,
                      json::parse_literal(
                          R"({"metadata":{"name":"a"},"target":{"kind":"Node","name":")" + other +
                          R"("}})"),
                      {}, {})
              .ok());
    return {};
  });
  world.pass(1min);
  EXPECT_EQ(count(world.writes(), "create pods/binding default/a"), 1u);
  const Cluster& cluster = world.scheduler().cluster();
  ASSERT_EQ(cluster.pod_count(), 1u);
  EXPECT_EQ(cluster.at(*cluster.find(api::NodeNameView(world.node_of("a")))).pods().size(), 1u);
}

// No node has more than it can take, as the API has it.
void expect_within_capacity(SchedulerWorld& world, int64_t milli_cpu) {
  std::map<std::string, int64_t> used;
  PodReader reader;
  for (const api::ObjectPtr& object : world.api().list("", "pods", "default")) {
    const PodPtr one = reader.read(object);
    if (!one->node.empty()) used[one->node.str()] += one->shape->requests.exact.milli_cpu;
  }
  for (const auto& [name, sum] : used) EXPECT_LE(sum, milli_cpu) << name;
}

TEST(SchedulerTest, NeverGivesANodeTooMuchWhateverBreaks) {
  for (uint64_t seed = 1; seed <= 8; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    SeededRandom random(seed);
    SchedulerWorld world({.seed = seed});
    for (const char* name : {"n1", "n2", "n3"}) world.add(node(name, "2"));
    for (int i = 0; i < 24; ++i) world.add(pod("p" + std::to_string(i), "400m"));
    world.set_fault([&](std::string_view write) -> Result<void> {
      if (!write.starts_with("create pods/binding")) return {};
      const uint64_t fate = random.below(4);
      if (fate == 0) return Status(Reason::kServiceUnavailable, "the connection broke");
      if (fate != 1) return {};
      // Done, but the answer is lost.
      const std::string name(write.substr(write.find('/', write.find(' ', 7)) + 1));
      const PodPtr assumed =
          world.scheduler().cluster().pod(api::UidView(world.pod(name)->metadata().uid));
      client::Place place = world.api().place("", "pods", "default", name);
      place.subresource = "binding";
      (void)world.api().client().create(
          place,
          json::parse_literal(R"({"metadata":{"name":")" + name +
                              R"("},"target":{"kind":"Node","name":")" + assumed->node.str() +
                              R"("}})"),
          {}, {});
      return Status(Reason::kTimeout, "no answer");
    });
    for (int turn = 0; turn < 30; ++turn) {
      world.api().settle();
      world.scheduler().step(random.below(4));
      if (random.below(3) == 0) world.restart();
      if (random.below(2) == 0) world.api().wait(1s);
      expect_within_capacity(world, 2000);
    }
    world.set_fault({});
    world.pass(6min);
    expect_within_capacity(world, 2000);
    size_t bound = 0;
    for (int i = 0; i < 24; ++i) bound += world.node_of("p" + std::to_string(i)).empty() ? 0 : 1;
    EXPECT_EQ(bound, 15u) << "five on each of three nodes";
  }
}

}  // namespace
}  // namespace proa::scheduler

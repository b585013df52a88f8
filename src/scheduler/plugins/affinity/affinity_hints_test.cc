#include "scheduler/plugins/affinity/affinity_hints.h"

#include "testkit/scheduler/plugins/test_affinity.h"

namespace proa::scheduler::affinity_test {
namespace affinity_hints_test {

const std::string kScans = "service in (securityscan,value2)";

TestPod waiting(std::vector<TestTerm> terms, Pairs labels = {}) {
  return {.labels = std::move(labels), .terms = std::move(terms), .name = "p"};
}

TestPod placed(Pairs labels, std::vector<TestTerm> terms = {}) {
  return {.labels = std::move(labels), .node = "n1", .terms = std::move(terms), .name = "other"};
}

TestPod nowhere(Pairs labels) { return {.labels = std::move(labels), .name = "other"}; }

TestPod nominated(Pairs labels) {
  return {.labels = std::move(labels), .nominated = "n1", .name = "other"};
}

struct PodCase {
  std::string name;
  TestPod pod = {};
  std::optional<TestPod> before = std::nullopt;
  std::optional<TestPod> after = std::nullopt;
  bool helps = false;
};

TEST(AffinityHints, KnowWhichPodsMayHelp) {
  const TestPod near_one = waiting({near("region", kScans)});
  const TestPod far_one = waiting({far("region", kScans)});
  const TestPod near_two = waiting({near("hostname", "aaa"), near("hostname", "bbb")});
  const TestPod far_two = waiting({far("hostname", "aaa"), far("hostname", "bbb")});
  const Pairs scan = {{"service", "securityscan"}};
  const Pairs a = {{"aaa", "a"}};
  const std::vector<PodCase> cases = {
      {.name = "one comes that it wants near",
       .pod = near_one,
       .after = placed(scan),
       .helps = true},
      {.name = "one comes, but has no node", .pod = near_one, .after = nowhere(scan)},
      {.name = "one comes that is not meant", .pod = near_one, .after = placed(a)},
      {.name = "one becomes what it wants near",
       .pod = near_one,
       .before = placed(a),
       .after = placed(scan),
       .helps = true},
      {.name = "one was and is what it wants near",
       .pod = near_one,
       .before = placed({{"service", "value2"}}),
       .after = placed(scan)},
      {.name = "one becomes it, but has no node",
       .pod = near_one,
       .before = nowhere(a),
       .after = nowhere(scan)},
      {.name = "one ceases to be it", .pod = near_one, .before = placed(scan), .after = placed(a)},
      {.name = "one meets neither term",
       .pod = near_two,
       .before = placed(a),
       .after = placed(scan)},
      {.name = "one meets both terms now",
       .pod = near_two,
       .before = placed(a),
       .after = placed({{"aaa", ""}, {"bbb", ""}}),
       .helps = true},
      {.name = "its own labels changed",
       .pod = waiting({}, {{"foo", "baz"}}),
       .before = waiting({}, {{"foo", "bar"}}),
       .after = waiting({}, {{"foo", "baz"}}),
       .helps = true},
      {.name = "one is no longer what it wants far",
       .pod = far_one,
       .before = placed(scan),
       .after = placed({{"service", "aaaa"}}),
       .helps = true},
      {.name = "one becomes what it wants far",
       .pod = far_one,
       .before = placed({{"service", "bbb"}}),
       .after = placed(scan)},
      {.name = "one goes that is not meant", .pod = far_one, .before = placed(a)},
      {.name = "one goes that it wants far", .pod = far_one, .before = placed(scan), .helps = true},
      {.name = "one goes that wanted it far",
       .pod = waiting({}, scan),
       .before = placed({}, {far("region", kScans)}),
       .helps = true},
      {.name = "one goes that wanted others far",
       .pod = waiting({}, {{"service", "foo"}}),
       .before = placed({}, {far("region", kScans)})},
      {.name = "one goes, and neither meant the other",
       .pod = waiting({far("region", kScans)}, {{"service", "foo"}}),
       .before = placed({{"service", "foo"}}, {far("region", kScans)})},
      {.name = "a nominated one goes that is not meant", .pod = far_one, .before = nominated(a)},
      {.name = "a nominated one goes that it wants far",
       .pod = far_one,
       .before = nominated(scan),
       .helps = true},
      // Upstream's answer, though either term alone would have kept it off.
      {.name = "one goes that only one of two terms wants far",
       .pod = far_two,
       .before = placed(a)},
      // Upstream does not look at labels of namespaces here.
      {.name = "one comes from a namespace that is selected",
       .pod = waiting({near("region", kScans).in_namespaces("team=a")}),
       .after = placed(scan)},
      {.name = "one comes from any namespace",
       .pod = waiting({near("region", kScans).in_namespaces("")}),
       .after = placed(scan),
       .helps = true},
  };
  AffinityWorld world;
  for (const PodCase& c : cases) {
    SCOPED_TRACE(c.name);
    const PodPtr pod = world.read(c.pod);
    const PodPtr before = c.before ? world.read(*c.before) : nullptr;
    const PodPtr after = c.after ? world.read(*c.after) : nullptr;
    ClusterEvent event{.resource = EventResource::kAssignedPod};
    event.old_pod = before.get();
    event.new_pod = after.get();
    EXPECT_EQ(world.plugin().may_help(*pod, event), c.helps);
  }
}

struct NodeCase {
  std::string name;
  TestPod pod = {};
  std::optional<Pairs> before = std::nullopt;
  Pairs after = {};
  bool helps = false;
};

TEST(AffinityHints, KnowWhichNodesMayHelp) {
  const TestPod near_zone = waiting({near("zone", kScans)});
  const TestPod near_region = waiting({near("region", kScans)});
  const TestPod far_zone = waiting({far("zone", "another=label")});
  const Pairs zone1 = {{"zone", "zone1"}};
  const Pairs zone2 = {{"zone", "zone2"}};
  const Pairs more = {{"zone", "zone1"}, {"unrelated", "x"}};
  const Pairs a = {{"aaa", "a"}};
  const std::vector<NodeCase> cases = {
      {.name = "near: a new node with the label", .pod = near_zone, .after = zone1, .helps = true},
      {.name = "near: a new node without it", .pod = near_region, .after = zone1},
      {.name = "near: other labels", .pod = near_zone, .before = a, .after = {{"aaa", "b"}}},
      {.name = "near: one more label", .pod = near_zone, .before = zone1, .after = more},
      {.name = "near: another domain",
       .pod = near_zone,
       .before = zone1,
       .after = zone2,
       .helps = true},
      {.name = "near: the label comes",
       .pod = near_zone,
       .before = a,
       .after = zone1,
       .helps = true},
      {.name = "near: the label goes", .pod = near_zone, .before = zone1, .after = a},
      {.name = "far: a new node with the label", .pod = far_zone, .after = zone1, .helps = true},
      {.name = "far: a new node without it", .pod = far_zone, .after = {}, .helps = true},
      {.name = "far: one more label", .pod = far_zone, .before = zone1, .after = more},
      {.name = "far: another domain",
       .pod = far_zone,
       .before = zone1,
       .after = zone2,
       .helps = true},
      {.name = "far: the label comes", .pod = far_zone, .before = a, .after = zone1},
      {.name = "far: the label goes", .pod = far_zone, .before = zone1, .after = a, .helps = true},
      // Upstream's answer, though the node may have nobody who minds the pod.
      {.name = "no terms: a new node", .pod = waiting({}), .after = zone1},
  };
  AffinityWorld world;
  for (const NodeCase& c : cases) {
    SCOPED_TRACE(c.name);
    const PodPtr pod = world.read(c.pod);
    const NodeFacts before =
        read_node(TestNode{.name = "n1", .labels = c.before.value_or(Pairs())}.object());
    const NodeFacts after = read_node(TestNode{.name = "n1", .labels = c.after}.object());
    ClusterEvent event{.resource = EventResource::kNode};
    event.old_node = c.before ? &before : nullptr;
    event.new_node = &after;
    EXPECT_EQ(world.plugin().may_help(*pod, event), c.helps);
  }
}

}  // namespace affinity_hints_test
}  // namespace proa::scheduler::affinity_test

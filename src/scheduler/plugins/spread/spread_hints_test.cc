#include "scheduler/plugins/spread/spread_hints.h"

#include <optional>

#include "testkit/scheduler/plugins/test_spread.h"

namespace proa::scheduler::spread_test {
namespace {

const std::vector<Rule> kZone{hard(1, "zone")};
const std::vector<Rule> kBoth{hard(1, "zone"), hard(1, "node", "bar")};

TEST(SpreadHints, ANodeHelpsThatChangesADomain) {
  const struct {
    std::string name;
    std::vector<Rule> rules;
    std::string before;  // empty: it comes
    std::string after;   // empty: it goes
    bool want;
  } cases[] = {
      {"another zone", kZone, "a zone=z1", "a zone=z2", true},
      {"another label, and no zone", kZone, "a foo=1", "a foo=2", false},
      {"a label less that nobody spreads over", kBoth, "a zone=z1 node=n foo=b", "a zone=z1 node=n",
       false},
      {"came without a zone", kZone, "", "a foo=b", false},
      {"came with a zone", kZone, "", "a zone=z1", true},
      {"went without a zone", kZone, "a foo=b", "", false},
      {"went with a zone", kZone, "a zone=z1", "", true},
      {"came with one of two labels", kBoth, "", "a zone=z1", false},
      {"came with both labels", kBoth, "", "a zone=z1 node=n", true},
      {"one of two labels, as before", kBoth, "a zone=z1", "a zone=z1", false},
      {"gets the second label", kBoth, "a zone=z1", "a zone=z1 node=n", true},
      {"another of two", kBoth, "a zone=z1 node=n", "a zone=z1 node=m", true},
      {"other taints", kBoth, "a zone=z1 node=n !", "a zone=z1 node=n", true},
      {"other taints, and one of two labels", kBoth, "a node=n !", "a node=n", false},
      {"soft constraints need no labels",
       {hard(1, "zone"), soft(1, "node")},
       "",
       "a zone=z1",
       true},
  };
  SpreadWorld world;
  for (const auto& c : cases) {
    SCOPED_TRACE(c.name);
    std::optional<NodeFacts> before;
    std::optional<NodeFacts> after;
    if (!c.before.empty()) before = read_node(node_of(c.before).object());
    if (!c.after.empty()) after = read_node(node_of(c.after).object());
    const ClusterEvent event{.resource = EventResource::kNode,
                             .old_node = before ? &*before : nullptr,
                             .new_node = after ? &*after : nullptr};
    EXPECT_EQ(world.plugin().may_help(*world.read(waiting("foo", c.rules)), event), c.want);
  }
}

// Pods as pod_of() reads them; without a node where nothing follows the "@".
struct PodCase {
  std::string name;
  std::vector<Rule> rules;
  std::string before;
  std::string after;
  bool want;
};

TEST(SpreadHints, APodHelpsThatBeginsOrCeasesToCount) {
  const PodCase cases[] = {
      {"came", kZone, "", "foo@n", true},
      {"came, and has no node", kZone, "", "foo@", false},
      {"changed, and has no node", kZone, "bar@", "foo@", false},
      {"went, and had no node", kZone, "foo@", "", false},
      {"came in another namespace", kZone, "", "other/foo@n", false},
      {"came, and does not count", kZone, "", "bar@n", false},
      {"went", kZone, "foo@n", "", true},
      {"went, and did not count", kZone, "bar@n", "", false},
      {"another label that nobody asks for", kZone, "foo bar@n", "foo@n", false},
      {"gets the label", kZone, "@n", "foo@n", true},
      {"loses the label", kZone, "foo@n", "@n", true},
      {"gets the label of the second", kBoth, "foo@n", "foo bar@n", true},
      {"gets a label of neither", kBoth, "foo@n", "foo baz@n", false},
      {"gets a label that a soft one asks for",
       {hard(1, "zone"), soft(1, "node", "bar")},
       "foo@n",
       "foo bar@n",
       false},
  };
  SpreadWorld world;
  for (const PodCase& c : cases) {
    SCOPED_TRACE(c.name);
    const PodPtr before = c.before.empty() ? nullptr : world.read(pod_of(c.before, "other"));
    const PodPtr after = c.after.empty() ? nullptr : world.read(pod_of(c.after, "other"));
    const ClusterEvent event{
        .resource = EventResource::kAssignedPod, .old_pod = before.get(), .new_pod = after.get()};
    EXPECT_EQ(world.plugin().may_help(*world.read(waiting("foo", c.rules)), event), c.want);
  }
}

TEST(SpreadHints, ANominatedPodCountsWhenItGoes) {
  SpreadWorld world;
  const PodPtr pod = world.read(waiting("foo", kZone));
  for (const std::string label : {"foo", "bar"}) {
    const PodPtr gone = world.read(testkit::make_pod("other").label(label, "").nominated("n"));
    const ClusterEvent event{.resource = EventResource::kUnscheduledPod, .old_pod = gone.get()};
    EXPECT_EQ(world.plugin().may_help(*pod, event), label == "foo");
  }
}

TEST(SpreadHints, ThePodItselfMayChange) {
  SpreadWorld world;
  const auto helps = [&](const std::vector<Rule>& rules, const PodBuilder& before,
                         const PodBuilder& after) {
    const PodPtr old_pod = world.read(before);
    const PodPtr new_pod = world.read(after);
    const ClusterEvent event{.resource = EventResource::kUnscheduledPod,
                             .old_pod = old_pod.get(),
                             .new_pod = new_pod.get()};
    return world.plugin().may_help(*world.read(waiting("foo", rules)), event);
  };
  const PodBuilder plain = testkit::make_pod("p").label("foo", "");
  const PodBuilder tolerant = PodBuilder(plain).tolerate("why", "Exists");
  const std::vector<Rule> honoring{honoring_taints(hard(1, "zone")), hard(1, "node", "bar")};
  EXPECT_TRUE(helps(honoring, plain, tolerant));
  EXPECT_FALSE(helps(kBoth, plain, tolerant));
  EXPECT_TRUE(helps(kBoth, testkit::make_pod("p"), plain));
  EXPECT_FALSE(helps(kBoth, testkit::make_pod("p"), testkit::make_pod("p").label("other", "")));
}

}  // namespace
}  // namespace proa::scheduler::spread_test

#include "controllers/workload/daemon/daemon_plan.h"

#include <gtest/gtest.h>

#include "controllers/workload/daemon/daemon_facts.h"
#include "controllers/workload/daemon/failed_pods.h"
#include "json/parse.h"

namespace proa::controllers {
namespace {

// One letter a pod, as they come: 'n' new and serving, 'o' old and serving, 'N' and 'O' not ready,
// 'w' new and ready, but not yet available, 'f' failed, 'h' failed and held, 's' succeeded, 'd'
// being deleted, 'u' new and not yet scheduled. In front, of a node: '+' may have one, '-' may keep
// it, 'x' may not, '?' there is no such node.
DaemonNode node(std::string_view name, std::string_view text) {
  DaemonNode made;
  made.name = name;
  made.exists = text[0] != '?';
  made.may_start = text[0] == '+';
  made.may_stay = text[0] == '+' || text[0] == '-';
  for (size_t i = 1; i < text.size(); ++i) {
    const char letter = text[i];
    DaemonPod pod;
    pod.name = std::string(name) + std::to_string(i);
    pod.scheduled = letter != 'u';
    pod.being_deleted = letter == 'd';
    pod.failed = letter == 'f' || letter == 'h';
    pod.held = letter == 'h';
    pod.succeeded = letter == 's';
    pod.ready = letter == 'n' || letter == 'o' || letter == 'w';
    pod.available = letter == 'n' || letter == 'o';
    pod.updated = letter != 'o' && letter != 'O';
    made.pods.push_back(std::move(pod));
  }
  sort_daemon_pods(made.pods);
  return made;
}

// Nodes are called a, b, c and so on.
std::vector<DaemonNode> nodes(std::initializer_list<const char*> texts) {
  std::vector<DaemonNode> all;
  for (const char* text : texts) {
    all.push_back(node(std::string(1, static_cast<char>('a' + all.size())), text));
  }
  return all;
}

std::string text_of(const DaemonPlan& plan) {
  std::string text;
  for (const std::string& on : plan.create_on) text += "+" + on + " ";
  for (const DaemonRemoval& removal : plan.remove) {
    text += std::string(1, "-fs"[static_cast<size_t>(removal.why)]) + removal.pod + " ";
  }
  return text;
}

struct PlacementCase {
  const char* name;
  const char* node;
  const char* expected;
  const char* surging;
};

TEST(PlanPlacement, WantsOneGoodPodOnEveryNode) {
  const PlacementCase cases[] = {
      {"none yet", "+", "+a ", "+a "},
      {"one", "+n", "", ""},
      {"not wanted there", "-", "", ""},
      {"may stay", "-n", "", ""},
      {"must go", "xno", "-a1 -a2 ", "-a1 -a2 "},
      {"goes already", "xd", "", ""},
      {"failed", "+f", "fa1 ", "+a fa1 "},
      {"failed before", "+h", "", ""},
      {"succeeded", "+s", "sa1 ", "+a sa1 "},
      {"one goes", "+d", "", "+a "},
      {"one goes where none may come", "-d", "", ""},
      {"two old ones", "+oo", "-a2 ", "-a2 "},
      {"scheduled ones are better", "+un", "-a1 ", "-a1 "},
      {"a new one beside an old one", "+oN", "-a2 ", ""},
      {"a new one that waits", "+ow", "-a2 ", ""},
      {"a new one that serves", "+on", "-a2 ", "-a1 "},
      {"an old one that does not serve", "+ON", "-a2 ", "-a1 "},
      {"a node that is gone", "?n", "", ""},
      {"meant for a node that is gone", "?u", "-a1 ", "-a1 "},
  };
  for (const PlacementCase& c : cases) {
    SCOPED_TRACE(c.name);
    EXPECT_EQ(text_of(plan_placement(nodes({c.node}), false)), c.expected);
    EXPECT_EQ(text_of(plan_placement(nodes({c.node}), true)), c.surging);
  }
}

struct UpdateCase {
  const char* name;
  DaemonUpdatePolicy policy;
  std::initializer_list<const char*> nodes;
  const char* expected;
};

TEST(PlanUpdate, StaysWithinItsBounds) {
  const DaemonUpdatePolicy one{.max_unavailable = 1, .max_surge = 0, .desired = 3};
  const DaemonUpdatePolicy two{.max_unavailable = 2, .max_surge = 0, .desired = 3};
  const DaemonUpdatePolicy surge{.max_unavailable = 0, .max_surge = 1, .desired = 3};
  const UpdateCase cases[] = {
      {"all new", one, {"+n", "+n", "+n"}, ""},
      {"one at a time", one, {"+o", "+o", "+o"}, "-a1 "},
      {"two at a time", two, {"+o", "+o", "+o"}, "-a1 -b1 "},
      {"a new one is waited for", one, {"+w", "+o", "+o"}, ""},
      {"one that goes is waited for", one, {"+d", "+o", "+o"}, ""},
      {"one that is not there yet, too", one, {"+", "+o", "+o"}, ""},
      {"those that don't serve go first", one, {"+o", "+O", "+O"}, "-b1 -c1 "},
      {"nodes without one don't count", one, {"x", "+o", "-"}, "-b1 "},
      {"surge: a second one", surge, {"+o", "+o", "+o"}, "+a "},
      {"surge: one node at a time", surge, {"+oN", "+o", "+o"}, ""},
      {"surge: the old one goes", surge, {"+on", "+o", "+n"}, "+b -a1 "},
      {"surge: old ones that don't serve are not counted", surge, {"+o", "+O", "+O"}, "+b +c +a "},
      {"surge: moves when it has arrived", {0, 1, 1}, {"-o", "+n"}, "-a1 "},
      {"surge: does not move before", {0, 1, 1}, {"-o", "+w"}, ""},
      {"surge: what does not serve may go", {0, 1, 1}, {"-O", "+w"}, "-a1 "},
      {"surge: a node that is gone", surge, {"?o", "+o", "+n"}, "+b "},
  };
  for (const UpdateCase& c : cases) {
    SCOPED_TRACE(c.name);
    EXPECT_EQ(text_of(plan_update(nodes(c.nodes), c.policy)), c.expected);
  }
}

TEST(CountDaemons, LooksAtTheOldestOfEachNode) {
  const auto all = nodes({"+n", "+", "+on", "+w", "+O", "-o", "x", "?o"});
  const DaemonCounts expected{
      .desired = 5, .current = 4, .misscheduled = 1, .ready = 3, .updated = 2, .available = 2};
  EXPECT_EQ(count_daemons(all), expected);
}

TEST(FailedPods, WaitLongerEachTime) {
  using std::chrono::seconds;
  FailedPods failed;
  Steady now{seconds(1000)};
  EXPECT_EQ(failed.wait("a", now), Duration(0));
  failed.replaced("a", now);
  EXPECT_EQ(failed.wait("a", now), seconds(1));
  EXPECT_EQ(failed.wait("b", now), Duration(0));
  now += seconds(1);
  EXPECT_EQ(failed.wait("a", now), Duration(0));
  failed.replaced("a", now);
  EXPECT_EQ(failed.wait("a", now), seconds(2));
  for (int i = 0; i < 20; ++i) failed.replaced("a", now);
  EXPECT_EQ(failed.wait("a", now), FailedPods::kMaxBackoff);
  now += 2 * FailedPods::kMaxBackoff + seconds(1);
  failed.replaced("a", now);
  EXPECT_EQ(failed.wait("a", now), seconds(1));
}

}  // namespace
}  // namespace proa::controllers

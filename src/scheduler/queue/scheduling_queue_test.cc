#include "scheduler/queue/scheduling_queue.h"

#include <gtest/gtest.h>

#include <map>
#include <set>

#include "base/random.h"
#include "testkit/fake_clock.h"
#include "testkit/scheduler/builders.h"

namespace proa::scheduler {
namespace {

using namespace std::chrono_literals;
using testkit::make_pod;
using testkit::PodBuilder;

// A plugin that wants to hear of some events, and says whether they help.
class Hinter final : public Plugin {
 public:
  explicit Hinter(std::vector<EventInterest> interests = {}, bool helps = true)
      : interests_(std::move(interests)), helps_(helps) {}
  std::string_view name() const override { return "Hinter"; }
  std::vector<EventInterest> events() const override { return interests_; }
  bool may_help(const Pod&, const ClusterEvent&) const override {
    ++asked;
    return helps_;
  }
  mutable int asked = 0;

 private:
  const std::vector<EventInterest> interests_;
  const bool helps_;
};

// By priority, then by age; pods with a closed gate are kept out.
class TestPolicy final : public QueuePolicy {
 public:
  bool goes_before(const QueuedPod& a, const QueuedPod& b) const override {
    if (a.pod->priority() != b.pod->priority()) return a.pod->priority() > b.pod->priority();
    return a.queued < b.queued;
  }
  const Plugin* gate(const Pod& pod) const override {
    return pod.gated || closed.contains(std::string(pod.name())) ? &keeper : nullptr;
  }
  std::set<std::string> closed;
  Hinter keeper;
};

const ClusterEvent kNodeAdded{.resource = EventResource::kNode, .action = action::kAdd};
const EventInterest kNodesAdded{.resource = EventResource::kNode, .actions = action::kAdd};

class SchedulingQueueTest : public testing::Test {
 protected:
  PodPtr read(const PodBuilder& pod) { return reader.read(pod.object()); }
  void put(const PodBuilder& pod) { queue.put(read(pod)); }
  void put(const char* name) { put(make_pod(name)); }
  api::Uid uid(std::string_view name) { return api::Uid(testkit::usual_uid("default", name)); }

  // The name of the next one; empty: there is none. It stays out.
  std::string pop() {
    popped = queue.pop();
    return popped == nullptr ? "" : std::string(popped->pod->name());
  }
  // It is tried and rejected.
  void reject(const char* name, const Plugin* by = nullptr) {
    ASSERT_EQ(pop(), name);
    queue.put_back(std::move(popped), {by == nullptr ? &hinter : by});
  }
  void fail(const char* name) {
    ASSERT_EQ(pop(), name);
    queue.put_back_after_error(std::move(popped));
  }
  std::string where(std::string_view name) const {
    std::string found = "nowhere";
    queue.for_each([&](const WaitingPod& waiting, std::string_view place) {
      if (waiting.pod->name() == name) found = place;
    });
    return found;
  }
  Duration until_due() const { return queue.next_due() - clock.steady(); }

  testkit::FakeClock clock;  // begins with a whole second
  PodReader reader;
  TestPolicy policy;
  Hinter hinter{{kNodesAdded}};
  SchedulingQueue queue{clock, policy, {}};
  WaitingPtr popped;
};

TEST_F(SchedulingQueueTest, IsEmptyAtFirst) {
  EXPECT_EQ(queue.pop(), nullptr);
  EXPECT_EQ(queue.next_due(), Steady::max());
}

TEST_F(SchedulingQueueTest, GivesTheMostImportantFirstThenTheOldest) {
  put("a");
  clock.advance(1s);
  put(make_pod("b").priority(5));
  put("c");
  put("d");
  EXPECT_EQ(queue.active(), 4u);
  EXPECT_EQ(pop(), "b");
  EXPECT_EQ(popped->attempts, 1);
  EXPECT_EQ(pop(), "a");
  EXPECT_EQ(pop(), "c") << "of the same moment: the one that came first";
  EXPECT_EQ(pop(), "d");
  EXPECT_EQ(pop(), "");
}

TEST_F(SchedulingQueueTest, DoublesTheBackoffUpToTheMost) {
  put("a");
  // Back-offs end with the second after the one in which they are over.
  for (const int seconds : {1, 2, 4, 8, 10, 10, 10}) {
    reject("a");
    queue.tell(kNodeAdded);
    ASSERT_EQ(where("a"), "backoff");
    EXPECT_EQ(until_due(), std::chrono::seconds(seconds + 1));
    clock.advance(until_due());
  }
}

TEST_F(SchedulingQueueTest, DoublesTheBackoffOfErrorsForThemselves) {
  put("a");
  reject("a");
  queue.tell(kNodeAdded);
  for (const int seconds : {1, 2, 4, 8, 10, 10}) {
    fail("a");
    ASSERT_EQ(where("a"), "backoff") << "no event is needed";
    EXPECT_EQ(until_due(), std::chrono::seconds(seconds + 1));
    clock.advance(until_due());
    EXPECT_EQ(queue.flush(), Steady::max());
  }
  // Two attempts that found no node, and no error any more.
  reject("a");
  queue.tell(kNodeAdded);
  EXPECT_EQ(until_due(), 3s);
  ASSERT_EQ(pop(), "a");
  queue.put_back_after_error(std::move(popped));
  EXPECT_EQ(until_due(), 2s) << "the first error again";
}

TEST_F(SchedulingQueueTest, EndsBackoffsByTheSecond) {
  clock.advance(300ms);
  put("a");
  reject("a");
  queue.tell(kNodeAdded);
  EXPECT_EQ(until_due(), 1700ms);
}

TEST_F(SchedulingQueueTest, NeedsNoBackoffWhereThatIsTurnedOff) {
  SchedulingQueue none(clock, policy, {.initial_backoff = 0s, .max_backoff = 0s});
  none.put(read(make_pod("a")));
  WaitingPtr waiting = none.pop();
  none.put_back(std::move(waiting), {&hinter});
  none.tell(kNodeAdded);
  EXPECT_EQ(none.active(), 1u);
}

TEST_F(SchedulingQueueTest, TriesPodsThatBackOffWhenThereIsNothingElseToDo) {
  put("a");
  reject("a");
  queue.tell(kNodeAdded);
  put("b");
  EXPECT_EQ(pop(), "b");
  EXPECT_EQ(pop(), "a") << "nobody else wants to be tried";
}

TEST_F(SchedulingQueueTest, KeepsToTheBackoffOfErrors) {
  put("a");
  fail("a");
  EXPECT_EQ(pop(), "");
  clock.advance(1999ms);
  queue.flush();
  EXPECT_EQ(pop(), "");
  clock.advance(1ms);
  queue.flush();
  EXPECT_EQ(pop(), "a");
}

TEST_F(SchedulingQueueTest, TakesTheMostImportantOfThoseThatBackOffTogether) {
  put("a");
  reject("a");
  clock.advance(100ms);
  put(make_pod("b").priority(5));
  reject("b");
  clock.advance(100ms);
  put("c");
  fail("c");
  queue.tell(kNodeAdded);
  EXPECT_EQ(pop(), "b") << "both end with the same second";
  EXPECT_EQ(pop(), "a");
  EXPECT_EQ(pop(), "");
}

TEST_F(SchedulingQueueTest, ReleasesPodsThatAnEventMayHelp) {
  struct Case {
    const char* name;
    std::vector<EventInterest> interests;
    bool helps;
    std::string where;
    int asked;
  };
  const std::vector<Case> cases = {
      {"wanted, and helps", {kNodesAdded}, true, "backoff", 1},
      {"wanted, and does not help", {kNodesAdded}, false, "unschedulable", 1},
      {"any event", {{EventResource::kNode, action::kAll}}, true, "backoff", 1},
      {"another action", {{EventResource::kNode, action::kDelete}}, true, "unschedulable", 0},
      {"another resource", {{EventResource::kCsiNode, action::kAdd}}, true, "unschedulable", 0},
      {"one of several",
       {{EventResource::kCsiNode, action::kAdd}, {EventResource::kNode, action::kAdd}},
       true,
       "backoff",
       1},
      {"nothing", {}, true, "unschedulable", 0},
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(c.name);
    const Hinter rejector(c.interests, c.helps);
    put("a");
    reject("a", &rejector);
    queue.tell(kNodeAdded);
    EXPECT_EQ(where("a"), c.where);
    EXPECT_EQ(rejector.asked, c.asked);
    queue.remove(uid("a"));
  }
}

TEST_F(SchedulingQueueTest, AsksOnlyThoseWhoRejectedThePod) {
  const Hinter deaf({}, true);
  const Hinter hears({kNodesAdded}, true);
  put("a");
  put("b");
  reject("a", &deaf);
  reject("b", &hears);
  queue.tell(kNodeAdded);
  EXPECT_EQ(where("a"), "unschedulable");
  EXPECT_EQ(where("b"), "backoff");
}

TEST_F(SchedulingQueueTest, AsksOnceForPodsOfOneShape) {
  const Hinter rejector({kNodesAdded}, false);
  for (const char* name : {"a", "b", "c"}) put(name);
  put(make_pod("d").label("app", "other"));
  for (const char* name : {"a", "b", "c", "d"}) reject(name, &rejector);
  queue.tell(kNodeAdded);
  EXPECT_EQ(rejector.asked, 2);
}

TEST_F(SchedulingQueueTest, ReleasesPodsThatNobodyRejectedByAnyEvent) {
  put("a");
  ASSERT_EQ(pop(), "a");
  queue.put_back(std::move(popped), {});
  queue.tell({.resource = EventResource::kCsiNode, .action = action::kDelete});
  EXPECT_EQ(where("a"), "backoff");
}

TEST_F(SchedulingQueueTest, LeavesOutPodsThatAreTooImportantForAnEvent) {
  put(make_pod("a").priority(5));
  put(make_pod("b").priority(4));
  reject("a");
  reject("b");
  queue.tell(kNodeAdded, 4);
  EXPECT_EQ(where("a"), "unschedulable");
  EXPECT_EQ(where("b"), "backoff");
}

TEST_F(SchedulingQueueTest, TriesEverythingAgainAfterFiveMinutes) {
  put("a");
  reject("a");
  EXPECT_EQ(until_due(), 5min);
  clock.advance(5min - 1ns);
  EXPECT_EQ(queue.flush(), clock.steady() + 1ns);
  EXPECT_EQ(where("a"), "unschedulable");
  clock.advance(1ns);
  EXPECT_EQ(queue.flush(), Steady::max());
  EXPECT_EQ(where("a"), "active");
}

TEST_F(SchedulingQueueTest, SkipsABackoffThatIsOver) {
  put("a");
  reject("a");
  clock.advance(10s);
  queue.tell(kNodeAdded);
  EXPECT_EQ(where("a"), "active");
}

TEST_F(SchedulingQueueTest, KeepsGatedPodsOut) {
  put(make_pod("a").gate("wait"));
  EXPECT_EQ(where("a"), "gated");
  EXPECT_EQ(queue.gated(), 1u);
  EXPECT_EQ(pop(), "");
  queue.tell(kNodeAdded);
  clock.advance(10min);
  queue.flush();
  queue.retry(uid("a"));
  EXPECT_EQ(where("a"), "gated");
  put("a");
  EXPECT_EQ(queue.gated(), 0u);
  EXPECT_EQ(pop(), "a");
}

TEST_F(SchedulingQueueTest, AsksTheGateWhenSomethingHelpsThePod) {
  put("a");
  reject("a");
  policy.closed.insert("a");
  EXPECT_EQ(where("a"), "unschedulable");
  queue.ask_gate(uid("a"));
  EXPECT_EQ(where("a"), "unschedulable") << "nothing has helped it";
  queue.tell(kNodeAdded);
  EXPECT_EQ(where("a"), "gated");
  queue.ask_gate(uid("a"));
  EXPECT_EQ(where("a"), "gated");
  policy.closed.clear();
  queue.ask_gate(uid("a"));
  EXPECT_EQ(where("a"), "backoff");
}

TEST_F(SchedulingQueueTest, RetriesAtOnceWhateverThePodWaitsFor) {
  for (const char* name : {"a", "b", "c"}) put(name);
  reject("a");
  fail("b");
  for (const char* name : {"a", "b", "c", "unknown"}) queue.retry(uid(name));
  EXPECT_EQ(queue.active(), 3u);
}

TEST_F(SchedulingQueueTest, PutsAnotherStateOfAPodInItsPlace) {
  const PodBuilder changed = make_pod("a").label("app", "web").priority(7);
  const auto label_of = [&] {
    std::string found;
    queue.for_each([&](const WaitingPod& waiting, std::string_view) {
      if (waiting.pod->name() != "a") return;
      const std::string_view* label = waiting.pod->shape->labels.find("app");
      found = label == nullptr ? "" : std::string(*label);
    });
    return found;
  };
  put("a");
  put("b");
  put(changed);
  EXPECT_EQ(where("a"), "active");
  EXPECT_EQ(label_of(), "web");
  EXPECT_EQ(pop(), "a") << "it stands where its priority has it";

  queue.put_back_after_error(std::move(popped));
  put(make_pod("a").label("app", "api"));
  EXPECT_EQ(where("a"), "backoff");
  EXPECT_EQ(label_of(), "api");
  clock.advance(2s);
  queue.flush();
  put(make_pod("a").priority(7).label("app", "api"));

  reject("a");
  put(changed);
  EXPECT_EQ(where("a"), "unschedulable") << "nobody wants to hear of it";
  EXPECT_EQ(label_of(), "web");
}

TEST_F(SchedulingQueueTest, ReleasesAPodWhoseOwnChangeMayHelp) {
  struct Case {
    const char* name;
    uint32_t interest;
    PodBuilder after;
    std::string where;
  };
  const PodBuilder before = make_pod("a").request({{"cpu", "2"}});
  const std::vector<Case> cases = {
      {"labels", action::kUpdatePodLabel, PodBuilder(before).label("app", "web"), "backoff"},
      {"labels, while tolerations are waited for", action::kUpdatePodToleration,
       PodBuilder(before).label("app", "web"), "unschedulable"},
      {"less is asked for", action::kUpdatePodScaleDown, make_pod("a").request({{"cpu", "1"}}),
       "backoff"},
      {"more is asked for", action::kUpdatePodScaleDown, make_pod("a").request({{"cpu", "3"}}),
       "unschedulable"},
      {"one more toleration", action::kUpdatePodToleration,
       PodBuilder(before).tolerate("why", "Exists"), "backoff"},
      {"the status", action::kUpdatePodLabel, PodBuilder(before).nominated("n1"), "unschedulable"},
      {"anything", action::kUpdate, PodBuilder(before).nominated("n1"), "backoff"},
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(c.name);
    const Hinter rejector({{EventResource::kUnscheduledPod, c.interest}}, true);
    put(before);
    reject("a", &rejector);
    put(c.after);
    EXPECT_EQ(where("a"), c.where);
    queue.remove(uid("a"));
  }
}

TEST_F(SchedulingQueueTest, ForgetsPodsWhereverTheyAre) {
  put("active");
  put(make_pod("gated").gate("wait"));
  put(make_pod("unschedulable").priority(2));
  reject("unschedulable");
  put(make_pod("backoff").priority(1));
  fail("backoff");
  for (const char* name : {"active", "gated", "unschedulable", "backoff"}) {
    SCOPED_TRACE(name);
    ASSERT_EQ(where(name), name);
    EXPECT_TRUE(queue.has(uid(name)));
    queue.remove(uid(name));
    EXPECT_FALSE(queue.has(uid(name)));
    queue.remove(uid(name));
  }
  EXPECT_EQ(queue.active() + queue.gated() + queue.unschedulable() + queue.backing_off(), 0u);
  EXPECT_EQ(queue.next_due(), Steady::max());
}

TEST_F(SchedulingQueueTest, KeepsThePodThatCameMeanwhile) {
  put("a");
  ASSERT_EQ(pop(), "a");
  WaitingPtr first = std::move(popped);
  put("a");
  queue.put_back(std::move(first), {&hinter});
  EXPECT_EQ(where("a"), "active");
}

TEST_F(SchedulingQueueTest, RemembersWhatBecameOfAttempts) {
  put("a");
  const Time first = clock.now();
  reject("a");
  clock.advance(1min);
  queue.tell(kNodeAdded);
  fail("a");
  clock.advance(1min);
  queue.flush();
  ASSERT_EQ(pop(), "a");
  EXPECT_EQ(popped->attempts, 3);
  EXPECT_EQ(popped->unschedulable_attempts, 1);
  EXPECT_EQ(popped->errors_in_a_row, 1);
  EXPECT_EQ(popped->first_queued, first);
  EXPECT_EQ(popped->queued, first + 1min);
}

// The queue against a list of what it should have in it.
TEST_F(SchedulingQueueTest, LosesNobody) {
  SeededRandom random(7);
  std::set<std::string> expected;
  for (int i = 0; i < 20'000; ++i) {
    const std::string name = "p" + std::to_string(random.below(40));
    switch (random.below(8)) {
      case 0:
      case 1:
        put(make_pod(name).priority(static_cast<int64_t>(random.below(3))));
        expected.insert(name);
        break;
      case 2:
        queue.remove(uid(name));
        expected.erase(name);
        break;
      case 3:
      case 4:
        if (const std::string next = pop(); !next.empty()) {
          ASSERT_TRUE(expected.contains(next));
          if (random.below(2) == 0) {
            queue.put_back(std::move(popped), {&hinter});
          } else if (random.below(2) == 0) {
            queue.put_back_after_error(std::move(popped));
          } else {
            expected.erase(next);
          }
        }
        break;
      case 5:
        queue.tell(kNodeAdded);
        break;
      case 6:
        clock.advance(std::chrono::milliseconds(random.below(3000)));
        queue.flush();
        break;
      default:
        queue.retry(uid(name));
    }
    ASSERT_EQ(queue.active() + queue.backing_off() + queue.unschedulable(), expected.size());
  }
}

}  // namespace
}  // namespace proa::scheduler

#include "apiserver/front/fairness/queues/queue_set.h"

#include <gtest/gtest.h>

#include <deque>
#include <memory>

#include "testkit/case_random.h"

namespace proa::apiserver::fairness {
namespace queue_set_test {

using Outcome = QueueSet::Outcome;
using State = Queued::State;
using std::chrono::milliseconds;

constexpr QueueOptions kQueues{
    .kind = QueueOptions::Kind::kQueue, .queues = 8, .hand_size = 1, .queue_length_limit = 5};

// A set and its time.
class QueueSetTest : public testing::Test {
 protected:
  void configure(const QueueOptions& options, int limit) {
    ASSERT_TRUE(set_.configure(options, limit, now_, dispatched_).ok());
  }
  // Of the queue `flow`, since hands have one card.
  Queued& make(uint64_t flow, WorkEstimate estimate = {}) {
    Queued& made = requests_.emplace_back();
    made.flow = flow;
    made.estimate = estimate;
    return made;
  }
  Outcome start(Queued& request) { return set_.start(request, now_, dispatched_); }
  void finish(Queued& request) { set_.finish(request, now_, dispatched_); }

  Steady now_{std::chrono::hours(1)};
  QueueSet set_{now_};
  QueueSet::Dispatched dispatched_;
  std::deque<Queued> requests_;
};

TEST_F(QueueSetTest, ExecutesUpToTheLimitThenQueuesThenRejects) {
  configure(kQueues, 2);
  Queued& first = make(3);
  EXPECT_EQ(start(first), Outcome::kExecutes);
  EXPECT_EQ(start(make(3)), Outcome::kExecutes);
  for (int i = 0; i < 5; ++i) EXPECT_EQ(start(make(3)), Outcome::kWaits);
  EXPECT_EQ(start(make(3)), Outcome::kQueueFull);
  EXPECT_EQ(start(make(4)), Outcome::kWaits) << "another queue has room";
  EXPECT_EQ(set_.totals().waiting, 6);
  EXPECT_EQ(set_.totals().rejected, 1u);
  dispatched_.clear();
  finish(first);
  ASSERT_EQ(dispatched_.size(), 1u);
  EXPECT_EQ(set_.totals().seats_in_use, 2);
  EXPECT_EQ(set_.totals().waiting, 5);
}

TEST_F(QueueSetTest, RejectsAtTheLimitWithoutQueues) {
  configure({.kind = QueueOptions::Kind::kReject}, 1);
  Queued& first = make(0);
  EXPECT_EQ(start(first), Outcome::kExecutes);
  EXPECT_EQ(start(make(0)), Outcome::kLimitReached);
  finish(first);
  EXPECT_EQ(start(make(0)), Outcome::kExecutes);
}

TEST_F(QueueSetTest, NeverLimitsWhoIsExempt) {
  configure({.kind = QueueOptions::Kind::kExempt}, 0);
  for (int i = 0; i < 100; ++i)
    EXPECT_EQ(start(make(0, {.initial_seats = 10})), Outcome::kExecutes);
  EXPECT_EQ(set_.totals().seats_in_use, 1000);
}

TEST_F(QueueSetTest, GivesSeatsByWidth) {
  configure(kQueues, 10);
  Queued& wide = make(0, {.initial_seats = 8});
  EXPECT_EQ(start(wide), Outcome::kExecutes);
  Queued& next = make(1, {.initial_seats = 5});
  EXPECT_EQ(start(next), Outcome::kWaits);
  EXPECT_EQ(set_.blocked(), &next);
  finish(wide);
  EXPECT_EQ(next.state, State::kExecuting);
  // What is wider than everything has everything for itself.
  Queued& widest = make(2, {.initial_seats = 30});
  EXPECT_EQ(start(widest), Outcome::kWaits);
  finish(next);
  EXPECT_EQ(widest.state, State::kExecuting);
}

TEST_F(QueueSetTest, HoldsSeatsUntilEventsAreSent) {
  configure(kQueues, 4);
  Queued& change =
      make(0, {.initial_seats = 1, .final_seats = 4, .additional_latency = milliseconds(20)});
  EXPECT_EQ(start(change), Outcome::kExecutes);
  Queued& next = make(1);
  EXPECT_EQ(start(next), Outcome::kWaits);
  finish(change);
  EXPECT_EQ(next.state, State::kWaiting);
  EXPECT_EQ(set_.next_release(), now_ + milliseconds(20));
  now_ += milliseconds(20);
  set_.release(now_, dispatched_);
  EXPECT_EQ(next.state, State::kExecuting);
  EXPECT_EQ(set_.totals().seats_in_use, 1);
  EXPECT_FALSE(set_.next_release());
}

TEST_F(QueueSetTest, ForgetsWhoGaveUp) {
  configure(kQueues, 1);
  Queued& executing = make(0);
  start(executing);
  Queued& gone = make(1);
  Queued& late = make(1);
  Queued& last = make(1);
  for (Queued* each : {&gone, &late, &last}) EXPECT_EQ(start(*each), Outcome::kWaits);
  set_.give_up(gone, false, now_, dispatched_);
  set_.give_up(late, true, now_, dispatched_);
  EXPECT_EQ(set_.totals().cancelled, 1u);
  EXPECT_EQ(set_.totals().timed_out, 1u);
  finish(executing);
  EXPECT_EQ(last.state, State::kExecuting);
  EXPECT_EQ(gone.state, State::kDone);
}

TEST_F(QueueSetTest, DropsQueuesThatAreNotWantedOnceTheyAreEmpty) {
  configure(kQueues, 1);
  Queued& executing = make(7);
  Queued& waiting = make(7);
  start(executing);
  start(waiting);
  QueueOptions fewer = kQueues;
  fewer.queues = 2;
  configure(fewer, 1);
  EXPECT_TRUE(set_.queues().contains(7));
  finish(executing);
  EXPECT_EQ(waiting.state, State::kExecuting);
  finish(waiting);
  EXPECT_TRUE(set_.queues().empty());
  EXPECT_EQ(set_.queue_count(), 2);
  EXPECT_EQ(start(make(1)), Outcome::kExecutes);
}

TEST_F(QueueSetTest, MillionsOfQueuesTakeNoMemory) {
  QueueOptions most = kQueues;
  most.queues = 10'000'000;
  configure(most, 1);
  EXPECT_TRUE(set_.queues().empty());
  Queued& executing = make(9'999'999);
  EXPECT_EQ(start(executing), Outcome::kExecutes);
  Queued& waiting = make(5);
  EXPECT_EQ(start(waiting), Outcome::kWaits);
  EXPECT_EQ(set_.queues().size(), 2u);
  set_.give_up(waiting, false, now_, dispatched_);
  EXPECT_EQ(set_.queues().size(), 1u);
  finish(executing);
  EXPECT_TRUE(set_.queues().empty());
}

TEST_F(QueueSetTest, QueuesAreLimitedAlsoWhileAWideRequestBlocks) {
  configure(kQueues, 10);
  start(make(0));
  Queued& wide = make(1, {.initial_seats = 10});
  EXPECT_EQ(start(wide), Outcome::kWaits);
  EXPECT_EQ(set_.blocked(), &wide);
  for (int i = 0; i < 4; ++i) EXPECT_EQ(start(make(1)), Outcome::kWaits);
  EXPECT_EQ(start(make(1)), Outcome::kQueueFull);
}

// The demand counts seats for as long as they were in use, however late that is noticed.
TEST_F(QueueSetTest, FreesSeatsAtTheirTime) {
  configure(kQueues, 4);
  (void)set_.demand().take(now_);
  Queued& change = make(
      0, {.initial_seats = 4, .final_seats = 4, .additional_latency = std::chrono::seconds(1)});
  start(change);
  finish(change);
  now_ += std::chrono::seconds(8);
  set_.release(now_, dispatched_);
  EXPECT_DOUBLE_EQ(set_.demand().take(now_).average, 0.5);
}

TEST_F(QueueSetTest, MoreSeatsLetTheWaitingExecute) {
  configure(kQueues, 1);
  start(make(0));
  Queued& waiting = make(1);
  start(waiting);
  set_.set_limit(2, now_, dispatched_);
  EXPECT_EQ(waiting.state, State::kExecuting);
}

// Flows that each have a number of requests under way all the time.
struct Load {
  uint64_t flow;
  int under_way;
  int seats;
  Duration service;
  double served = 0;  // seat-seconds
};

class Simulation {
 public:
  Simulation(QueueSet& set, Steady& now, std::vector<Load>& loads) : set_(set), now_(now) {
    for (Load& load : loads) {
      for (int i = 0; i < load.under_way; ++i) start(load);
    }
  }
  void run(Duration time) {
    const Steady end = now_ + time;
    while (!ends_.empty() && ends_.begin()->first < end) {
      const auto [at, request] = *ends_.begin();
      ends_.erase(ends_.begin());
      now_ = at;
      Load& load = *loads_.at(request);
      load.served +=
          request->estimate.max_seats() * std::chrono::duration<double>(load.service).count();
      QueueSet::Dispatched dispatched;
      set_.finish(*request, now_, dispatched);
      note(dispatched);
      loads_.erase(request);
      owned_.erase(request);
      start(load);
    }
  }

 private:
  void start(Load& load) {
    auto made = std::make_unique<Queued>();
    made->flow = load.flow;
    made->estimate.initial_seats = load.seats;
    Queued* const request = made.get();
    owned_.emplace(request, std::move(made));
    loads_.emplace(request, &load);
    QueueSet::Dispatched dispatched;
    ASSERT_NE(set_.start(*request, now_, dispatched), Outcome::kQueueFull);
    note(dispatched);
  }
  void note(const QueueSet::Dispatched& dispatched) {
    for (Queued* request : dispatched) ends_.emplace(now_ + loads_.at(request)->service, request);
  }

  QueueSet& set_;
  Steady& now_;
  std::map<Queued*, std::unique_ptr<Queued>> owned_;
  std::map<Queued*, Load*> loads_;
  std::multimap<Steady, Queued*> ends_;
};

TEST_F(QueueSetTest, GreedGainsNothing) {
  QueueOptions options = kQueues;
  options.queue_length_limit = 1000;
  configure(options, 4);
  std::vector<Load> loads{{0, 100, 1, milliseconds(7)}, {1, 6, 1, milliseconds(7)}};
  Simulation simulation(set_, now_, loads);
  simulation.run(std::chrono::seconds(60));
  EXPECT_NEAR(loads[0].served / loads[1].served, 1, 0.02);
  EXPECT_NEAR(loads[0].served + loads[1].served, 4 * 60, 2);
}

// Expensive requests do not get more than their share either, nor do long ones.
TEST_F(QueueSetTest, SharesWorkNotRequests) {
  QueueOptions options = kQueues;
  options.queue_length_limit = 1000;
  configure(options, 12);
  std::vector<Load> loads{
      {0, 40, 5, milliseconds(30)}, {1, 40, 1, milliseconds(3)}, {2, 40, 1, milliseconds(50)}};
  Simulation simulation(set_, now_, loads);
  simulation.run(std::chrono::seconds(60));
  const double share = (loads[0].served + loads[1].served + loads[2].served) / 3;
  for (const Load& load : loads) EXPECT_NEAR(load.served / share, 1, 0.1) << load.flow;
}

// Who asks for less than its share gets all of it; the rest is divided among the others.
TEST_F(QueueSetTest, LeavesTheRestToTheOthers) {
  QueueOptions options = kQueues;
  options.queue_length_limit = 1000;
  configure(options, 10);
  std::vector<Load> loads{
      {0, 100, 1, milliseconds(5)}, {1, 60, 1, milliseconds(5)}, {2, 1, 1, milliseconds(5)}};
  Simulation simulation(set_, now_, loads);
  simulation.run(std::chrono::seconds(30));
  EXPECT_GT(loads[2].served, 0.8 * 30) << "one under way: one seat";
  EXPECT_NEAR(loads[0].served / loads[1].served, 1, 0.03);
}

TEST_F(QueueSetTest, RandomGreedyFlowsHaveEqualShares) {
  testkit::CaseRandom random;
  for (int round = 0; round < 10; ++round) {
    QueueSet set(now_);
    QueueOptions options = kQueues;
    options.queue_length_limit = 10'000;
    const int limit = 4 + static_cast<int>(random.below(20));
    ASSERT_TRUE(set.configure(options, limit, now_, dispatched_).ok());
    std::vector<Load> loads;
    const uint64_t flows = 2 + random.below(5);
    for (uint64_t flow = 0; flow < flows; ++flow) {
      loads.push_back({flow, 2 * limit + static_cast<int>(random.below(100)),
                       1 + static_cast<int>(random.below(3)),
                       milliseconds(1 + static_cast<int64_t>(random.below(20)))});
    }
    Simulation simulation(set, now_, loads);
    simulation.run(std::chrono::seconds(30));
    double sum = 0;
    for (const Load& load : loads) sum += load.served;
    for (const Load& load : loads) {
      EXPECT_NEAR(load.served / (sum / static_cast<double>(flows)), 1, 0.1)
          << "flow " << load.flow << " of " << flows << ", " << limit << " seats, " << load.seats
          << " wide";
    }
    EXPECT_GT(sum, 0.6 * limit * 30) << "seats are used";
  }
}

// Any order of calls leaves consistent sums.
TEST_F(QueueSetTest, CountsStayRight) {
  testkit::CaseRandom random;
  configure(
      {.kind = QueueOptions::Kind::kQueue, .queues = 16, .hand_size = 4, .queue_length_limit = 3},
      6);
  std::vector<Queued*> alive;
  for (int i = 0; i < 20'000; ++i) {
    now_ += std::chrono::microseconds(random.below(2000));
    const uint64_t what = random.below(10);
    if (what < 5 || alive.empty()) {
      WorkEstimate estimate{.initial_seats = 1 + static_cast<int>(random.below(4))};
      if (random.below(3) == 0) {
        estimate.final_seats = 1 + static_cast<int>(random.below(9));
        estimate.additional_latency = milliseconds(random.below(5));
      }
      Queued& made = make(random.below(UINT64_MAX), estimate);
      const Outcome outcome = start(made);
      if (outcome == Outcome::kExecutes || outcome == Outcome::kWaits) alive.push_back(&made);
    } else if (what < 9) {
      const size_t index = random.below(alive.size());
      Queued& one = *alive[index];
      if (one.state == State::kExecuting) {
        finish(one);
      } else {
        set_.give_up(one, random.below(2) == 0, now_, dispatched_);
      }
      alive.erase(alive.begin() + static_cast<ptrdiff_t>(index));
    } else {
      set_.release(now_, dispatched_);
    }
    int waiting = 0;
    int executing = 0;
    for (const Queued* one : alive) (one->state == State::kWaiting ? waiting : executing) += 1;
    ASSERT_EQ(set_.totals().waiting, waiting);
    ASSERT_EQ(set_.totals().executing, executing);
    int in_use = 0;
    for (const auto& [index, queue] : set_.queues()) in_use += queue.seats_in_use;
    ASSERT_EQ(set_.totals().seats_in_use, in_use);
    ASSERT_TRUE(waiting == 0 || in_use > 0);
  }
  for (Queued* one : alive) {
    if (one->state == State::kWaiting) set_.give_up(*one, false, now_, dispatched_);
    if (one->state == State::kExecuting) finish(*one);
  }
  now_ += std::chrono::seconds(1);
  set_.release(now_, dispatched_);
  EXPECT_TRUE(set_.idle());
  EXPECT_EQ(set_.totals().seats_in_use, 0);
  EXPECT_EQ(set_.totals().seats_waiting, 0);
  EXPECT_TRUE(set_.queues().empty());
}

}  // namespace queue_set_test
}  // namespace proa::apiserver::fairness

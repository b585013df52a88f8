#include "apiserver/front/audit/backends/lane.h"

#include <gtest/gtest.h>

#include <future>

#include "testkit/fake_clock.h"

namespace proa::apiserver::audit {
namespace {

using namespace std::chrono_literals;
using testkit::FakeClock;

// What a backend was given; may fail, and may wait.
struct Written {
  Mutex mutex;
  CondVar changed;
  std::vector<std::vector<std::string>> batches GUARDED_BY(mutex);
  bool fails GUARDED_BY(mutex) = false;
  bool waits GUARDED_BY(mutex) = false;
  int waiting GUARDED_BY(mutex) = 0;

  // The batches, once there are so many.
  std::vector<std::vector<std::string>> after(size_t count) EXCLUDES(mutex) {
    MutexLock lock(mutex);
    while (batches.size() < count) changed.wait(mutex);
    return batches;
  }
  std::vector<std::vector<std::string>> now() EXCLUDES(mutex) { return after(0); }
  void set_waits(bool wait) EXCLUDES(mutex) {
    MutexLock lock(mutex);
    waits = wait;
    changed.notify_all();
  }
  void set_fails(bool fail) EXCLUDES(mutex) {
    MutexLock lock(mutex);
    fails = fail;
  }
  // Until so many calls wait.
  void await_waiting(int count) EXCLUDES(mutex) {
    MutexLock lock(mutex);
    while (waiting < count) changed.wait(mutex);
  }
};

class FakeBackend final : public Backend {
 public:
  explicit FakeBackend(Written& written) : written_(written) {}

  Plugin plugin() const override { return Plugin::kLog; }
  std::string text_of(const Event& event, WithObjects objects) const override {
    return event.request->audit_id + (objects == WithObjects::kYes ? event.request_object : "-");
  }
  Result<void> write(std::span<const std::string> texts) override {
    MutexLock lock(written_.mutex);
    ++written_.waiting;
    written_.changed.notify_all();
    while (written_.waits) written_.changed.wait(written_.mutex);
    --written_.waiting;
    if (written_.fails) return Status(Reason::kInternalError, "the disk is full");
    written_.batches.emplace_back(texts.begin(), texts.end());
    written_.changed.notify_all();
    return {};
  }

 private:
  Written& written_;
};

EventPtr event(const std::string& id, const std::string& object = "",
               Level level = Level::kRequest) {
  auto facts = std::make_shared<RequestFacts>();
  facts->audit_id = id;
  facts->level = level;
  Event made;
  made.request = std::move(facts);
  made.request_object = object;
  return std::make_shared<const Event>(std::move(made));
}

using Texts = std::vector<std::string>;

class LaneTest : public testing::Test {
 protected:
  Lane& start(const LaneOptions& options) {
    return lane_.emplace(std::make_unique<FakeBackend>(written_), options, clock_, metrics_);
  }
  // Pushes an event and returns what becomes of it.
  std::future<bool> push(EventPtr event) {
    auto promise = std::make_shared<std::promise<bool>>();
    lane_->push(std::move(event), [promise](bool stored) { promise->set_value(stored); });
    return promise->get_future();
  }
  uint64_t errors(Plugin plugin) { return metrics_.errors[static_cast<size_t>(plugin)].value(); }

  FakeClock clock_;
  Written written_;
  AuditMetrics metrics_;
  std::optional<Lane> lane_;
};

TEST_F(LaneTest, SendsABatchWhenItIsFull) {
  Lane& lane = start({.batch = {.max_events = 2, .max_wait = 30s}});
  for (const char* id : {"a", "b", "c"}) lane.push(event(id));
  EXPECT_EQ(written_.after(1)[0], (Texts{"a", "b"}));
  clock_.await_waiters(1);  // for more, or for the time
  EXPECT_EQ(written_.now().size(), 1u);
  lane.push(event("d"));
  EXPECT_EQ(written_.after(2)[1], (Texts{"c", "d"}));
}

TEST_F(LaneTest, SendsABatchWhenItsTimeIsOver) {
  Lane& lane = start({.batch = {.max_events = 400, .max_wait = 30s}});
  lane.push(event("a"));
  clock_.await_waiters(1);
  clock_.advance(29s);
  lane.push(event("b"));
  clock_.await_waiters(1);
  EXPECT_TRUE(written_.now().empty());
  clock_.advance(1s);
  EXPECT_EQ(written_.after(1)[0], (Texts{"a", "b"}));
}

TEST_F(LaneTest, ThrottlesBatches) {
  Lane& lane = start({.batch = {.max_events = 2,
                                .max_wait = 30s,
                                .throttles = true,
                                .batches_per_second = 10,
                                .burst = 1}});
  for (const char* id : {"a", "b", "c", "d"}) lane.push(event(id));
  written_.after(1);
  clock_.await_waiters(1);  // for its turn
  EXPECT_EQ(written_.now().size(), 1u);
  clock_.advance(101ms);
  EXPECT_EQ(written_.after(2)[1], (Texts{"c", "d"}));
}

TEST_F(LaneTest, DropsAndCountsWhatDoesNotFit) {
  written_.set_waits(true);
  Lane& lane = start({.batch = {.buffer_events = 2}});
  lane.push(event("a"));
  written_.await_waiting(1);
  for (const char* id : {"b", "c", "d", "e"}) lane.push(event(id));
  EXPECT_EQ(errors(Plugin::kBuffered), 2u);
  written_.set_waits(false);
  EXPECT_EQ(written_.after(2)[1], (Texts{"b", "c"}));
}

TEST_F(LaneTest, HoldsAtMostSoManyBytes) {
  written_.set_waits(true);
  Lane& lane = start({.queue_bytes = 64 << 10});
  lane.push(event("a"));
  written_.await_waiting(1);
  for (const char* id : {"b", "c", "d"}) lane.push(event(id, std::string(30 << 10, 'x')));
  EXPECT_EQ(errors(Plugin::kBuffered), 1u);
  written_.set_waits(false);
}

TEST_F(LaneTest, BlockingRequestsWaitUntilTheirEventIsWritten) {
  written_.set_waits(true);
  start({.mode = Mode::kBlocking});
  std::future<bool> stored = push(event("a"));
  written_.await_waiting(1);
  EXPECT_EQ(stored.wait_for(0s), std::future_status::timeout);
  written_.set_waits(false);
  EXPECT_TRUE(stored.get());
  EXPECT_EQ(written_.now(), (std::vector<Texts>{{"a"}}));
}

TEST_F(LaneTest, FailuresAreReportedAndCounted) {
  written_.set_fails(true);
  start({.mode = Mode::kBlockingStrict});
  EXPECT_FALSE(push(event("a")).get());
  EXPECT_EQ(errors(Plugin::kLog), 1u);
  written_.set_fails(false);
  EXPECT_TRUE(push(event("b")).get());
}

TEST_F(LaneTest, RequestsWaitInLineWhenItIsFull) {
  written_.set_waits(true);
  Lane& lane = start({.mode = Mode::kBlocking, .batch = {.buffer_events = 2}});
  lane.push(event("a"));
  written_.await_waiting(1);
  EXPECT_FALSE(lane.is_full());
  lane.push(event("b"));
  lane.push(event("c"));
  EXPECT_TRUE(lane.is_full());
  std::future<bool> turn = push(nullptr);
  EXPECT_EQ(turn.wait_for(0s), std::future_status::timeout);
  // Of requests that were let in before.
  lane.push(event("d"));
  EXPECT_EQ(errors(Plugin::kBuffered), 0u);
  lane.push(event("e"));
  EXPECT_EQ(errors(Plugin::kBuffered), 1u);
  written_.set_waits(false);
  EXPECT_TRUE(turn.get());
  EXPECT_FALSE(lane.is_full());
}

TEST_F(LaneTest, GathersEventsThatNobodyWaitsFor) {
  Lane& lane = start({.mode = Mode::kBlocking, .gather = 2ms});
  lane.push(event("a"));
  clock_.await_waiters(1);
  lane.push(event("b"));
  EXPECT_TRUE(written_.now().empty());
  clock_.advance(2ms);
  EXPECT_EQ(written_.after(1)[0], (Texts{"a", "b"}));
  // A request that waits does not wait for others.
  lane.push(event("c"));
  clock_.await_waiters(1);
  EXPECT_TRUE(push(event("d")).get());
  EXPECT_EQ(written_.now()[1], (Texts{"c", "d"}));
}

TEST_F(LaneTest, TruncatesLargeEvents) {
  Lane& lane = start({.truncate = {.enabled = true, .max_batch_bytes = 100, .max_event_bytes = 9}});
  lane.push(event("a", "1234567"));   // 9 with its line end
  lane.push(event("b", "12345678"));  // loses its object
  lane.push(event("123456789"));      // too large even then
  lane.push(event("c", "12345678", Level::kMetadata));
  lane_->stop();
  Texts all;
  for (const Texts& batch : written_.now()) all.insert(all.end(), batch.begin(), batch.end());
  EXPECT_EQ(all, (Texts{"a1234567", "b-"}));
  EXPECT_EQ(errors(Plugin::kTruncate), 2u);
}

TEST_F(LaneTest, SplitsLargeBatches) {
  Lane& lane = start({.batch = {.max_events = 3, .max_wait = 30s},
                      .truncate = {.enabled = true, .max_batch_bytes = 8, .max_event_bytes = 8}});
  for (const char* id : {"aaaa", "bbbb", "cccc"}) lane.push(event(id));
  EXPECT_EQ(written_.after(2), (std::vector<Texts>{{"aaaa", "bbbb"}, {"cccc"}}));
}

TEST_F(LaneTest, WritesSeveralBatchesAtOnce) {
  written_.set_waits(true);
  Lane& lane = start({.batch = {.max_events = 2, .max_wait = 30s}, .writers = 2});
  for (const char* id : {"a", "b", "c", "d"}) lane.push(event(id));
  written_.await_waiting(2);
  written_.set_waits(false);
  EXPECT_EQ(written_.after(2).size(), 2u);
}

TEST_F(LaneTest, WritesTheRestWhenItStops) {
  Lane& lane = start({.batch = {.max_events = 400, .max_wait = 30s}});
  lane.push(event("a"));
  lane.stop();
  EXPECT_EQ(written_.now(), (std::vector<Texts>{{"a"}}));
  lane.push(event("b"));
  EXPECT_EQ(errors(Plugin::kBuffered), 1u);
}

}  // namespace
}  // namespace proa::apiserver::audit

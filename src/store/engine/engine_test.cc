#include "store/engine/engine.h"

#include <gtest/gtest.h>

#include "store/memory/memory_store.h"
#include "testkit/fake_clock.h"

namespace proa::store {
namespace engine_test {

// A journal that records its input, and blocks or fails on request.
class NotingJournal final : public Journal {
 public:
  struct Notes {
    Mutex mutex;
    CondVar changed;
    std::vector<size_t> commits GUARDED_BY(mutex);  // of each write: how many commits, and
    std::vector<bool> synced GUARDED_BY(mutex);     // whether it was synced
    size_t garbage GUARDED_BY(mutex) = 0;
    JournalFacts facts GUARDED_BY(mutex);
    int attempts GUARDED_BY(mutex) = 0;
    bool held GUARDED_BY(mutex) = false;
    bool failing GUARDED_BY(mutex) = false;
    int reopened GUARDED_BY(mutex) = 0;
    std::optional<Revision> held_revision GUARDED_BY(mutex);  // after that
    std::optional<Status> trouble GUARDED_BY(mutex);
    std::function<void()> changed_health GUARDED_BY(mutex);
    Revision last GUARDED_BY(mutex);
    bool closed GUARDED_BY(mutex) = false;
    int waiting GUARDED_BY(mutex) = 0;

    void hold(bool on) EXCLUDES(mutex) {
      MutexLock lock(mutex);
      held = on;
      changed.notify_all();
    }
    void fail(bool on) EXCLUDES(mutex) {
      MutexLock lock(mutex);
      failing = on;
    }
    void tell() EXCLUDES(mutex) {
      std::function<void()> listener;
      {
        MutexLock lock(mutex);
        listener = changed_health;
      }
      listener();
    }
    void await_waiting() EXCLUDES(mutex) {
      MutexLock lock(mutex);
      while (waiting == 0) changed.wait(mutex);
    }
  };

  explicit NotingJournal(Notes& notes) : notes_(notes) {}

  Result<void> write(const JournalWrite& write) override {
    MutexLock lock(notes_.mutex);
    ++notes_.waiting;
    notes_.changed.notify_all();
    while (notes_.held) notes_.changed.wait(notes_.mutex);
    --notes_.waiting;
    ++notes_.attempts;
    if (notes_.failing) return Status(Reason::kInternalError, "it broke");
    size_t commits = 0;
    Revision last;
    for (const Event& event : write.changes) {
      if (event.entry->mod_revision() != last) ++commits;
      last = event.entry->mod_revision();
    }
    if (commits > 0) notes_.last = last;
    notes_.commits.push_back(commits);
    notes_.synced.push_back(write.sync);
    notes_.garbage += write.garbage.size();
    if (write.facts != nullptr) notes_.facts = *write.facts;
    return {};
  }
  Result<Revision> reopen() override {
    MutexLock lock(notes_.mutex);
    if (notes_.failing) return Status(Reason::kInternalError, "it is broken");
    ++notes_.reopened;
    notes_.trouble.reset();
    return notes_.held_revision.value_or(notes_.last);
  }
  std::optional<Status> trouble() const override {
    MutexLock lock(notes_.mutex);
    return notes_.trouble;
  }
  void listen(std::function<void()> changed) override {
    MutexLock lock(notes_.mutex);
    notes_.changed_health = std::move(changed);
  }
  Result<void> checkpoint(const std::string&) override { return {}; }
  Result<void> close(Revision) override {
    MutexLock lock(notes_.mutex);
    notes_.closed = true;
    return {};
  }
  uint64_t disk_bytes() const override { return 0; }

 private:
  Notes& notes_;
};

class EngineTest : public testing::Test {
 protected:
  std::unique_ptr<Engine> make(EngineOptions options = {}) {
    return std::make_unique<Engine>(clock_, options, std::make_unique<NotingJournal>(notes_),
                                    Keyspace{}, JournalFacts{});
  }
  static Txn put(const Key& key, std::optional<Duration> ttl = {}) {
    Txn txn;
    txn.operations.push_back(Put{key, Bytes("value"), ttl});
    return txn;
  }

  testkit::FakeClock clock_;
  NotingJournal::Notes notes_;
};

TEST_F(EngineTest, CommitsThatQueuedUpGoOutTogetherAndNothingIsSeenBefore) {
  const auto engine = make();
  notes_.hold(true);
  std::jthread first([&] { EXPECT_TRUE(engine->commit(put("/first"), Durability::kSynced).ok()); });
  notes_.await_waiting();
  std::atomic<int> done = 0;
  for (int i = 0; i < 10; ++i) {
    engine->commit(put("/" + std::to_string(i)), Durability::kSynced,
                   [&](Result<Committed> result) {
                     EXPECT_TRUE(result.ok());
                     // The lead was passed on: a callback may commit.
                     EXPECT_TRUE(engine->commit(put("/again"), Durability::kSynced).ok());
                     ++done;
                     done.notify_all();
                   });
  }
  EXPECT_EQ(engine->revision(), Revision{1});
  EXPECT_EQ(*engine->get("/first"), nullptr);
  notes_.hold(false);
  for (int now = done; now < 10; now = done) done.wait(now);
  first.join();
  EXPECT_EQ(engine->revision(), Revision{22});
  MutexLock lock(notes_.mutex);
  EXPECT_EQ(notes_.commits.at(0), 1u);
  EXPECT_EQ(notes_.commits.at(1), 10u);
}

TEST_F(EngineTest, AfterAFailedWriteNoOtherFollowsUntilTheJournalIsReopened) {
  const auto engine = make({.own_thread = false});
  ASSERT_TRUE(engine->commit(put("/a"), Durability::kSynced).ok());
  notes_.fail(true);
  const auto failed = engine->commit(put("/b"), Durability::kSynced);
  ASSERT_TRUE(failed.is(Reason::kServiceUnavailable));
  EXPECT_NE(failed.status().message().find("it broke"), std::string::npos);
  notes_.fail(false);
  EXPECT_TRUE(engine->commit(put("/c"), Durability::kLazy).is(Reason::kServiceUnavailable));
  EXPECT_TRUE(engine->compact(Revision{2}).is(Reason::kServiceUnavailable));
  // Existing data can still be read.
  EXPECT_NE(*engine->get("/a"), nullptr);
  EXPECT_EQ(*engine->get("/b"), nullptr);
  EXPECT_EQ(engine->revision(), Revision{2});
  EXPECT_EQ(engine->health().state, StoreHealth::State::kFailed);

  clock_.advance(std::chrono::seconds(1));
  engine->tick();
  EXPECT_TRUE(engine->health().ok());
  const auto next = engine->commit(put("/d"), Durability::kSynced);
  ASSERT_TRUE(next.ok());
  EXPECT_EQ(next->revision, Revision{3}) << "the failed one did not happen";
  MutexLock lock(notes_.mutex);
  EXPECT_EQ(notes_.reopened, 1);
}

TEST_F(EngineTest, WritesAgainWhatAReopenedJournalLacks) {
  const auto engine = make({.own_thread = false});
  ASSERT_TRUE(engine->commit(put("/a"), Durability::kSynced).ok());
  ASSERT_TRUE(engine->commit(put("/lazy"), Durability::kLazy).ok());
  ASSERT_TRUE(engine->commit(put("/b"), Durability::kSynced).ok());
  ASSERT_TRUE(engine->commit(put("/lazy"), Durability::kLazy).ok());
  notes_.fail(true);
  ASSERT_FALSE(engine->commit(put("/c"), Durability::kSynced).ok());
  notes_.fail(false);
  {
    MutexLock lock(notes_.mutex);
    notes_.held_revision = Revision{2};
    notes_.commits.clear();
    notes_.synced.clear();
  }
  clock_.advance(std::chrono::seconds(1));
  engine->tick();
  MutexLock lock(notes_.mutex);
  EXPECT_EQ(notes_.commits, std::vector<size_t>{3}) << "revisions 3 to 5";
  EXPECT_EQ(notes_.synced, std::vector<bool>{true});
}

TEST_F(EngineTest, GarbageOfAFailedCompactionIsNotForgotten) {
  const auto engine = make({.own_thread = false});
  for (int i = 0; i < 10; ++i) ASSERT_TRUE(engine->commit(put("/a"), Durability::kSynced).ok());
  notes_.fail(true);
  EXPECT_FALSE(engine->compact(engine->revision()).ok());
  notes_.fail(false);
  clock_.advance(std::chrono::seconds(1));
  engine->tick();
  MutexLock lock(notes_.mutex);
  EXPECT_EQ(notes_.garbage, 9u);
  EXPECT_EQ(notes_.facts.compacted, Revision{11});
}

TEST_F(EngineTest, TroubleInTheBackgroundIsAFailure) {
  const auto engine = make({.own_thread = false});
  {
    MutexLock lock(notes_.mutex);
    notes_.trouble = Status(Reason::kInsufficientStorage, "no space left on device");
  }
  notes_.tell();
  notes_.fail(true);
  engine->tick();
  EXPECT_EQ(engine->health().state, StoreHealth::State::kFailed);
  EXPECT_TRUE(engine->commit(put("/a"), Durability::kSynced).is(Reason::kServiceUnavailable));
  notes_.fail(false);
  clock_.advance(std::chrono::seconds(1));
  engine->tick();
  EXPECT_TRUE(engine->commit(put("/a"), Durability::kSynced).ok());
}

TEST_F(EngineTest, NoOtherWriteFollowsAlsoWhenItWasTheEnginesOwn) {
  const auto engine = make({.own_thread = false});
  const auto ttl = std::chrono::seconds(1);
  ASSERT_TRUE(engine->commit(put("/event", ttl), Durability::kSynced).ok());
  notes_.fail(true);
  {
    MutexLock lock(notes_.mutex);
    notes_.attempts = 0;
  }
  // The first lazy write reserves its revision, with a sync: that fails.
  clock_.advance(ttl);
  engine->tick();
  MutexLock lock(notes_.mutex);
  EXPECT_EQ(notes_.attempts, 1);
}

TEST_F(EngineTest, ItsThreadDeletesWhatExpired) {
  // Time flies here; the history must not be compacted on the way.
  const auto engine = make({.history_age = std::chrono::hours(24 * 365)});
  ASSERT_TRUE(engine->commit(put("/event", std::chrono::hours(1)), Durability::kSynced).ok());
  auto watch = engine->watch({.prefix = "/", .from = {}, .wake = {}});
  ASSERT_TRUE((*watch)->next(1).ok());
  clock_.await_waiters(1);
  std::jthread mover([&](const std::stop_token& stop) {
    // The calendar is looked at every ten minutes at least.
    while (!stop.stop_requested()) clock_.advance(std::chrono::minutes(10));
  });
  EXPECT_TRUE((*watch)->wait({}));
  mover.request_stop();
  mover.join();
  const auto batch = (*watch)->next(10);
  ASSERT_EQ(batch->events.size(), 1u);
  EXPECT_TRUE(batch->events[0].entry->deleted());
}

TEST_F(EngineTest, LazyWritesReserveTheirRevisionsAhead) {
  const auto engine = make({.reserve = 100, .own_thread = false});
  for (int i = 0; i < 500; ++i) {
    const auto result = engine->commit(put("/lease"), Durability::kLazy);
    ASSERT_TRUE(result.ok());
    MutexLock lock(notes_.mutex);
    EXPECT_GE(notes_.facts.ceiling, result->revision);
  }
  // One fsync a reserve, none a write.
  EXPECT_LE(engine->stats().synced_writes, 11u);
}

TEST_F(EngineTest, FleetingWritesWaitForAnotherOrForMinutes) {
  const auto engine = make({.own_thread = false});
  const auto writes = [&] {
    engine->tick();
    MutexLock lock(notes_.mutex);
    return notes_.commits.size();
  };
  // The first one reserves revisions.
  ASSERT_TRUE(engine->commit(put("/lease"), Durability::kFleeting).ok());
  const size_t before = writes();
  for (int i = 0; i < 4; ++i) {
    clock_.advance(std::chrono::minutes(1));
    ASSERT_TRUE(engine->commit(put("/lease"), Durability::kFleeting).ok());
    EXPECT_EQ(writes(), before);
  }
  clock_.advance(std::chrono::minutes(4));
  EXPECT_GT(writes(), before);

  ASSERT_TRUE(engine->commit(put("/lease"), Durability::kFleeting).ok());
  ASSERT_TRUE(engine->commit(put("/event"), Durability::kLazy).ok());
  clock_.advance(std::chrono::seconds(1));
  writes();
  MutexLock lock(notes_.mutex);
  EXPECT_EQ(notes_.commits.back(), 2u) << "a lazy one takes it along";
}

TEST_F(EngineTest, AStoreThatRestsForgetsItsHistoryInOneWrite) {
  const auto engine = make({.history_age = std::chrono::minutes(5), .own_thread = false});
  for (int i = 0; i < 100; ++i) ASSERT_TRUE(engine->commit(put("/a"), Durability::kSynced).ok());
  size_t writes = 0;
  {
    MutexLock lock(notes_.mutex);
    writes = notes_.commits.size();
  }
  for (int i = 0; i < 60; ++i) {
    clock_.advance(std::chrono::seconds(10));
    engine->tick();
  }
  MutexLock lock(notes_.mutex);
  EXPECT_EQ(notes_.garbage, 99u);
  EXPECT_EQ(notes_.commits.size(), writes + 1);
}

TEST_F(EngineTest, ALongHistoryIsForgottenAtOnceWhenItIsTooOld) {
  const auto engine = make({.history_age = std::chrono::minutes(5), .own_thread = false});
  for (int i = 0; i < 20'000; ++i) {
    ASSERT_TRUE(engine->commit(put("/a"), Durability::kLazy).ok());
  }
  const auto pass = [&](Duration time) {
    clock_.advance(time);
    engine->tick();
  };
  pass(std::chrono::seconds(40));
  for (int i = 0; i < 5; ++i) pass(std::chrono::minutes(1));
  EXPECT_EQ(engine->stats().history, 0u);
}

TEST_F(EngineTest, HistoryIsBoundedByCountAndByBytes) {
  for (const bool by_count : {true, false}) {
    EngineOptions options{.own_thread = false};
    (by_count ? options.history_changes : options.history_bytes) = by_count ? 100 : 10'000;
    const auto engine = make(options);
    for (int i = 0; i < 1000; ++i) {
      ASSERT_TRUE(engine->commit(put("/hot"), Durability::kSynced).ok());
      engine->tick();
    }
    EXPECT_LE(engine->stats().history, 200u);
    EXPECT_GE(engine->stats().history, 50u);
    EXPECT_TRUE(engine->get("/hot", Revision{3}).is(Reason::kExpired));
  }
  MutexLock lock(notes_.mutex);
  EXPECT_GT(notes_.garbage, 1600u);
}

TEST_F(EngineTest, HistoryIsBoundedAlsoWhenTheQueueIsNeverEmpty) {
  const auto engine = make({.history_changes = 100});
  std::atomic<int> left = 3000;
  size_t longest = 0;
  std::function<void(Result<Committed>)> again = [&](Result<Committed> result) {
    EXPECT_TRUE(result.ok());
    longest = std::max(longest, engine->stats().history);
    if (--left > 0) {
      engine->commit(put("/hot"), Durability::kSynced, again);
    } else {
      left.notify_all();
    }
  };
  engine->commit(put("/hot"), Durability::kSynced, again);
  for (int now = left; now != 0; now = left) left.wait(now);
  EXPECT_LE(longest, 200u);
}

TEST_F(EngineTest, ClosesItsJournal) {
  make().reset();
  MutexLock lock(notes_.mutex);
  EXPECT_TRUE(notes_.closed);
}

// Many threads of all kinds concurrently, for ThreadSanitizer.
TEST(MemoryStore, ServesManyThreads) {
  SystemClock clock;
  const auto store = make_memory_store(clock, {.history_changes = 200});
  std::atomic<int> pending = 0;
  {
    std::vector<std::jthread> threads;
    for (int i = 0; i < 4; ++i) {
      threads.emplace_back([&, i] {
        for (int n = 0; n < 300; ++n) {
          Txn txn;
          txn.operations.push_back(Put{"/" + std::to_string(n % 7), Bytes(std::to_string(n)), {}});
          const Durability durability = n % 3 == 0 ? Durability::kLazy : Durability::kSynced;
          if (i % 2 == 0) {
            EXPECT_TRUE(store->commit(std::move(txn), durability).ok());
          } else {
            ++pending;
            store->commit(std::move(txn), durability, [&](Result<Committed> result) {
              EXPECT_TRUE(result.ok());
              --pending;
              pending.notify_all();
            });
          }
        }
      });
      threads.emplace_back([&] {
        for (int n = 0; n < 100; ++n) {
          EXPECT_TRUE(store->range({.keys = KeyRange::prefix("/")}).ok());
          auto watch = store->watch({.prefix = "/", .from = {}, .wake = [] {}});
          // The history is short here: events may already be compacted.
          const auto batch = (*watch)->next(10);
          EXPECT_TRUE(batch.ok() || batch.is(Reason::kExpired));
        }
      });
    }
  }
  for (int now = pending; now != 0; now = pending) pending.wait(now);
  EXPECT_EQ(store->revision(), Revision{1201});
}

}  // namespace engine_test
}  // namespace proa::store

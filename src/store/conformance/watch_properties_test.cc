// The nine properties that etcd's robustness tests demand of a watch, checked on a storm of
// commits.
#include <map>
#include <set>
#include <thread>

#include "base/random.h"
#include "store/conformance/implementations.h"

namespace proa::store {
namespace watch_properties_test {

constexpr int kWriters = 4;
constexpr int kCommitsPerWriter = 150;
constexpr int kKeysPerFolder = 6;

Key random_key(Random& random) {
  static constexpr std::array<const char*, 3> kFolders = {"/pods/", "/nodes/", "/pods/kube/"};
  return kFolders[random.below(kFolders.size())] + std::to_string(random.below(kKeysPerFolder));
}

Txn random_txn(Random& random) {
  Txn txn;
  std::set<Key> keys;
  for (uint64_t i = 0; i <= random.below(4); ++i) keys.insert(random_key(random));
  for (const Key& key : keys) {
    if (random.below(3) == 0) {
      txn.operations.push_back(Delete{key});
    } else {
      txn.operations.push_back(Put{key, Bytes(std::to_string(random.next())), std::nullopt});
    }
  }
  return txn;
}

// The acknowledged writes, against which watches are checked.
using Truth = std::map<Revision, std::vector<EntryPtr>>;

// The batches of one watch.
struct Story {
  std::string prefix;
  Revision from;
  std::vector<WatchBatch> batches;

  std::vector<Event> events() const {
    std::vector<Event> all;
    for (const WatchBatch& batch : batches) {
      all.insert(all.end(), batch.events.begin(), batch.events.end());
    }
    return all;
  }
};

class WatchProperties : public testing::TestWithParam<Implementation> {
 protected:
  WatchProperties() : fixture_(GetParam().missing.empty() ? GetParam().make({}) : nullptr) {}
  void SetUp() override {
    if (fixture_ == nullptr) GTEST_SKIP() << GetParam().missing;
  }

  Store& store() { return fixture_->store(); }

  void write(Truth& truth, Mutex& mutex, uint64_t seed) {
    SeededRandom random(seed);
    for (int i = 0; i < kCommitsPerWriter; ++i) {
      const Durability durability = random.below(4) == 0 ? Durability::kLazy : Durability::kSynced;
      const auto result = store().commit(random_txn(random), durability);
      ASSERT_TRUE(result.ok());
      std::vector<EntryPtr> written;
      for (const EntryPtr& entry : result->entries) {
        if (entry != nullptr) written.push_back(entry);
      }
      if (written.empty()) continue;
      MutexLock lock(mutex);
      truth[result->revision] = std::move(written);
    }
  }

  // Reads until the end is announced and reached; breaks off and resumes now and then.
  Story read(std::string prefix, Revision from, uint64_t seed, const std::atomic<int64_t>& end) {
    SeededRandom random(seed);
    Story story{std::move(prefix), from, {}};
    auto watch = store().watch({.prefix = story.prefix, .from = from, .wake = {}});
    EXPECT_TRUE(watch.ok());
    for (;;) {
      const int64_t last = end.load();
      auto batch = (*watch)->next(1 + random.below(20));
      if (!batch.ok()) {
        ADD_FAILURE() << batch.status().message();
        return story;
      }
      const Revision progress = batch->progress;
      story.batches.push_back(std::move(batch).value());
      if (last != 0 && progress.value >= last) return story;
      if (random.below(10) == 0) {
        watch = store().watch({.prefix = story.prefix, .from = progress.next(), .wake = {}});
        EXPECT_TRUE(watch.ok());
      }
      std::this_thread::yield();
    }
  }

  void run_storm() {
    Mutex mutex;
    std::atomic<int64_t> end = 0;
    const Revision first = store().revision().next();
    std::vector<std::jthread> readers;
    for (const char* prefix : {"/", "/pods/", "/pods/kube/", "/nodes/1", "/none/"}) {
      readers.emplace_back([this, prefix, first, &mutex, &end] {
        Story story = read(prefix, first, std::hash<std::string_view>{}(prefix), end);
        MutexLock lock(mutex);
        stories_.push_back(std::move(story));
      });
    }
    {
      std::vector<std::jthread> writers;
      for (int i = 0; i < kWriters; ++i) {
        writers.emplace_back(
            [this, i, &mutex] { write(truth_, mutex, 100 + static_cast<uint64_t>(i)); });
      }
    }
    end = store().revision().value;
    readers.clear();
  }

  const std::unique_ptr<Fixture> fixture_;
  Truth truth_;
  std::vector<Story> stories_;
};

TEST_P(WatchProperties, Filtered) {
  run_storm();
  for (const Story& story : stories_) {
    for (const Event& event : story.events()) {
      EXPECT_TRUE(event.entry->key().starts_with(story.prefix)) << event.entry->key();
    }
  }
}

TEST_P(WatchProperties, Bookmarkable) {
  run_storm();
  for (const Story& story : stories_) {
    Revision promised;
    for (const WatchBatch& batch : story.batches) {
      EXPECT_GE(batch.progress, promised);
      for (const Event& event : batch.events) {
        EXPECT_GT(event.entry->mod_revision(), promised);
        EXPECT_LE(event.entry->mod_revision(), batch.progress);
      }
      promised = batch.progress;
    }
    EXPECT_EQ(promised, store().revision());
  }
}

TEST_P(WatchProperties, Ordered) {
  run_storm();
  for (const Story& story : stories_) {
    std::pair<Revision, uint32_t> last{};
    for (const Event& event : story.events()) {
      const std::pair place{event.entry->mod_revision(), event.entry->index()};
      EXPECT_TRUE(last.first == Revision{} || place > last);
      last = place;
    }
  }
}

TEST_P(WatchProperties, Unique) {
  run_storm();
  for (const Story& story : stories_) {
    std::set<std::pair<Revision, std::string_view>> seen;
    const std::vector<Event> events = story.events();
    for (const Event& event : events) {
      EXPECT_TRUE(seen.emplace(event.entry->mod_revision(), event.entry->key()).second);
    }
  }
}

TEST_P(WatchProperties, Atomic) {
  run_storm();
  for (const Story& story : stories_) {
    std::set<Revision> earlier;
    for (const WatchBatch& batch : story.batches) {
      std::map<Revision, size_t> sizes;
      for (const Event& event : batch.events) ++sizes[event.entry->mod_revision()];
      for (const auto& [revision, size] : sizes) {
        EXPECT_TRUE(earlier.insert(revision).second) << "split over batches";
        const auto& written = truth_.at(revision);
        const auto expected = std::count_if(
            written.begin(), written.end(),
            [&](const EntryPtr& entry) { return entry->key().starts_with(story.prefix); });
        EXPECT_EQ(size, static_cast<size_t>(expected));
      }
    }
  }
}

TEST_P(WatchProperties, Reliable) {
  run_storm();
  ASSERT_EQ(stories_.size(), 5u);
  size_t total = 0;
  for (const Story& story : stories_) {
    std::vector<EntryPtr> expected;
    for (const auto& [revision, written] : truth_) {
      for (const EntryPtr& entry : written) {
        if (entry->key().starts_with(story.prefix)) expected.push_back(entry);
      }
    }
    std::vector<EntryPtr> seen;
    for (const Event& event : story.events()) seen.push_back(event.entry);
    EXPECT_EQ(seen, expected) << story.prefix;
    total += seen.size();
  }
  EXPECT_GT(total, 100u);
}

TEST_P(WatchProperties, Resumable) {
  run_storm();
  std::vector<Event> all;
  for (const Story& story : stories_) {
    if (story.prefix == "/") all = story.events();
  }
  SeededRandom random(7);
  for (const bool reopened : {false, true}) {
    if (reopened && !fixture_->reopen()) continue;
    for (int i = 0; i < 20; ++i) {
      const size_t at = random.below(all.size());
      const Revision from = all[at].entry->mod_revision();
      auto watch = store().watch({.prefix = "/", .from = from, .wake = {}});
      ASSERT_TRUE(watch.ok());
      const auto batch = (*watch)->next(all.size());
      ASSERT_TRUE(batch.ok());
      size_t expected = at;
      while (expected > 0 && all[expected - 1].entry->mod_revision() == from) --expected;
      ASSERT_EQ(batch->events.size(), all.size() - expected);
      for (const Event& event : batch->events) {
        EXPECT_EQ(event.entry->mod_revision(), all[expected].entry->mod_revision());
        EXPECT_EQ(event.entry->key_and_value(), all[expected].entry->key_and_value());
        EXPECT_EQ(event.previous == nullptr, all[expected].previous == nullptr);
        ++expected;
      }
    }
  }
}

TEST_P(WatchProperties, TellsThePreviousValue) {
  run_storm();
  for (const Story& story : stories_) {
    std::map<Key, EntryPtr> state;
    for (const Event& event : story.events()) {
      EntryPtr& current = state[Key(event.entry->key())];
      EXPECT_EQ(event.previous, current == nullptr || current->deleted() ? nullptr : current);
      current = event.entry;
    }
  }
}

TEST_P(WatchProperties, TellsCreation) {
  run_storm();
  for (const Story& story : stories_) {
    std::set<Key> existing;
    for (const Event& event : story.events()) {
      const Key key(event.entry->key());
      if (event.entry->deleted()) {
        EXPECT_EQ(existing.erase(key), 1u);
        EXPECT_FALSE(event.is_create());
      } else {
        EXPECT_EQ(event.is_create(), existing.insert(key).second);
        EXPECT_EQ(event.is_create(), event.entry->version() == 1);
      }
    }
  }
}

TEST_P(WatchProperties, WakesOnlyForItsOwnKeys) {
  std::atomic<int> pods = 0;
  std::atomic<int> nodes = 0;
  auto pod_watch = store().watch({.prefix = "/pods/", .from = {}, .wake = [&] { ++pods; }});
  auto node_watch = store().watch({.prefix = "/no", .from = {}, .wake = [&] { ++nodes; }});
  ASSERT_TRUE((*pod_watch)->next(1).ok());
  ASSERT_TRUE((*node_watch)->next(1).ok());
  const auto put = [&](const char* key) {
    ASSERT_TRUE(store().commit({{}, {Put{key, Bytes("x"), {}}}}, Durability::kLazy).ok());
  };
  put("/pods/a");
  put("/pods/b");
  put("/other");
  // Once, until it has been read again.
  EXPECT_EQ(pods, 1);
  EXPECT_EQ(nodes, 0);
  EXPECT_EQ((*pod_watch)->next(10)->events.size(), 2u);
  put("/nodes/a");
  EXPECT_EQ(pods, 1);
  EXPECT_EQ(nodes, 1);
  put("/pods/c");
  EXPECT_EQ(pods, 2);
  (*pod_watch).reset();
  put("/pods/d");
  EXPECT_EQ(pods, 2);
}

TEST_P(WatchProperties, WaitReturnsWhenThereIsSomething) {
  auto watch = store().watch({.prefix = "/pods/", .from = {}, .wake = {}});
  ASSERT_TRUE((*watch)->next(1).ok());
  std::stop_source stop;
  stop.request_stop();
  EXPECT_FALSE((*watch)->wait({.stop = stop.get_token()}));
  std::jthread writer([&] {
    EXPECT_TRUE(store().commit({{}, {Put{"/pods/a", Bytes("x"), {}}}}, Durability::kSynced).ok());
  });
  EXPECT_TRUE((*watch)->wait({}));
  EXPECT_EQ((*watch)->next(10)->events.size(), 1u);
}

INSTANTIATE_TEST_SUITE_P(Implementations, WatchProperties, testing::ValuesIn(implementations()),
                         implementation_name);

}  // namespace watch_properties_test
}  // namespace proa::store

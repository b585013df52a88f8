#include "store/rocks/rocks_store.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>

#include "store/conformance/implementations.h"
#include "store/rocks/directory.h"
#include "store/rocks/inspect.h"
#include "testkit/patience.h"

namespace proa::store {
namespace rocks_store_test {

namespace fs = std::filesystem;

class RocksStore : public testing::Test {
 protected:
  RocksStore() { options_.engine.own_thread = false; }

  std::string path(const std::string& name = "store") const {
    return directory_.path() + "/" + name;
  }

  Result<std::unique_ptr<Store>> try_open(const std::string& name = "store") {
    return open_rocks_store(path(name), clock_, random_, options_);
  }
  std::unique_ptr<Store> open(const std::string& name = "store") {
    auto opened = try_open(name);
    EXPECT_TRUE(opened.ok()) << opened.status().message();
    return opened.ok() ? std::move(opened).value() : nullptr;
  }
  // The directory as after a kill at this time.
  void crash_copy(const std::string& to) {
    fs::remove_all(path(to));
    fs::copy(path(), path(to), fs::copy_options::recursive);
  }

  static Revision put(Store& store, const Key& key, const std::string& value,
                      Durability durability = Durability::kSynced) {
    const auto result = store.commit({{}, {Put{key, Bytes(value), {}}}}, durability);
    EXPECT_TRUE(result.ok());
    return result.ok() ? result->revision : Revision{};
  }
  static std::string value(const Store& store, const Key& key) {
    const auto entry = store.get(key);
    return *entry == nullptr ? "nothing" : std::string((*entry)->value());
  }

  TemporaryDirectory directory_;
  testkit::FakeClock clock_;
  SeededRandom random_{1};
  RocksOptions options_;
};

TEST_F(RocksStore, HistorySurvivesARestart) {
  auto store = open();
  put(*store, "/a", "1");
  put(*store, "/a", "2");
  const Revision before = store->revision();
  store.reset();
  store = open();
  EXPECT_EQ(store->revision(), before);
  EXPECT_EQ((*store->get("/a", Revision{2}))->value(), "1");
  auto watch = store->watch({.prefix = "/", .from = {2}, .wake = {}});
  const auto batch = (*watch)->next(10);
  ASSERT_EQ(batch->events.size(), 2u);
  EXPECT_EQ(batch->events[1].previous->value(), "1");
  EXPECT_EQ(put(*store, "/a", "3"), before.next());
}

TEST_F(RocksStore, CompactionSurvivesARestart) {
  auto store = open();
  put(*store, "/a", "1");
  put(*store, "/a", "2");
  put(*store, "/b", "1");
  ASSERT_TRUE(store->commit({{}, {Delete{"/b"}}}, Durability::kSynced).ok());
  ASSERT_TRUE(store->compact(store->revision()).ok());
  for (const bool crashed : {true, false}) {
    if (crashed) crash_copy("copy");
    if (!crashed) store.reset();
    const auto reopened = open(crashed ? "copy" : "store");
    EXPECT_EQ(reopened->revision(), Revision{5});
    EXPECT_TRUE(reopened->get("/a", Revision{2}).is(Reason::kExpired));
    EXPECT_EQ(value(*reopened, "/a"), "2");
    EXPECT_EQ(value(*reopened, "/b"), "nothing");
    EXPECT_EQ(reopened->stats().keys, 1u);
  }
}

// The buffer for writes is written to a file, and its memory given back, once a store is quiet; not
// if there is little in it.
TEST_F(RocksStore, AQuietStoreKeepsNoLargeBuffer) {
  auto store = open();
  const auto tables = [this] {
    return std::ranges::count_if(fs::directory_iterator(path() + "/db"), [](const auto& file) {
      return file.path().extension() == ".sst";
    });
  };
  const auto become_quiet = [&] {
    clock_.advance(options_.engine.history_age);
    static_cast<Engine&>(*store).tick();
    clock_.advance(options_.engine.history_age);
    static_cast<Engine&>(*store).tick();
  };
  put(*store, "/a", "little");
  become_quiet();
  EXPECT_EQ(tables(), 0);
  const std::string large(10'000, 'x');
  for (int i = 0; i < 200; ++i) put(*store, "/" + std::to_string(i), large);
  EXPECT_EQ(tables(), 0);
  become_quiet();
  EXPECT_TRUE(testkit::holds_within(std::chrono::seconds(20), [&] { return tables() > 0; }));
  EXPECT_EQ(value(*store, "/a"), "little");
}

TEST_F(RocksStore, LazyWritesRideWithTheNextCommitAndForceNoSync) {
  auto store = open();
  put(*store, "/a", "1");
  put(*store, "/lease", "0", Durability::kLazy);  // reserves revisions
  const uint64_t before = store->stats().synced_writes;
  for (int i = 1; i <= 50; ++i) put(*store, "/lease", std::to_string(i), Durability::kLazy);
  clock_.advance(std::chrono::seconds(2));
  static_cast<Engine&>(*store).tick();
  EXPECT_EQ(store->stats().synced_writes, before);
  // After a second they are with the kernel: killing the process does not lose them.
  crash_copy("killed");
  EXPECT_EQ(value(*open("killed"), "/lease"), "50");
  put(*store, "/lease", "51", Durability::kLazy);
  crash_copy("lost");
  EXPECT_EQ(value(*open("lost"), "/lease"), "50");
  put(*store, "/a", "2");
  crash_copy("carried");
  EXPECT_EQ(value(*open("carried"), "/lease"), "51");
}

TEST_F(RocksStore, RevisionsThatWereSeenDoNotComeAgain) {
  auto store = open();
  put(*store, "/a", "1");
  const Revision durable = put(*store, "/lease", "0", Durability::kLazy);
  const Revision seen = put(*store, "/lease", "1", Durability::kLazy);
  crash_copy("crashed");
  auto crashed = open("crashed");
  EXPECT_GT(crashed->revision(), seen);
  EXPECT_EQ(value(*crashed, "/lease"), "0");
  // A watcher that saw lost revisions must read again; others continue without a gap.
  EXPECT_TRUE(
      crashed->watch({.prefix = "/", .from = seen.next(), .wake = {}}).is(Reason::kExpired));
  EXPECT_TRUE(crashed->get("/lease", seen).is(Reason::kExpired));
  auto watch = crashed->watch({.prefix = "/", .from = durable.next(), .wake = {}});
  ASSERT_TRUE(watch.ok());
  put(*crashed, "/a", "2");
  const auto batch = (*watch)->next(10);
  ASSERT_EQ(batch->events.size(), 1u);
  EXPECT_EQ(batch->events[0].entry->value(), "2");
  // The gap is remembered, also by a store that was closed in order.
  watch->reset();
  crashed.reset();
  crashed = open("crashed");
  EXPECT_TRUE(
      crashed->watch({.prefix = "/", .from = seen.next(), .wake = {}}).is(Reason::kExpired));
  EXPECT_EQ(value(*crashed, "/a"), "2");
}

TEST_F(RocksStore, ClosingLeavesNoGap) {
  auto store = open();
  put(*store, "/lease", "0", Durability::kLazy);
  const Revision last = put(*store, "/lease", "1", Durability::kLazy);
  store.reset();
  store = open();
  EXPECT_EQ(store->revision(), last);
  EXPECT_EQ(value(*store, "/lease"), "1");
}

TEST_F(RocksStore, ExpiredKeysGoAlsoAfterARestart) {
  auto store = open();
  ASSERT_TRUE(
      store->commit({{}, {Put{"/event", Bytes("1"), std::chrono::hours(1)}}}, Durability::kSynced)
          .ok());
  store.reset();
  clock_.advance(std::chrono::hours(2));
  store = open();
  EXPECT_EQ(value(*store, "/event"), "1");
  static_cast<Engine&>(*store).tick();
  EXPECT_EQ(value(*store, "/event"), "nothing");
}

TEST_F(RocksStore, CheckpointIsAStore) {
  auto store = open();
  put(*store, "/a", "1");
  put(*store, "/lazy", "1", Durability::kLazy);
  ASSERT_TRUE(store->checkpoint(path("copy")).ok());
  put(*store, "/a", "2");
  const Revision original = store->revision();
  EXPECT_TRUE(check_store(path("copy"))->empty());
  const auto copy = open("copy");
  EXPECT_EQ(value(*copy, "/a"), "1");
  EXPECT_EQ(value(*copy, "/lazy"), "1");
  // Clients that went on with the original must not take its revisions for the copy's.
  EXPECT_GT(copy->revision(), original);
  EXPECT_TRUE(
      copy->watch({.prefix = "/", .from = original.next(), .wake = {}}).is(Reason::kExpired));
  EXPECT_TRUE(store->checkpoint(path("copy")).is(Reason::kAlreadyExists));
}

TEST_F(RocksStore, OneProcessAtATime) {
  const auto store = open();
  const auto second = try_open();
  ASSERT_TRUE(second.is(Reason::kConflict));
  EXPECT_NE(second.status().message().find("in use"), std::string::npos);
  EXPECT_TRUE(inspect_store(path()).is(Reason::kConflict));
}

TEST_F(RocksStore, ForeignDirectoriesAreRefusedAndLeftAlone) {
  fs::create_directories(path());
  std::ofstream(path() + "/letter.txt") << "dear reader";
  const auto opened = try_open();
  ASSERT_TRUE(opened.is(Reason::kInvalid));
  EXPECT_NE(opened.status().message().find("not a Proa store"), std::string::npos);
  EXPECT_EQ(std::distance(fs::directory_iterator(path()), fs::directory_iterator()), 1);
  EXPECT_TRUE(inspect_store(path()).is(Reason::kInvalid));
  EXPECT_TRUE(inspect_store(path("missing")).is(Reason::kNotFound));
  EXPECT_FALSE(fs::exists(path("missing")));
}

TEST_F(RocksStore, ACreationThatWasCutOffBeginsAnew) {
  fs::create_directories(path() + "/db");
  std::ofstream(path() + "/db/MANIFEST-000001") << "half";
  std::ofstream(path() + "/STORE")
      << print_label({.format = kStoreFormat, .id = "x", .state = DirectoryLabel::State::kNew});
  EXPECT_EQ(put(*open(), "/a", "1"), Revision{2});
}

TEST_F(RocksStore, InspectCountsByPrefix) {
  auto store = open();
  put(*store, "/registry/pods/default/a", "12345");
  put(*store, "/registry/pods/default/b", "12345");
  put(*store, "/registry/pods/default/b", "123456");
  put(*store, "/registry/minions/n1", "1");
  store.reset();
  const auto summary = inspect_store(path());
  ASSERT_TRUE(summary.ok()) << summary.status().message();
  EXPECT_EQ(summary->revision, Revision{5});
  EXPECT_EQ(summary->keys, 3u);
  EXPECT_EQ(summary->history, 4u);
  EXPECT_TRUE(summary->clean_shutdown);
  ASSERT_EQ(summary->prefixes.size(), 2u);
  EXPECT_EQ(summary->prefixes[1].prefix, "/registry/pods/");
  EXPECT_EQ(summary->prefixes[1].keys, 2u);
  EXPECT_EQ(summary->prefixes[1].bytes, 24u + 5 + 24 + 6);
  EXPECT_TRUE(check_store(path())->empty());

  const auto compacted = compact_store(path());
  ASSERT_TRUE(compacted.ok()) << compacted.status().message();
  EXPECT_EQ(compacted->history_dropped, 4u);
  EXPECT_EQ(inspect_store(path())->history, 0u);
  EXPECT_EQ(value(*open(), "/registry/pods/default/b"), "123456");
}

}  // namespace rocks_store_test
}  // namespace proa::store

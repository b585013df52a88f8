// A store on a real etcd that is killed, stopped, cut off, full or compacted meanwhile.
#include <gtest/gtest.h>

#include <csignal>
#include <future>
#include <map>
#include <set>
#include <thread>

#include "store/etcd/etcd_store.h"
#include "testkit/patience.h"
#include "testkit/store/lossy_proxy.h"
#include "testkit/store/test_etcd.h"

namespace proa::store::etcd {
namespace faults_test {

using namespace std::chrono_literals;
using testkit::holds_within;
using testkit::LossyProxy;
using testkit::TestEtcd;

class EtcdFaults : public testing::Test {
 protected:
  void SetUp() override {
    if (!TestEtcd::missing().empty()) GTEST_SKIP() << TestEtcd::missing();
    etcd_.emplace();
  }

  std::unique_ptr<EtcdStore> open(int port, Duration timeout = 2s) {
    EtcdOptions options;
    options.endpoints = {{.host = "127.0.0.1", .port = port}};
    options.request_timeout = timeout;
    options.root = "";
    auto opened = open_etcd_store(clock_, random_, options);
    if (!opened.ok()) ADD_FAILURE() << opened.status().message() << "\n" << etcd_->log();
    return std::move(opened).value();
  }
  std::unique_ptr<EtcdStore> open() { return open(etcd_->port()); }

  static Result<Committed> put(Store& store, const Key& key, std::string value,
                               std::optional<Revision> only_if = std::nullopt) {
    Txn txn;
    if (only_if) txn.compares.push_back({key, *only_if});
    txn.operations.push_back(Put{key, Bytes(std::move(value)), std::nullopt});
    return store.commit(std::move(txn), Durability::kSynced);
  }
  static std::string value_of(const Store& store, std::string_view key) {
    const auto found = store.get(key);
    if (!found.ok() || *found == nullptr) return "nothing";
    return std::string((*found)->value());
  }

  SystemClock clock_;
  SystemRandom random_;
  std::optional<TestEtcd> etcd_;
};

TEST_F(EtcdFaults, TwoStoresSeeEachOthersCommits) {
  const auto one = open();
  const auto two = open();
  EXPECT_EQ(one->id(), two->id());
  auto watch = two->watch({.prefix = "/", .from = {}, .wake = {}});
  ASSERT_TRUE(watch.ok());
  for (int i = 0; i < 100; ++i) {
    Store& writer = i % 2 == 0 ? *one : *two;
    const Store& reader = i % 2 == 0 ? *two : *one;
    ASSERT_TRUE(put(writer, "/a", std::to_string(i)).ok());
    ASSERT_TRUE(reader.wait_until_caught_up({}).ok());
    EXPECT_EQ(value_of(reader, "/a"), std::to_string(i));
  }
  std::vector<Event> events;
  while (events.size() < 100) {
    ASSERT_TRUE((*watch)->wait(Until::after(clock_, 30s)));
    const auto batch = (*watch)->next(1000);
    ASSERT_TRUE(batch.ok());
    events.insert(events.end(), batch->events.begin(), batch->events.end());
  }
  for (int i = 0; i < 100; ++i) EXPECT_EQ(events[i].entry->value(), std::to_string(i));
  // One of two that compare the same revision succeeds.
  const Revision before = events.back().entry->mod_revision();
  auto first = std::async(std::launch::async, [&] { return put(*one, "/a", "one", before); });
  const auto second = put(*two, "/a", "two", before);
  const auto other = first.get();
  ASSERT_TRUE(other.ok() && second.ok());
  EXPECT_NE(other->succeeded, second->succeeded);
}

TEST_F(EtcdFaults, GoesOnAfterEtcdWasKilled) {
  const auto store = open();
  ASSERT_TRUE(put(*store, "/a", "1").ok());
  auto watch = store->watch({.prefix = "/", .from = {}, .wake = {}});
  ASSERT_TRUE((*watch)->next(10).ok());
  etcd_->kill();
  const auto refused = put(*store, "/a", "2");
  EXPECT_TRUE(refused.is(Reason::kTimeout) || refused.is(Reason::kServiceUnavailable));
  EXPECT_TRUE(holds_within(10s, [&] { return !store->health().ok(); }));
  EXPECT_EQ(value_of(*store, "/a"), "1");
  etcd_->start();
  EXPECT_TRUE(holds_within(30s, [&] { return put(*store, "/a", "3").ok(); }));
  EXPECT_TRUE(holds_within(30s, [&] { return store->health().ok(); }));
  const auto batch = (*watch)->next(100);
  ASSERT_TRUE(batch.ok());
  ASSERT_FALSE(batch->events.empty());
  EXPECT_EQ(batch->events.back().entry->value(), "3");
}

TEST_F(EtcdFaults, AnswersWhileEtcdIsStopped) {
  const auto store = open();
  ASSERT_TRUE(put(*store, "/a", "1").ok());
  etcd_->signal(SIGSTOP);
  auto late = std::async(std::launch::async, [&] { return put(*store, "/b", "2"); });
  EXPECT_TRUE(holds_within(10s, [&] { return !store->wait_until_caught_up({}).ok(); }));
  EXPECT_EQ(value_of(*store, "/a"), "1");
  etcd_->signal(SIGCONT);
  const auto written = late.get();
  EXPECT_TRUE(holds_within(30s, [&] { return store->wait_until_caught_up({}).ok(); }));
  if (written.ok()) {
    EXPECT_EQ(value_of(*store, "/b"), "2");
  }
  EXPECT_TRUE(holds_within(30s, [&] { return put(*store, "/a", "3").ok(); }));
}

// Writers count up one key each while connections are cut and answers lost: whatever the store says
// of a commit is true, and is said once.
TEST_F(EtcdFaults, TellsTheOutcomeOfCommitsWhoseAnswersWereLost) {
  LossyProxy proxy(etcd_->port());
  const auto store = open(proxy.port());
  constexpr int kWriters = 8;
  std::atomic<bool> end = false;
  std::atomic<int> written = 0;
  {
    std::vector<std::jthread> writers;
    for (int i = 0; i < kWriters; ++i) {
      writers.emplace_back([&, i] {
        const Key key = "/counters/" + std::to_string(i);
        Revision last;
        for (int n = 1; !end; ++n) {
          const auto result = put(*store, key, std::to_string(n), last);
          // It did not take place, and will not.
          if (result.is(Reason::kServiceUnavailable)) continue;
          ASSERT_TRUE(result.ok()) << result.status().message();
          // Nobody else writes it, so it failing means that an earlier answer was wrong.
          ASSERT_TRUE(result->succeeded) << key << " " << n;
          ++written;
          last = result->entries[0]->mod_revision();
          EXPECT_EQ(last, result->revision);
        }
      });
    }
    for (int round = 0; round < 15; ++round) {
      proxy.lose_answers(true);
      const int before = static_cast<int>(proxy.requested());
      holds_within(1s, [&] { return static_cast<int>(proxy.requested()) > before; });
      proxy.cut();
      proxy.lose_answers(false);
      const int done = written;
      EXPECT_TRUE(holds_within(30s, [&] { return written > done + 20; }));
    }
    end = true;
  }
  EXPECT_GT(written, 300);
}

TEST_F(EtcdFaults, ListsAgainWhatWasCompactedMeanwhile) {
  LossyProxy proxy(etcd_->port());
  const auto store = open(proxy.port());
  const auto other = open();
  for (const char* key : {"/kept", "/changed", "/deleted", "/replaced"})
    ASSERT_TRUE(put(*other, key, "1").ok());
  ASSERT_TRUE(store->wait_until_caught_up({}).ok());
  auto watch = store->watch({.prefix = "/", .from = {}, .wake = {}});
  ASSERT_TRUE((*watch)->next(10).ok());
  proxy.refuse(true);
  proxy.cut();
  ASSERT_TRUE(holds_within(10s, [&] { return !store->health().ok(); }));
  ASSERT_TRUE(put(*other, "/changed", "2").ok());
  ASSERT_TRUE(put(*other, "/changed", "3").ok());
  for (const char* key : {"/deleted", "/replaced"})
    ASSERT_TRUE(other->commit({{}, {Delete{key}}}, Durability::kSynced).ok());
  ASSERT_TRUE(put(*other, "/replaced", "2").ok());
  ASSERT_TRUE(put(*other, "/new", "1").ok());
  const Revision last = other->revision();
  ASSERT_TRUE(other->compact(last).ok());
  proxy.refuse(false);
  EXPECT_TRUE(holds_within(30s, [&] { return store->revision() >= last; }));
  EXPECT_EQ(value_of(*store, "/changed"), "3");
  EXPECT_EQ(value_of(*store, "/deleted"), "nothing");
  const auto batch = (*watch)->next(100);
  ASSERT_TRUE(batch.ok()) << batch.status().message();
  std::multiset<std::string> seen;
  for (const Event& event : batch->events) {
    const std::string before =
        event.previous == nullptr ? "" : std::string(event.previous->value());
    const std::string now = event.entry->deleted() ? "gone" : std::string(event.entry->value());
    seen.insert(std::string(event.entry->key()) + ":" + before + ">" + now);
  }
  const std::multiset<std::string> expected = {"/changed:1>3", "/deleted:1>gone",
                                               "/replaced:1>gone", "/replaced:>2", "/new:>1"};
  EXPECT_EQ(seen, expected);
  EXPECT_EQ(batch->progress, store->revision());
  // The revisions in between cannot be read.
  EXPECT_TRUE(store->get("/changed", last.previous()).is(Reason::kExpired));
  ASSERT_TRUE(put(*store, "/changed", "4").ok());
  EXPECT_EQ((*watch)->next(100)->events.size(), 1u);
}

TEST_F(EtcdFaults, AcceptsDeletesOnlyWhileThereIsNoSpace) {
  etcd_.reset();
  etcd_.emplace(std::vector<std::string>{"--quota-backend-bytes=2097152"});
  const auto store = open();
  ASSERT_TRUE(put(*store, "/small", "1").ok());
  Result<Committed> refused = Status(Reason::kUnknown, "");
  for (int i = 0; i < 100; ++i) {
    refused = put(*store, "/large/" + std::to_string(i), std::string(100'000, 'x'));
    if (!refused.ok()) break;
  }
  ASSERT_TRUE(refused.is(Reason::kInsufficientStorage)) << refused.status().message();
  EXPECT_EQ(store->health().state, StoreHealth::State::kFull);
  const auto deleted = store->commit({{}, {Delete{"/small"}}}, Durability::kSynced);
  ASSERT_TRUE(deleted.ok()) << deleted.status().message();
  EXPECT_EQ(value_of(*store, "/small"), "nothing");
  EXPECT_TRUE(put(*store, "/small", "2").is(Reason::kInsufficientStorage));
}

TEST_F(EtcdFaults, TellsWhatIsWrongWithTheEndpoint) {
  EtcdOptions options;
  options.endpoints = {{.host = "127.0.0.1", .port = testkit::free_port()}};
  options.start_timeout = 1s;
  const auto opened = open_etcd_store(clock_, random_, options);
  ASSERT_FALSE(opened.ok());
  EXPECT_TRUE(opened.is(Reason::kServiceUnavailable));
  EXPECT_NE(opened.status().message().find("etcd cannot be reached"), std::string::npos)
      << opened.status().message();
}

TEST_F(EtcdFaults, UsesAnotherEndpointIfOneFails) {
  EtcdOptions options;
  options.endpoints = {{.host = "127.0.0.1", .port = testkit::free_port()},
                       {.host = "127.0.0.1", .port = etcd_->port()}};
  options.root = "";
  const auto opened = open_etcd_store(clock_, random_, options);
  ASSERT_TRUE(opened.ok()) << opened.status().message();
  EXPECT_TRUE(put(**opened, "/a", "1").ok());
}

// The member that is used is stopped, and later killed: the others have all that was acknowledged.
TEST_F(EtcdFaults, GoesOnWithTheOtherMembers) {
  etcd_.reset();
  const auto members = TestEtcd::cluster(3);
  EtcdOptions options;
  for (const auto& member : members) options.endpoints.push_back(member->origin());
  options.request_timeout = 2s;
  options.root = "";
  const auto opened = open_etcd_store(clock_, random_, options);
  ASSERT_TRUE(opened.ok()) << opened.status().message();
  Store& store = **opened;
  auto watch = store.watch({.prefix = "/", .from = {}, .wake = {}});
  ASSERT_TRUE(watch.ok());
  std::vector<std::string> acknowledged;
  const auto put_some = [&] {
    for (int i = 0; i < 10; ++i) {
      const std::string value = std::to_string(acknowledged.size());
      ASSERT_TRUE(holds_within(60s, [&] { return put(store, "/a", value).ok(); }));
      acknowledged.push_back(value);
    }
  };
  put_some();
  members[0]->signal(SIGSTOP);
  put_some();
  members[0]->kill();
  put_some();
  members[0]->start();
  members[1]->kill();
  put_some();
  ASSERT_TRUE(store.wait_until_caught_up({}).ok());
  const auto batch = (*watch)->next(1000);
  ASSERT_TRUE(batch.ok()) << batch.status().message();
  std::vector<std::string> seen;
  for (const Event& event : batch->events) {
    // A put whose outcome was not known was repeated.
    if (seen.empty() || seen.back() != event.entry->value())
      seen.emplace_back(event.entry->value());
  }
  EXPECT_EQ(seen, acknowledged);
}

}  // namespace faults_test
}  // namespace proa::store::etcd

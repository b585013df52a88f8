#include "store/mvcc/keyspace.h"

#include <gtest/gtest.h>

#include "base/random.h"
#include "store/mvcc/evaluate.h"

namespace proa::store {
namespace keyspace_test {

const Evaluator::Limits kLimits;

void commit(Keyspace& keyspace, std::vector<Operation> operations, Time now = Time()) {
  std::vector<Event> changes;
  Evaluator evaluator(keyspace, now, kLimits);
  ASSERT_TRUE(evaluator.evaluate({{}, std::move(operations)}, changes).ok());
  if (!changes.empty()) keyspace.apply(changes);
}

Put put(Key key, std::string value) { return {std::move(key), Bytes(std::move(value)), {}}; }

std::string state_at(const Keyspace& keyspace, Revision at) {
  std::string text;
  keyspace.scan(KeyRange{}, at, 1'000'000, [&](const EntryPtr& entry) {
    text += std::string(entry->key()) + "=" + std::string(entry->value()) + " ";
    return true;
  });
  return text;
}

TEST(Keyspace, KeepsEveryRevisionUntilItIsCompacted) {
  SeededRandom random(3);
  Keyspace keyspace;
  std::map<Revision, std::string> states;
  for (int i = 0; i < 500; ++i) {
    const Key key = "/" + std::to_string(random.below(12));
    if (random.below(3) == 0) {
      commit(keyspace, {Delete{key}});
    } else {
      commit(keyspace, {put(key, std::to_string(i))});
    }
    states[keyspace.revision()] = state_at(keyspace, keyspace.revision());
    if (random.below(40) != 0) continue;
    const Revision through{keyspace.revision().value - static_cast<int64_t>(random.below(20))};
    std::vector<EntryPtr> garbage;
    keyspace.compact(std::max(through, keyspace.compacted()), 1000, garbage);
    for (const auto& [revision, state] : states) {
      EXPECT_EQ(keyspace.readable(revision).ok(), revision >= keyspace.compacted());
      if (revision < keyspace.compacted()) continue;
      EXPECT_EQ(state_at(keyspace, revision), state);
    }
  }
}

TEST(Keyspace, GarbageIsWhatNothingRefersTo) {
  Keyspace keyspace;
  commit(keyspace, {put("/a", "1")});
  commit(keyspace, {put("/a", "2"), put("/b", "1")});
  commit(keyspace, {Delete{"/b"}});
  commit(keyspace, {put("/b", "2")});
  std::vector<EntryPtr> garbage;
  EXPECT_EQ(keyspace.compact(Revision{5}, 1000, garbage), Revision{5});
  std::string names;
  for (const EntryPtr& entry : garbage) {
    names += std::to_string(entry->mod_revision().value) + std::string(entry->key()) + " ";
  }
  EXPECT_EQ(names, "2/a 3/b 4/b ");
  EXPECT_TRUE(keyspace.history().empty());
  EXPECT_EQ(keyspace.history_bytes(), 0u);
  EXPECT_EQ(keyspace.keys(), 2u);
}

TEST(Keyspace, CompactsInPiecesOfWholeCommits) {
  Keyspace keyspace;
  commit(keyspace, {put("/a", "1"), put("/b", "1"), put("/c", "1")});
  commit(keyspace, {put("/a", "2"), put("/b", "2"), put("/c", "2")});
  std::vector<EntryPtr> garbage;
  EXPECT_EQ(keyspace.compact(Revision{3}, 1, garbage), Revision{2});
  EXPECT_EQ(keyspace.history().size(), 3u);
  EXPECT_EQ(keyspace.compact(Revision{3}, 1, garbage), Revision{3});
  EXPECT_EQ(garbage.size(), 3u);
}

TEST(Keyspace, RefusesRevisionsThatWereLost) {
  Keyspace keyspace;
  commit(keyspace, {put("/a", "1")});
  keyspace.skip({Revision{2}, Revision{10}});
  EXPECT_EQ(keyspace.revision(), Revision{11});
  // A watcher up to the last durable revision may continue; one that saw more may have seen lost
  // writes.
  EXPECT_TRUE(keyspace.watchable(Revision{3}).ok());
  EXPECT_TRUE(keyspace.watchable(Revision{4}).is(Reason::kExpired));
  EXPECT_TRUE(keyspace.watchable(Revision{11}).is(Reason::kExpired));
  EXPECT_TRUE(keyspace.watchable(Revision{12}).ok());
  EXPECT_TRUE(keyspace.readable(Revision{2}).ok());
  EXPECT_TRUE(keyspace.readable(Revision{3}).is(Reason::kExpired));
  EXPECT_TRUE(keyspace.readable(Revision{10}).is(Reason::kExpired));
  EXPECT_TRUE(keyspace.readable(Revision{11}).ok());
}

TEST(Keyspace, ExpiryBelongsToTheLatestVersion) {
  Keyspace keyspace;
  commit(keyspace, {Put{"/a", Bytes("1"), std::chrono::seconds(5)}});
  commit(keyspace, {Put{"/b", Bytes("1"), std::chrono::seconds(9)}});
  EXPECT_EQ(keyspace.next_to_expire()->key(), "/a");
  EXPECT_EQ(keyspace.expired(Time(std::chrono::seconds(10)), 10).size(), 2u);
  EXPECT_EQ(keyspace.expired(Time(std::chrono::seconds(10)), 1).size(), 1u);
  commit(keyspace, {put("/a", "2")});
  EXPECT_EQ(keyspace.next_to_expire()->key(), "/b");
  commit(keyspace, {Delete{"/b"}});
  EXPECT_EQ(keyspace.next_to_expire(), nullptr);
}

TEST(Keyspace, WhatExpiresIsLeftWithoutDerivedDataWhenItsHistoryIsForgotten) {
  Keyspace keyspace;
  commit(keyspace, {Put{"/event", Bytes("1"), std::chrono::seconds(5)}, put("/pod", "1")});
  const EntryPtr event = keyspace.find("/event");
  const EntryPtr pod = keyspace.find("/pod");
  event->attach(std::make_unique<const Companion>());
  std::vector<EntryPtr> garbage;
  keyspace.compact(keyspace.revision(), 1000, garbage);
  EXPECT_TRUE(garbage.empty());
  EXPECT_EQ(keyspace.find("/pod"), pod);
  const EntryPtr settled = keyspace.find("/event");
  EXPECT_NE(settled, event);
  EXPECT_EQ(settled->companion(), nullptr);
  EXPECT_EQ(settled->key_and_value(), "/event1");
  EXPECT_EQ(settled->mod_revision(), event->mod_revision());
  EXPECT_EQ(settled->expiry(), event->expiry());
  EXPECT_EQ(keyspace.next_to_expire(), settled);
  EXPECT_EQ(state_at(keyspace, keyspace.revision()), "/event=1 /pod=1 ");

  // It goes like any other.
  commit(keyspace, {Delete{"/event"}});
  EXPECT_EQ(keyspace.next_to_expire(), nullptr);
  keyspace.compact(keyspace.revision(), 1000, garbage);
  EXPECT_EQ(garbage.size(), 2u);
  EXPECT_EQ(garbage.front(), settled);
  EXPECT_EQ(keyspace.history_bytes(), 0u);
}

TEST(Evaluator, LaterTransactionsSeeEarlierOnes) {
  Keyspace keyspace;
  Evaluator evaluator(keyspace, Time(), kLimits);
  std::vector<Event> changes;
  const Txn create{{{"/a", {}}}, {put("/a", "1")}};
  EXPECT_TRUE(evaluator.evaluate(create, changes)->succeeded);
  const auto second = evaluator.evaluate(create, changes);
  EXPECT_FALSE(second->succeeded);
  EXPECT_EQ(second->entries.at(0)->value(), "1");
  EXPECT_TRUE(evaluator.evaluate({{{"/a", {2}}}, {Delete{"/a"}}}, changes)->succeeded);
  EXPECT_TRUE(evaluator.evaluate(create, changes)->succeeded);
  EXPECT_EQ(evaluator.revision(), Revision{4});
  // The state itself has not moved.
  EXPECT_EQ(keyspace.revision(), Revision{1});
  EXPECT_EQ(changes.back().entry->create_revision(), Revision{4});
}

TEST(KeyRange, PrefixEndsBehindItsLastKey) {
  EXPECT_EQ(KeyRange::prefix("/a/").to, "/a0");
  EXPECT_EQ(KeyRange::prefix("a\xff").to, "b");
  EXPECT_EQ(KeyRange::prefix("\xff\xff").to, "");
  EXPECT_EQ(KeyRange::prefix("").to, "");
}

}  // namespace keyspace_test
}  // namespace proa::store

// Consistency guarantees: no update is lost, nothing is missed between a list and the watch from
// its version, reads never go back in time, and acknowledged writes survive kill -9.
#include <gtest/gtest.h>

#include <atomic>
#include <latch>

#include "admin.h"
#include "base/random.h"
#include "server.h"

namespace proa::e2e {
namespace {

// A state that applies events, and reports inconsistent ones.
struct Follower {
  uint64_t version = 0;
  Items items;

  void apply(const Event& event) {
    ASSERT_NE(event.type, "ERROR") << event.message;
    EXPECT_GT(event.item.version, version) << event.type << " " << event.name;
    version = event.item.version;
    if (event.type == "BOOKMARK") return;
    EXPECT_EQ(items.contains(event.name), event.type != "ADDED") << event.type << " " << event.name;
    if (event.type == "DELETED") {
      items.erase(event.name);
    } else {
      items[event.name] = event.item;
    }
  }
  std::string resume() const { return "&resourceVersion=" + std::to_string(version); }
};

class ConsistencyTest : public testing::Test {
 protected:
  const TemporaryFolder folder_;
  const std::string data_dir_ = folder_.path() + "/data";
};

TEST_F(ConsistencyTest, EightWritersOnOneObjectLoseNoUpdate) {
  Server server(data_dir_);
  ASSERT_TRUE(server.ready()) << server.said();
  constexpr int kWriters = 8;
  constexpr int kRounds = 25;
  Admin admin(data_dir_);
  ASSERT_EQ(admin.ask("POST", kMaps, config_map("counter", 0)).code, 201);
  const std::string target = std::string(kMaps) + "/counter";
  {
    std::vector<std::jthread> writers;
    for (int i = 0; i < kWriters; ++i) {
      writers.emplace_back([&, i] {
        Admin writer(data_dir_, i % 2 == 0);
        for (int done = 0; done < kRounds;) {
          const Item item = item_of(writer.ask("GET", target).root());
          const int code =
              writer.ask("PUT", target, config_map("counter", item.number + 1, item.version)).code;
          ASSERT_TRUE(code == 200 || code == 409) << code;
          if (code == 200) ++done;
        }
      });
    }
  }
  EXPECT_EQ(item_of(admin.ask("GET", target).root()).number, kWriters * kRounds);
}

// Creates, changes and deletes its own objects, `count` times.
void storm(Admin& admin, int writer, int count, std::atomic<int>& written) {
  SeededRandom random(static_cast<uint64_t>(writer) + 1);
  std::map<std::string, bool> there;
  for (int i = 1; i <= count; ++i, ++written) {
    const std::string name = "w" + std::to_string(writer) + "-" + std::to_string(random.below(8));
    const std::string target = std::string(kMaps) + "/" + name;
    bool& exists = there[name];
    if (!exists) {
      ASSERT_EQ(admin.ask("POST", kMaps, config_map(name, i)).code, 201);
      exists = true;
    } else if (random.below(4) == 0) {
      ASSERT_EQ(admin.ask("DELETE", target).code, 200);
      exists = false;
    } else {
      ASSERT_EQ(admin.ask("PUT", target, config_map(name, i)).code, 200);
    }
  }
}

struct Reader {
  const char* name;
  std::string list;     // query of the list; "none": the watch begins with initial events
  std::string watch;    // further query of the watch
  int break_after = 0;  // events per watch, then it is resumed
};

// Follows until the object "end" appears, and returns the state by then.
Items follow(Admin& admin, const Reader& reader) {
  SCOPED_TRACE(reader.name);
  Follower follower;
  std::string query = reader.watch;
  if (reader.list == "none") {
    query += "&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true";
  } else {
    Admin::List list = admin.list(reader.list);
    follower = {list.version, std::move(list.items)};
    query += follower.resume();
  }
  std::optional<Watch> watch(std::in_place, admin, query);
  bool initial = reader.list == "none";
  for (int seen = 1; !follower.items.contains("end"); ++seen) {
    const std::optional<Event> event = watch->next();
    if (!event.has_value()) {
      ADD_FAILURE() << "the watch ended at version " << follower.version;
      break;
    }
    // The first events of a watch without a list are the existing objects, sorted by name.
    if (initial) follower.version = 0;
    if (event->type == "BOOKMARK") initial = false;
    follower.apply(*event);
    if (event->type == "ERROR") break;
    if (reader.break_after > 0 && seen % reader.break_after == 0) {
      watch.emplace(admin, reader.watch + follower.resume());
    }
  }
  return follower.items;
}

TEST_F(ConsistencyTest, AListAndTheWatchFromItsVersionMissNothing) {
  Server server(data_dir_);
  ASSERT_TRUE(server.ready()) << server.said();
  const std::vector<Reader> readers = {
      {.name = "list and watch"},
      {.name = "watch broken off", .break_after = 20},
      {.name = "list in pages", .list = "?limit=3"},
      {.name = "list from the cache", .list = "?resourceVersion=0"},
      {.name = "watch list", .list = "none"},
      {.name = "selection",
       .list = "?labelSelector=odd%3Dyes",
       .watch = "&labelSelector=odd%3Dyes"},
  };
  constexpr int kWriters = 3;
  constexpr int kWrites = 400;
  std::atomic<int> written = 0;
  std::latch begun(kWriters);
  std::vector<Items> seen(readers.size());
  std::vector<std::jthread> threads;
  for (size_t i = 0; i < readers.size(); ++i) {
    threads.emplace_back([&, i] {
      Admin admin(data_dir_, i % 2 == 0);
      begun.wait();
      seen[i] = follow(admin, readers[i]);
    });
  }
  {
    std::vector<std::jthread> writers;
    for (int i = 0; i < kWriters; ++i) {
      writers.emplace_back([&, i] {
        Admin admin(data_dir_);
        storm(admin, i, 50, written);
        begun.count_down();
        storm(admin, i + kWriters, kWrites, written);
      });
    }
  }
  EXPECT_EQ(written, kWriters * (50 + kWrites));
  Admin admin(data_dir_);
  ASSERT_EQ(admin.ask("POST", kMaps, config_map("end", 1)).code, 201);
  threads.clear();
  for (size_t i = 0; i < readers.size(); ++i) {
    SCOPED_TRACE(readers[i].name);
    const bool selects = !readers[i].watch.empty();
    seen[i].erase("kube-root-ca.crt");  // present in every namespace
    EXPECT_EQ(seen[i], admin.list(selects ? readers[i].list : "").items);
  }
}

// Reads in all possible ways, and reports if a read is older than a previous one.
void never_goes_back(Admin& admin, int reader, const std::atomic<bool>& over) {
  SeededRandom random(static_cast<uint64_t>(reader) + 1);
  Item last;
  const std::string object = std::string(kMaps) + "/clock";
  const std::string named = "fieldSelector=metadata.name%3Dclock";
  while (!over) {
    const std::string version = std::to_string(last.version);
    const std::string targets[] = {
        object,
        object + "?resourceVersion=0",
        object + "?resourceVersion=" + version,
        std::string(kMaps) + "?" + named,
        std::string(kMaps) + "?" + named + "&resourceVersion=0",
        std::string(kMaps) +
            "?limit=100&resourceVersionMatch=NotOlderThan&resourceVersion=" + version};
    const std::string& target = targets[random.below(std::size(targets))];
    const Admin::Answer answer = admin.ask("GET", target);
    ASSERT_EQ(answer.code, 200) << target;
    Item item = item_of(answer.root());
    const json::Value& items = at(answer.root(), {"items"});
    if (items.is(json::Kind::kArray)) {
      EXPECT_GE(item.version, last.version) << target << ": the list's version";
      ASSERT_GE(items.size(), 1U) << target;
      item = item_of(items.items()[0]);  // precedes kube-root-ca.crt, which every namespace has
    }
    EXPECT_GE(item.version, last.version) << target;
    EXPECT_GE(item.number, last.number) << target;
    last = item;
  }
}

TEST_F(ConsistencyTest, NobodySeesAnOlderStateThanBefore) {
  Server server(data_dir_);
  ASSERT_TRUE(server.ready()) << server.said();
  Admin writer(data_dir_);
  const std::string target = std::string(kMaps) + "/clock";
  Item last = item_of(writer.ask("POST", kMaps, config_map("clock", 0)).root());
  std::atomic<bool> over = false;
  std::vector<std::jthread> readers;
  for (int i = 0; i < 4; ++i) {
    readers.emplace_back([&, i] {
      Admin admin(data_dir_, i % 2 == 0);
      never_goes_back(admin, i, over);
    });
  }
  Admin other(data_dir_, false);
  for (int i = 1; i <= 500; ++i) {
    const Item item = item_of(writer.ask("PUT", target, config_map("clock", i)).root());
    EXPECT_GT(item.version, last.version);
    last = item;
    // A response on one connection is visible on all others.
    const Item seen = item_of(other.ask("GET", target + "?resourceVersion=0").root());
    EXPECT_EQ(seen, last);
  }
  over = true;
}

// A writer's knowledge of one of its objects.
struct Known {
  std::optional<int64_t> acknowledged;            // nullopt: it does not exist
  std::optional<std::optional<int64_t>> attempt;  // requested without a response
};
using Knowledge = std::map<std::string, Known>;

// Writes until the server disappears. Each number is written only once.
void write_until_killed(Admin& admin, Knowledge& knowledge, uint64_t seed, int64_t number,
                        std::atomic<int>& acknowledged) {
  SeededRandom random(seed);
  while (true) {
    auto entry = knowledge.begin();
    std::advance(entry, static_cast<int64_t>(random.below(knowledge.size())));
    auto& [name, known] = *entry;
    const std::string target = std::string(kMaps) + "/" + name;
    const bool removes = known.acknowledged.has_value() && random.below(5) == 0;
    known.attempt = removes ? std::nullopt : std::optional(++number);
    int code = 0;
    if (removes) {
      code = admin.ask("DELETE", target).code;
    } else if (known.acknowledged.has_value()) {
      code = admin.ask("PUT", target, config_map(name, number)).code;
    } else {
      code = admin.ask("POST", kMaps, config_map(name, number)).code;
    }
    if (code == 0) return;
    EXPECT_TRUE(code == 200 || code == 201) << code << " for " << name;
    known.acknowledged = *known.attempt;
    known.attempt.reset();
    ++acknowledged;
    acknowledged.notify_all();
  }
}

void expect_known(const Items& items, Knowledge& knowledge) {
  for (auto& [name, known] : knowledge) {
    const auto found = items.find(name);
    const std::optional<int64_t> there =
        found == items.end() ? std::nullopt : std::optional(found->second.number);
    EXPECT_TRUE(there == known.acknowledged ||
                (known.attempt.has_value() && there == *known.attempt))
        << name << ": " << there.value_or(-1) << " is there, " << known.acknowledged.value_or(-1)
        << " was acknowledged";
    known = {.acknowledged = there};
  }
}

TEST_F(ConsistencyTest, WhatWasAcknowledgedSurvivesBeingKilled) {
  constexpr int kRounds = 50;
  constexpr int kWriters = 4;
  std::vector<Knowledge> knowledge(kWriters);
  for (int i = 0; i < kWriters; ++i) {
    for (const char* name : {"a", "b", "c"}) knowledge[i][name + std::to_string(i)] = {};
  }
  Follower follower;
  for (int round = 0; round < kRounds && !HasFailure(); ++round) {
    SCOPED_TRACE("round " + std::to_string(round));
    Server server(data_dir_);
    ASSERT_TRUE(server.ready()) << server.said();
    Admin admin(data_dir_, round % 2 == 0);
    const Admin::List list = admin.list();
    for (Knowledge& known : knowledge) expect_known(list.items, known);
    EXPECT_GE(list.version, follower.version);
    // A watch from before the kill resumes.
    if (round == 0) follower = {list.version, list.items};
    Watch watch(admin, follower.resume());
    const bool again = list.items.contains("round");
    const std::string target = std::string(kMaps) + (again ? "/round" : "");
    const int code = admin.ask(again ? "PUT" : "POST", target, config_map("round", round + 1)).code;
    ASSERT_EQ(code, again ? 200 : 201);
    while (!follower.items.contains("round") || follower.items["round"].number != round + 1) {
      const std::optional<Event> event = watch.next();
      ASSERT_TRUE(event.has_value());
      ASSERT_NO_FATAL_FAILURE(follower.apply(*event));
    }
    Admin::List now = admin.list();
    EXPECT_EQ(follower.items, now.items);
    follower = {now.version, std::move(now.items)};

    std::atomic<int> acknowledged = 0;
    std::vector<std::jthread> writers;
    for (int i = 0; i < kWriters; ++i) {
      writers.emplace_back([&, i] {
        Admin writer(data_dir_, i % 2 == 0);
        const auto seed = static_cast<uint64_t>(round * kWriters + i);
        write_until_killed(writer, knowledge[i], seed, int64_t{round} * 1'000'000, acknowledged);
      });
    }
    for (int seen = 0; seen < 20 + round;) {
      acknowledged.wait(seen);
      seen = acknowledged;
    }
    server.stop(SIGKILL);
  }
}

}  // namespace
}  // namespace proa::e2e

// Compare-and-commit clients across power losses: the results of all of them are linearizable.
#include <gtest/gtest.h>
#include <rocksdb/env.h>

#include <filesystem>
#include <thread>

#include "base/random.h"
#include "base/strings.h"
#include "store/rocks/rocks_store.h"
#include "testkit/linearizability.h"
#include "testkit/store/power_loss.h"

namespace proa::store {
namespace linearizability_test {

using testkit::find_violation;
using testkit::RegisterOperation;

RegisterOperation read(int64_t called, int64_t returned, int64_t found) {
  return {.key = "k", .found = found, .called = called, .returned = returned};
}
RegisterOperation set(int64_t called, int64_t returned, int64_t expected, int64_t value) {
  return {.kind = RegisterOperation::Kind::kCompareAndSet,
          .key = "k",
          .expected = expected,
          .value = value,
          .called = called,
          .returned = returned};
}
RegisterOperation failed_set(int64_t called, int64_t returned, int64_t expected, int64_t found) {
  RegisterOperation operation = set(called, returned, expected, 99);
  operation.found = found;
  return operation;
}
RegisterOperation unknown_set(int64_t called, int64_t expected, int64_t value) {
  RegisterOperation operation = set(called, 0, expected, value);
  operation.returned.reset();
  return operation;
}

TEST(FindViolation, AcceptsWhatOneOrderExplains) {
  EXPECT_FALSE(find_violation({}));
  EXPECT_FALSE(find_violation({set(1, 2, 0, 5), read(3, 4, 5)}));
  // Overlapping: the read may come before or after.
  EXPECT_FALSE(find_violation({set(1, 4, 0, 5), read(2, 3, 0)}));
  EXPECT_FALSE(find_violation({set(1, 4, 0, 5), read(2, 3, 5)}));
  EXPECT_FALSE(find_violation({set(1, 6, 0, 5), set(2, 5, 5, 6), failed_set(3, 4, 0, 5)}));
  // Without a response: it took effect, late, or never.
  EXPECT_FALSE(find_violation({unknown_set(1, 0, 5), read(2, 3, 0), read(4, 5, 5)}));
  EXPECT_FALSE(find_violation({unknown_set(1, 0, 5), read(2, 3, 0), set(4, 5, 0, 6)}));
}

TEST(FindViolation, RejectsWhatNoOrderExplains) {
  // A lost write.
  EXPECT_TRUE(find_violation({set(1, 2, 0, 5), read(3, 4, 0)}));
  // A read of a value that was never written.
  EXPECT_TRUE(find_violation({read(1, 2, 7)}));
  // Two that both succeeded on the same value.
  EXPECT_TRUE(find_violation({set(1, 4, 0, 5), set(2, 3, 0, 6)}));
  // Back in time.
  EXPECT_TRUE(find_violation({set(1, 10, 0, 5), read(2, 3, 5), read(4, 5, 0)}));
  // A failure without a reason.
  EXPECT_TRUE(find_violation({set(1, 2, 0, 5), failed_set(3, 4, 5, 5)}));
  // A write without a response took effect, and was lost later.
  EXPECT_TRUE(find_violation({unknown_set(1, 0, 5), read(2, 3, 5), read(4, 5, 0)}));
  // A failure that saw a value that was never written.
  EXPECT_TRUE(find_violation({set(1, 2, 0, 5), failed_set(3, 4, 0, 6)}));
}

// Many clients on few keys; each value is written once, so it identifies its write.
class Clients {
 public:
  void run(Store& store, uint64_t seed, const std::function<void()>& crash) {
    std::atomic<int> done = 0;
    std::vector<std::jthread> threads;
    for (int i = 0; i < kClients; ++i) {
      threads.emplace_back([&, i] {
        SeededRandom random(seed + static_cast<uint64_t>(i));
        while (step(store, random)) {
          ++done;
          done.notify_all();
        }
      });
    }
    for (int now = done; now < kOperationsARound; now = done) done.wait(now);
    crash();
  }

  std::vector<RegisterOperation> history() {
    MutexLock lock(mutex_);
    return history_;
  }

 private:
  static constexpr int kClients = 8;
  static constexpr int kOperationsARound = 120;

  static int64_t value_of(const EntryPtr& entry) {
    return entry == nullptr ? 0 : parse_int(entry->value()).value_or(-1);
  }

  // False if the store has failed.
  bool step(Store& store, Random& random) {
    RegisterOperation operation{.key = "/register/" + std::to_string(random.below(3))};
    operation.called = ++time_;
    const EntryPtr entry = *store.get(operation.key);
    operation.found = value_of(entry);
    operation.returned = ++time_;
    record(operation);
    operation.kind = RegisterOperation::Kind::kCompareAndSet;
    operation.expected = value_of(entry);
    operation.value = ++values_;
    operation.found.reset();
    Txn txn;
    txn.compares.push_back({operation.key, entry == nullptr ? Revision{} : entry->mod_revision()});
    txn.operations.push_back(Put{operation.key, Bytes(std::to_string(operation.value)), {}});
    operation.called = ++time_;
    const auto result = store.commit(std::move(txn), Durability::kSynced);
    operation.returned = ++time_;
    if (!result.ok()) operation.returned.reset();
    if (result.ok() && !result->succeeded) operation.found = value_of(result->entries.at(0));
    record(operation);
    return result.ok();
  }

  void record(const RegisterOperation& operation) {
    MutexLock lock(mutex_);
    history_.push_back(operation);
  }

  std::atomic<int64_t> time_ = 0;
  std::atomic<int64_t> values_ = 0;
  Mutex mutex_;
  std::vector<RegisterOperation> history_ GUARDED_BY(mutex_);
};

TEST(Linearizability, HoldsAcrossPowerLosses) {
  std::string directory = (std::filesystem::temp_directory_path() / "proa-linear-XXXXXX").string();
  ASSERT_NE(::mkdtemp(directory.data()), nullptr);
  SystemClock clock;
  SystemRandom random;
  const auto files = std::make_shared<testkit::PowerLossFileSystem>(directory + "/trash");
  const std::unique_ptr<rocksdb::Env> env = rocksdb::NewCompositeEnv(files);
  Clients clients;
  for (int round = 0; round < 12; ++round) {
    {
      auto store = open_rocks_store(directory + "/store", clock, random, {.env = env.get()});
      ASSERT_TRUE(store.ok()) << store.status().message();
      clients.run(**store, random.next(), [&] { files->power_off(); });
    }
    files->lose(random);
  }
  const std::vector<RegisterOperation> history = clients.history();
  EXPECT_GT(history.size(), 1000u);
  const auto violation = find_violation(history);
  EXPECT_FALSE(violation) << *violation;
  // The checker must detect a lost write in this history.
  std::vector<RegisterOperation> damaged = history;
  for (RegisterOperation& operation : damaged) {
    const bool set_and_told = operation.kind == RegisterOperation::Kind::kCompareAndSet &&
                              operation.returned && !operation.found;
    if (!set_and_told) continue;
    operation.value = -7;
    break;
  }
  EXPECT_TRUE(find_violation(damaged));
  std::filesystem::remove_all(directory);
}

}  // namespace linearizability_test
}  // namespace proa::store

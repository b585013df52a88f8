// Power loss at any time during a write storm: unsynced data is lost or partial. Also while values
// are encrypted, get other keys, and are decrypted again.
#include <gtest/gtest.h>
#include <rocksdb/env.h>

#include <cstdlib>
#include <filesystem>
#include <thread>

#include "store/rocks/rocks_store.h"
#include "testkit/encryption/key_changes.h"
#include "testkit/store/power_loss.h"
#include "testkit/store/storm.h"

namespace proa::store {
namespace power_loss_test {

using testkit::PowerLossFileSystem;
using testkit::Storm;
using testkit::StormNote;
using testkit::StormVerifier;

int rounds() {
  const char* text = std::getenv("PROA_CRASH_ROUNDS");
  return text != nullptr ? std::max(1, std::atoi(text) / 4) : 50;
}

// `encrypts`: the keys of values on disk change all the time.
void storm_and_lose_power(bool encrypts, int rounds) {
  std::string directory = (std::filesystem::temp_directory_path() / "proa-power-XXXXXX").string();
  ASSERT_NE(::mkdtemp(directory.data()), nullptr);
  SystemClock clock;
  SystemRandom random;
  const uint64_t seed = random.next();
  SCOPED_TRACE("seed " + std::to_string(seed));
  SeededRandom decisions(seed);
  StormVerifier verifier;
  const auto files = std::make_shared<PowerLossFileSystem>(directory + "/trash");
  const std::unique_ptr<rocksdb::Env> env = rocksdb::NewCompositeEnv(files);
  RocksOptions options{.env = env.get()};
  // Lazy writes are logged often, and history is compacted often, so that power loss hits those
  // too.
  options.engine.lazy_delay = std::chrono::milliseconds(2);
  options.engine.history_changes = 50'000;
  for (int round = 0; round < rounds && !testing::Test::HasFailure(); ++round) {
    SCOPED_TRACE("round " + std::to_string(round));
    {
      const size_t first = decisions.below(4);
      if (encrypts) options.transformer = testkit::all_keys(first);
      auto store = open_rocks_store(directory + "/store", clock, random, options);
      ASSERT_TRUE(store.ok()) << store.status().message();
      verifier.verify(**store);
      std::atomic<size_t> notes = 0;
      const size_t enough = 1 + decisions.below(4000);
      Storm storm(**store, 32, 4, decisions.next(), [&](const StormNote& note) {
        verifier.note(note);
        if (++notes >= enough) notes.notify_all();
      });
      std::jthread keys;
      if (encrypts) {
        keys = std::jthread(
            [&](const std::stop_token& stop) { testkit::change_keys(**store, first + 1, stop); });
      }
      for (size_t seen = notes; seen < enough; seen = notes) notes.wait(seen);
      files->power_off();
      storm.stop();
    }
    files->lose(decisions);
  }
  auto store = open_rocks_store(directory + "/store", clock, random, options);
  ASSERT_TRUE(store.ok()) << store.status().message();
  verifier.verify(**store);
  EXPECT_GT(verifier.acknowledged(), static_cast<size_t>(rounds));
  store->reset();
  std::filesystem::remove_all(directory);
}

TEST(PowerLoss, LosesNothingThatWasAcknowledged) { storm_and_lose_power(false, rounds()); }

TEST(PowerLoss, LosesNothingWhileKeysChange) { storm_and_lose_power(true, rounds()); }

}  // namespace power_loss_test
}  // namespace proa::store

// Damage of every kind, anywhere: a store is refused, or everything that was acknowledged is there.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "store/conformance/implementations.h"
#include "store/rocks/inspect.h"
#include "store/rocks/log_scan.h"
#include "store/rocks/rocks_store.h"

namespace proa::store {
namespace damage_test {

namespace fs = std::filesystem;

std::string read(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

void write(const fs::path& path, const std::string& text) {
  std::ofstream(path, std::ios::binary | std::ios::trunc) << text;
}

class Damage : public testing::Test {
 protected:
  Damage() {
    options_.engine.own_thread = false;
    options_.engine.history_changes = 40;
  }

  fs::path store_path() const { return directory_.path() + "/store"; }
  fs::path copy_path() const { return directory_.path() + "/copy"; }

  Result<std::unique_ptr<Store>> open(const fs::path& path) {
    return open_rocks_store(path.string(), clock_, random_, options_);
  }

  // Several sessions, so that there are tables, a manifest with a past, and a log.
  std::unique_ptr<Store> fill() {
    std::unique_ptr<Store> store;
    for (int session = 0; session < 3; ++session) {
      store.reset();
      store = open(store_path()).value();
      for (int i = 0; i < 60; ++i) {
        const Key key = "/registry/pods/" + std::to_string(random_.below(25));
        const std::string value(100 + random_.below(900), static_cast<char>('a' + i % 26));
        EXPECT_TRUE(store->commit({{}, {Put{key, Bytes(value), {}}}}, Durability::kSynced).ok());
      }
      static_cast<Engine&>(*store).tick();
    }
    expected_ = state(*store);
    return store;
  }

  // Revisions and hashes: the values are long.
  static std::string state(const Store& store) {
    std::string text;
    const auto all = store.range({.keys = KeyRange::prefix("/")});
    for (const EntryPtr& entry : all->entries) {
      const size_t hash = std::hash<std::string_view>{}(entry->value());
      text += std::to_string(entry->mod_revision().value) + std::string(entry->key()) + "=" +
              std::to_string(hash) + " ";
    }
    return text;
  }

  // The database's files that hold something.
  std::vector<fs::path> files() const {
    std::vector<fs::path> found;
    for (const auto& file : fs::directory_iterator(store_path() / "db")) {
      const std::string name = file.path().filename();
      const bool holds = name.ends_with(".sst") || name.ends_with(".log") || name == "CURRENT" ||
                         name.starts_with("MANIFEST");
      if (holds && file.file_size() > 0) found.push_back(fs::path("db") / name);
    }
    found.emplace_back("STORE");
    return found;
  }

  void copy() {
    fs::remove_all(copy_path());
    fs::copy(store_path(), copy_path(), fs::copy_options::recursive);
  }

  // True when it was refused.
  bool refused_or_whole(const std::string& what) {
    SCOPED_TRACE(what);
    const auto checked = check_store(copy_path().string());
    auto opened = open(copy_path());
    if (!opened.ok()) {
      const std::string& message = opened.status().message();
      EXPECT_TRUE(message.find("proa store check") != std::string::npos ||
                  message.find("is not a Proa store") != std::string::npos)
          << message;
      EXPECT_TRUE(!checked.ok() || !checked->empty()) << opened.status().message();
      return true;
    }
    EXPECT_EQ(state(**opened), expected_);
    return false;
  }

  void flip_bits_everywhere() {
    int refused = 0;
    int rounds = 0;
    for (const fs::path& file : files()) {
      const std::string whole = read(store_path() / file);
      for (int i = 0; i < 12; ++i) {
        copy();
        std::string text = whole;
        const size_t at = random_.below(text.size());
        text[at] = static_cast<char>(text[at] ^ (1 << random_.below(8)));
        write(copy_path() / file, text);
        ++rounds;
        refused += refused_or_whole(file.string() + " flipped at " + std::to_string(at));
      }
    }
    EXPECT_GT(refused * 2, rounds) << "most of what can be damaged matters";
  }

  TemporaryDirectory directory_;
  testkit::FakeClock clock_;
  SeededRandom random_{11};
  RocksOptions options_;
  std::string expected_;
};

TEST_F(Damage, FlippedBitsInAClosedStore) {
  fill().reset();
  flip_bits_everywhere();
}

TEST_F(Damage, FlippedBitsInAStoreThatWasKilled) {
  const auto store = fill();
  flip_bits_everywhere();
}

TEST_F(Damage, TruncatedAndMissingFilesOfAClosedStore) {
  fill().reset();
  for (const fs::path& file : files()) {
    const std::string whole = read(store_path() / file);
    for (int i = 0; i < 6; ++i) {
      copy();
      const size_t size = random_.below(whole.size());
      write(copy_path() / file, whole.substr(0, size));
      refused_or_whole(file.string() + " cut at " + std::to_string(size));
    }
    copy();
    fs::remove(copy_path() / file);
    const bool refused = refused_or_whole(file.string() + " missing");
    EXPECT_TRUE(refused || file.string().ends_with(".log")) << file;
  }
}

TEST_F(Damage, AMissingLogIsNoticed) {
  const auto store = fill();
  copy();
  for (const fs::path& file : files()) {
    if (file.string().ends_with(".log")) fs::remove(copy_path() / file);
  }
  EXPECT_TRUE(refused_or_whole("no log"));
}

TEST_F(Damage, AnUnfinishedWriteIsNone) {
  const auto store = fill();
  fs::path log;
  for (const fs::path& file : files()) {
    if (file.string().ends_with(".log")) log = file;
  }
  const auto written = [](std::string text) {
    text.resize(text.find_last_not_of('\0') + 1);
    return text;
  };
  const std::string before = written(read(store_path() / log));
  const Txn large{{}, {Put{"/torn", Bytes(std::string(50'000, 'x')), {}}}};
  ASSERT_TRUE(store->commit(large, Durability::kSynced).ok());
  const std::string after = written(read(store_path() / log));
  ASSERT_GT(after.size(), before.size() + 50'000);
  for (int i = 0; i < 24; ++i) {
    copy();
    // A part of it arrived: up to a byte, at the end of the file or before blocks that wait for
    // more; or all, with a sector missing in the middle.
    const size_t size = before.size() + 1 + random_.below(after.size() - before.size() - 1);
    std::string torn = after.substr(0, size);
    if (i % 3 == 0) {
      torn.resize(after.size() + 100'000, '\0');
    } else if (i % 3 == 1) {
      torn = after;
      const size_t hole = before.size() + random_.below(after.size() - before.size() - 2048);
      torn.replace((hole + 511) / 512 * 512, 512, 512, '\0');
    }
    write(copy_path() / log, torn);
    EXPECT_FALSE(refused_or_whole("torn at " + std::to_string(size)));
  }
}

TEST(LogScan, TellsWholeTornAndDamaged) {
  // One record "hello" as RocksDB writes it, twice.
  const std::string record("\x0b\xb9\x57\x58\x05\x00\x01hello", 12);
  const auto count = [](std::string_view file, int& good, int& later) {
    good = later = 0;
    return scan_log(
        file, [&](const LogRecord&) { ++good; }, [&](const LogRecord&) { ++later; });
  };
  int good = 0;
  int later = 0;
  LogScan scan = count(record + record, good, later);
  EXPECT_FALSE(scan.bad()) << scan.problem;
  EXPECT_EQ(good, 2);
  const std::string ready(1000, '\0');
  for (size_t cut = 1; cut < record.size(); ++cut) {
    for (const std::string& end : {std::string(), ready}) {
      scan = count((record + record).substr(0, record.size() + cut) + end, good, later);
      EXPECT_TRUE(scan.bad() && scan.looks_torn) << cut << " " << end.size();
      EXPECT_EQ(scan.good_end, record.size());
    }
  }
  // Blocks that wait for more are no damage, and hide none.
  scan = count(record + record + ready, good, later);
  EXPECT_FALSE(scan.bad()) << scan.problem;
  EXPECT_EQ(scan.good_end, 2 * record.size());
  for (size_t at = 0; at < record.size(); ++at) {
    for (int bit = 0; bit < 8; ++bit) {
      std::string damaged = record + record;
      damaged[at] = static_cast<char>(damaged[at] ^ (1 << bit));
      scan = count(damaged, good, later);
      EXPECT_TRUE(scan.bad()) << at;
      EXPECT_EQ(later, 1) << at << " " << bit;
      damaged = record + record;
      damaged[at + record.size()] = static_cast<char>(damaged[at + record.size()] ^ (1 << bit));
      for (const std::string& end : {std::string(), ready}) {
        scan = count(damaged + end, good, later);
        EXPECT_TRUE(scan.bad() && !scan.looks_torn) << at << " " << bit << scan.problem;
      }
    }
  }
}

}  // namespace damage_test
}  // namespace proa::store

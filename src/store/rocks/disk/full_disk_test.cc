// Disks that are full or fail for a while: nothing acknowledged is lost, nothing refused happens,
// and the store goes on by itself.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <rocksdb/env.h>
#include <sys/resource.h>

#include <filesystem>
#include <map>

#include "store/conformance/implementations.h"
#include "store/rocks/directory.h"
#include "store/rocks/inspect.h"
#include "store/rocks/rocks_store.h"
#include "testkit/store/small_disk.h"

// RocksDB 7.8 forgets the new memtable if the manifest cannot be written (SwitchMemtable).
extern "C" const char* __lsan_default_suppressions() {  // NOLINT: LeakSanitizer's name
  return "leak:rocksdb::DBImpl::SwitchMemtable";
}

namespace proa::store {
namespace full_disk_test {

using testkit::SmallDisk;
using State = StoreHealth::State;

constexpr uint64_t kMegabyte = 1u << 20;

class FullDisk : public testing::Test {
 protected:
  FullDisk() {
    options_.engine.own_thread = false;
    options_.engine.health_changed = [this](const StoreHealth& health) {
      states_.push_back(health.state);
    };
    options_.env = env_.get();
    options_.make_disk = [this] { return disk_.disk(); };
    std::filesystem::create_directories(path());
    open();
  }

  std::string path() const { return directory_.path() + "/store"; }
  void open() {
    store_.reset();
    auto opened = open_rocks_store(path(), clock_, random_, options_);
    ASSERT_TRUE(opened.ok()) << opened.status().message();
    store_ = std::move(opened).value();
  }
  // As after a kill: nothing more is written.
  void crash_and_open() {
    disk_.fail({.writes = true, .syncs = true, .opens = true});
    store_.reset();
    disk_.fail({});
    open();
  }
  void tick(Duration by = std::chrono::seconds(3)) {
    clock_.advance(by);
    static_cast<Engine&>(*store_).tick();
  }

  Result<Committed> put(const Key& key, size_t size, Durability durability = Durability::kSynced) {
    const std::string value = std::to_string(++count_) + std::string(size, 'x');
    auto done = store_->commit({{}, {Put{key, Bytes(value), {}}}}, durability);
    if (done.ok()) expected_[key] = value;
    return done;
  }
  Result<Committed> remove(const Key& key) {
    auto done = store_->commit({{}, {Delete{key}}}, Durability::kSynced);
    if (done.ok()) expected_.erase(key);
    return done;
  }
  // Puts new keys until one is refused.
  Status put_until_refused(size_t size) {
    for (int i = 0; i < 10'000; ++i) {
      const auto done = put("/new/" + std::to_string(count_), size);
      if (!done.ok()) return done.status();
      static_cast<Engine&>(*store_).tick();
    }
    return {Reason::kUnknown, "nothing was refused"};
  }
  void expect_whole() {
    std::map<Key, std::string> found;
    const auto all = store_->range({.keys = KeyRange::prefix("/")});
    for (const EntryPtr& entry : all->entries) {
      found[Key(entry->key())] = std::string(entry->value());
    }
    EXPECT_EQ(found.size(), expected_.size());
    EXPECT_TRUE(found == expected_);
  }
  void expect_sound() {
    store_.reset();
    const auto problems = check_store(path());
    ASSERT_TRUE(problems.ok()) << problems.status().message();
    EXPECT_TRUE(problems->empty()) << problems->damage.front();
    open();
    expect_whole();
  }
  State state() const { return store_->health().state; }

  TemporaryDirectory directory_;
  SmallDisk disk_{directory_.path() + "/store", 24 * kMegabyte};
  const std::unique_ptr<rocksdb::Env> env_ = rocksdb::NewCompositeEnv(disk_.files());
  testkit::FakeClock clock_;
  SeededRandom random_{5};
  RocksOptions options_;
  std::unique_ptr<Store> store_;
  std::vector<State> states_;
  std::map<Key, std::string> expected_;
  int count_ = 0;
};

TEST_F(FullDisk, LargeValuesThatComeAndGoDoNotKeepItFull) {
  for (int i = 0; i < 2000; ++i) ASSERT_TRUE(put("/small/" + std::to_string(i), 200).ok());
  bool refused = false;
  for (int i = 0; i < 60; ++i) {
    const Key key = "/large/" + std::to_string(i % 4);
    if (!put(key, 1'400'000).ok()) {
      refused = true;
      EXPECT_EQ(state(), State::kFull);
    }
    if (i % 2 == 1) {
      ASSERT_TRUE(remove(key).ok());
    }
  }
  EXPECT_TRUE(refused);
  for (int i = 0; i < 4; ++i) {
    const Key key = "/large/" + std::to_string(i);
    if (expected_.contains(key)) {
      ASSERT_TRUE(remove(key).ok());
    }
  }
  for (int i = 0; i < 4; ++i) tick();
  EXPECT_EQ(state(), State::kOk);
  EXPECT_TRUE(put("/large/again", 1'400'000).ok());
  expect_sound();
}

TEST_F(FullDisk, RefusesGrowthWithTheReasonAndGoesOnWhenThereIsSpace) {
  ASSERT_TRUE(put("/a", 1000).ok());
  ASSERT_TRUE(put("/b", 1000).ok());
  disk_.occupy(disk_.free_bytes());
  const Status refused = put_until_refused(20'000);
  EXPECT_TRUE(refused.is(Reason::kInsufficientStorage)) << refused.message();
  EXPECT_EQ(refused.code(), 507);
  EXPECT_NE(refused.message().find("the disk with the data directory is full"), std::string::npos);
  EXPECT_NE(refused.message().find("free space on that disk"), std::string::npos);
  tick();
  EXPECT_EQ(state(), State::kFull);
  EXPECT_NE(store_->health().cause.find("is full"), std::string::npos);
  // Reads, deletes and small updates go on.
  EXPECT_NE(*store_->get("/a"), nullptr);
  EXPECT_TRUE(put("/a", 1100).ok());
  EXPECT_TRUE(remove("/b").ok());
  EXPECT_TRUE(put("/a", 100'000).is(Reason::kInsufficientStorage)) << "not a small update";
  expect_whole();

  disk_.occupy(0);
  tick();
  EXPECT_EQ(state(), State::kOk);
  EXPECT_EQ(store_->health().cause, "");
  EXPECT_TRUE(put("/c", 100'000).ok());
  EXPECT_EQ(states_, (std::vector<State>{State::kFull, State::kOk}));
  expect_sound();
}

TEST_F(FullDisk, DeletesFreeSpace) {
  // No other program is to blame here.
  const Status refused = put_until_refused(50'000);
  EXPECT_TRUE(refused.is(Reason::kInsufficientStorage)) << refused.message();
  tick();
  ASSERT_EQ(state(), State::kFull);
  const std::map<Key, std::string> all = expected_;
  size_t removed = 0;
  for (const auto& [key, value] : all) {
    if (++removed > all.size() / 2) break;
    ASSERT_TRUE(remove(key).ok());
  }
  tick();
  tick();
  EXPECT_EQ(state(), State::kOk) << store_->health().cause;
  EXPECT_TRUE(put("/more", 500'000).ok());
  expect_sound();
}

TEST_F(FullDisk, GarbageNeverFillsIt) {
  // Five times the disk, in values that replace each other.
  for (int i = 0; i < 2400; ++i) {
    const auto done = put("/hot/" + std::to_string(i % 40), 50'000);
    ASSERT_TRUE(done.ok()) << i << " " << done.status().message();
    tick(std::chrono::milliseconds(10));
  }
  EXPECT_TRUE(states_.empty());
  expect_sound();
}

TEST_F(FullDisk, WithoutTheReserveNothingIsWrittenUntilThereIsSpace) {
  ASSERT_TRUE(put("/a", 1000).ok());
  ASSERT_TRUE(put("/lazy", 1000, Durability::kLazy).ok());
  disk_.fill(true);
  const Status refused = put_until_refused(20'000);
  EXPECT_TRUE(refused.is(Reason::kInsufficientStorage)) << refused.message();
  EXPECT_NE(refused.message().find("no write is accepted"), std::string::npos) << refused.message();
  EXPECT_EQ(state(), State::kFailed);
  EXPECT_TRUE(remove("/a").is(Reason::kInsufficientStorage));
  for (int i = 0; i < 5; ++i) tick();
  EXPECT_EQ(state(), State::kFailed);
  expect_whole();
  crash_and_open();
  EXPECT_EQ(state(), State::kFailed) << "opened for reading";
  // The crash may have taken it: it was lazy.
  if (*store_->get("/lazy") == nullptr) expected_.erase("/lazy");
  expect_whole();
  EXPECT_TRUE(put("/b", 10).is(Reason::kInsufficientStorage));

  disk_.fill(false);
  tick();
  EXPECT_EQ(state(), State::kOk);
  EXPECT_TRUE(put("/b", 100'000).ok());
  expect_sound();
}

TEST_F(FullDisk, OpensOnAFullDiskAndGoesOnWhenThereIsSpace) {
  ASSERT_TRUE(put_until_refused(50'000).is(Reason::kInsufficientStorage));
  tick();
  for (const bool full : {true, false}) {
    disk_.occupy(full ? disk_.free_bytes() : 0);
    crash_and_open();
    expect_whole();
    EXPECT_TRUE(remove(expected_.begin()->first).ok()) << full;
  }
  expect_sound();
}

TEST_F(FullDisk, ANewStoreNeedsSpace) {
  store_.reset();
  std::filesystem::remove_all(path());
  std::filesystem::create_directories(path());
  disk_.fill(true);
  const auto opened = open_rocks_store(path(), clock_, random_, options_);
  ASSERT_TRUE(opened.is(Reason::kInsufficientStorage));
  EXPECT_NE(opened.status().message().find("is full, free space on it"), std::string::npos);
}

TEST_F(FullDisk, RecoversFromEveryFaultThatPasses) {
  const SmallDisk::Faults all[] = {{.writes = true}, {.syncs = true}, {.opens = true}};
  for (const SmallDisk::Faults& faults : all) {
    SCOPED_TRACE(faults.writes ? "writes" : faults.syncs ? "syncs" : "opens");
    ASSERT_TRUE(put("/before", 1000).ok());
    ASSERT_TRUE(put("/lazy", 1000, Durability::kLazy).ok());
    disk_.fail(faults);
    const Status refused = put_until_refused(20'000);
    EXPECT_TRUE(refused.is(Reason::kServiceUnavailable)) << refused.message();
    EXPECT_NE(refused.message().find("tries again every second"), std::string::npos);
    EXPECT_EQ(state(), State::kFailed);
    EXPECT_EQ(store_->health().cause, refused.message());
    tick();
    EXPECT_EQ(state(), State::kFailed);
    expect_whole();
    EXPECT_TRUE(store_->checkpoint(directory_.path() + "/none").is(Reason::kServiceUnavailable));
    disk_.fail({});
    tick();
    EXPECT_EQ(state(), State::kOk);
    expect_whole();
    EXPECT_TRUE(put("/after", 1000).ok());
  }
  expect_sound();
}

// Faults, crashes and restarts in random order.
TEST_F(FullDisk, KeepsWhatWasAcknowledgedWhateverHappens) {
  for (uint64_t seed = 1; seed <= 6; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    SeededRandom random(seed);
    for (int i = 0; i < 400; ++i) {
      const Key key = "/k/" + std::to_string(random.below(60));
      if (random.below(3) == 0) {
        static_cast<void>(remove(key));
      } else {
        static_cast<void>(put(key, random.below(40'000)));
      }
      switch (random.below(40)) {
        case 0:
          disk_.fail({.writes = random.below(2) == 0, .syncs = random.below(2) == 0});
          break;
        case 1:
          disk_.fail({.opens = true});
          break;
        case 2:
          disk_.fill(true);
          break;
        case 3:
          disk_.occupy(random.below(24 * kMegabyte));
          break;
        case 4:
        case 5:
        case 6:
          disk_.fail({});
          disk_.fill(false);
          disk_.occupy(0);
          break;
        case 7:
          disk_.fail({});
          // A write that was refused may have happened if the process ends before it recovers.
          if (state() != State::kFailed) crash_and_open();
          expect_whole();
          break;
        default:
          tick(std::chrono::milliseconds(random.below(2000)));
      }
    }
    disk_.fail({});
    disk_.fill(false);
    disk_.occupy(0);
    tick();
    EXPECT_EQ(state(), State::kOk) << store_->health().cause;
    expect_sound();
  }
}

// Takes all descriptors that are left, as connections do.
class AllDescriptors {
 public:
  AllDescriptors() {
    ::getrlimit(RLIMIT_NOFILE, &before_);
    // RocksDB's threads and files have theirs already.
    const rlimit few{512, before_.rlim_max};
    ::setrlimit(RLIMIT_NOFILE, &few);
    for (;;) {
      FileDescriptor taken(::open("/dev/null", O_RDONLY | O_CLOEXEC));
      if (!taken.valid()) break;
      taken_.push_back(std::move(taken));
    }
  }
  ~AllDescriptors() {
    taken_.clear();
    ::setrlimit(RLIMIT_NOFILE, &before_);
  }
  size_t count() const { return taken_.size(); }

 private:
  rlimit before_{};
  std::vector<FileDescriptor> taken_;
};

// Has a size, so that write buffers are small, but is never full.
class RoomyDisk final : public Disk {
 public:
  DiskSpace space() const override {
    return {.free_bytes = 16 * kMegabyte, .total_bytes = 24 * kMegabyte};
  }
  bool occupies(const std::string&, uint64_t) const override { return true; }
  Result<void> allocate(const std::string&, uint64_t) override { return {}; }
  void remove(const std::string&) override {}
};

TEST_F(FullDisk, WritesGoOnWithoutDescriptors) {
  options_.env = nullptr;
  options_.make_disk = [] { return std::make_unique<RoomyDisk>(); };
  open();
  {
    const AllDescriptors taken;
    ASSERT_GT(taken.count(), 0u);
    // Several write buffers: each needs a new log and a new table.
    for (int i = 0; i < 60; ++i) {
      const auto done = put("/k/" + std::to_string(i), 50'000);
      ASSERT_TRUE(done.ok()) << i << " " << done.status().message();
      tick();
    }
    EXPECT_EQ(state(), State::kOk);
  }
  expect_sound();
}

TEST(DiskPlan, LeavesMostOfASmallDiskToTheData) {
  constexpr uint64_t kKilobyte = 1024;
  const DiskPlan large{8 * kMegabyte, 16, 16 * kMegabyte, 64 * kMegabyte};
  EXPECT_EQ(plan_for_disk(0), large);
  EXPECT_EQ(plan_for_disk(4096 * kMegabyte), large);
  EXPECT_EQ(plan_for_disk(256 * kMegabyte),
            (DiskPlan{2 * kMegabyte, 4, 4 * kMegabyte, 16 * kMegabyte}));
  EXPECT_EQ(plan_for_disk(24 * kMegabyte),
            (DiskPlan{512 * kKilobyte, 4, kMegabyte, 3 * kMegabyte / 2}));
}

TEST(SystemDisk, AllocatesWhatItSays) {
  const TemporaryDirectory directory;
  const auto disk = make_system_disk(directory.path());
  EXPECT_GT(disk->space().total_bytes, disk->space().free_bytes / 2);
  const std::string path = directory.path() + "/RESERVE";
  EXPECT_FALSE(disk->occupies(path, kMegabyte));
  ASSERT_TRUE(disk->allocate(path, kMegabyte).ok());
  EXPECT_TRUE(disk->occupies(path, kMegabyte));
  EXPECT_FALSE(disk->occupies(path, 2 * kMegabyte));
  disk->remove(path);
  EXPECT_FALSE(std::filesystem::exists(path));
  EXPECT_FALSE(disk->allocate(directory.path() + "/none/RESERVE", 1).ok());
}

}  // namespace full_disk_test
}  // namespace proa::store

#include "store/conformance/implementations.h"

#include <cstdlib>
#include <filesystem>

#include "base/random.h"
#include "store/etcd/etcd_store.h"
#include "store/memory/memory_store.h"
#include "store/rocks/rocks_store.h"
#include "testkit/store/test_etcd.h"

namespace proa::store {
namespace implementations_test {

class MemoryFixture final : public Fixture {
 public:
  explicit MemoryFixture(EngineOptions options) {
    options.own_thread = false;
    store_ = make_memory_store(clock_, options);
  }
  Store& store() override { return *store_; }
  bool reopen() override { return false; }
  void advance(Duration by) override {
    clock_.advance(by);
    store_->tick();
  }

 private:
  testkit::FakeClock clock_;
  std::unique_ptr<Engine> store_;
};

class RocksFixture final : public Fixture {
 public:
  explicit RocksFixture(const EngineOptions& options) {
    options_.engine = options;
    // Without its own thread: due work runs when the test requests it.
    options_.engine.own_thread = false;
    reopen();
  }
  Store& store() override { return *store_; }
  bool reopen() override {
    store_.reset();
    auto opened = open_rocks_store(directory_.path() + "/store", clock_, random_, options_);
    if (!opened.ok()) ADD_FAILURE() << opened.status().message();
    store_ = std::move(opened).value();
    return true;
  }
  void advance(Duration by) override {
    clock_.advance(by);
    static_cast<Engine&>(*store_).tick();
  }

 private:
  TemporaryDirectory directory_;
  testkit::FakeClock clock_;
  SeededRandom random_{1};
  RocksOptions options_;
  std::unique_ptr<Store> store_;
};

// Each has an etcd of its own: scripts tell its revisions.
class EtcdFixture final : public Fixture {
 public:
  explicit EtcdFixture(const EngineOptions& options) {
    options_.endpoints = {etcd_.origin()};
    options_.root = "";
    options_.lease_share_percent = 0;
    options_.revokes_leases = true;
    options_.engine = options;
    options_.engine.own_thread = false;
    reopen();
  }
  Store& store() override { return *store_; }
  bool reopen() override {
    store_.reset();
    auto opened = open_etcd_store(clock_, random_, options_);
    if (!opened.ok()) ADD_FAILURE() << opened.status().message() << "\n" << etcd_.log();
    store_ = std::move(opened).value();
    return true;
  }
  void advance(Duration by) override {
    clock_.advance(by);
    store_->tick();
  }

 private:
  testkit::TestEtcd etcd_;
  testkit::FakeClock clock_;
  SeededRandom random_{1};
  EtcdOptions options_;
  std::unique_ptr<EtcdStore> store_;
};

}  // namespace implementations_test

std::vector<Implementation> implementations() {
  return {
      {"memory",
       {},
       [](const EngineOptions& options) {
         return std::make_unique<implementations_test::MemoryFixture>(options);
       }},
      {"rocks",
       {},
       [](const EngineOptions& options) {
         return std::make_unique<implementations_test::RocksFixture>(options);
       }},
      {"etcd", testkit::TestEtcd::missing(),
       [](const EngineOptions& options) {
         return std::make_unique<implementations_test::EtcdFixture>(options);
       }},
  };
}

TemporaryDirectory::TemporaryDirectory() {
  path_ = (std::filesystem::temp_directory_path() / "proa-store-XXXXXX").string();
  CHECK(::mkdtemp(path_.data()) != nullptr);
}

TemporaryDirectory::~TemporaryDirectory() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

}  // namespace proa::store

#include "store/rocks/stored_values.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <functional>
#include <sstream>

#include "store/conformance/implementations.h"
#include "store/rocks/inspect.h"
#include "store/rocks/rocks_store.h"
#include "testkit/store/toy_transformer.h"

namespace proa::store {
namespace stored_values_test {

namespace fs = std::filesystem;
using testkit::ToyTransformer;

constexpr std::string_view kSecret = "the-plain-secret";

class StoredValues : public testing::Test {
 protected:
  StoredValues() { options_.engine.own_thread = false; }

  std::string path(const std::string& name = "store") const {
    return directory_.path() + "/" + name;
  }
  void use(const std::string& letters) {
    toy_ = letters.empty() ? nullptr : std::make_shared<ToyTransformer>(letters);
    options_.transformer = toy_;
  }
  Result<std::unique_ptr<Store>> try_open(const std::string& name = "store") {
    return open_rocks_store(path(name), clock_, random_, options_);
  }
  std::unique_ptr<Store> open(const std::string& name = "store") {
    auto opened = try_open(name);
    EXPECT_TRUE(opened.ok()) << opened.status().message();
    return opened.ok() ? std::move(opened).value() : nullptr;
  }
  std::unique_ptr<Store> open_with(const std::string& letters) {
    use(letters);
    return open();
  }
  static Result<Committed> put(Store& store, const Key& key, std::string_view value) {
    return store.commit({{}, {Put{key, Bytes(std::string(value)), {}}}}, Durability::kSynced);
  }
  // Many at a time: synced together.
  static void fill(Store& store, int begin, int end, const std::function<Put(int)>& make) {
    for (int i = begin; i < end; ++i) {
      const Durability durability = i + 1 == end ? Durability::kSynced : Durability::kLazy;
      ASSERT_TRUE(store.commit({{}, {make(i)}}, durability).ok());
    }
  }
  static std::string value(const Store& store, const Key& key) {
    const auto entry = store.get(key);
    return *entry == nullptr ? "nothing" : std::string((*entry)->value());
  }
  static std::string reencode(Store& store) {
    const Result<void> done = store.reencode([](const ReencodeProgress&) {}, {});
    return done.ok() ? "" : done.status().message();
  }
  // In which files below a directory the text is.
  std::string holders(std::string_view text, const std::string& name = "store") const {
    std::string found;
    for (const auto& file : fs::recursive_directory_iterator(path(name))) {
      if (!file.is_regular_file()) continue;
      std::ostringstream content;
      content << std::ifstream(file.path(), std::ios::binary).rdbuf();
      if (content.str().find(text) != std::string::npos) found += file.path().string() + " ";
    }
    return found;
  }
  void crash_copy(const std::string& to) {
    fs::remove_all(path(to));
    fs::copy(path(), path(to), fs::copy_options::recursive);
  }

  TemporaryDirectory directory_;
  testkit::FakeClock clock_;
  SeededRandom random_{1};
  RocksOptions options_;
  std::shared_ptr<ToyTransformer> toy_;
};

TEST_F(StoredValues, DiskNeverHasWhatMemoryHas) {
  auto store = open_with("a-");
  ASSERT_TRUE(put(*store, "/secret/x", kSecret).ok());
  ASSERT_TRUE(put(*store, "/other", "in the open").ok());
  EXPECT_EQ(value(*store, "/secret/x"), kSecret);
  EXPECT_EQ(holders(kSecret), "");
  EXPECT_NE(holders("in the open"), "");
  ASSERT_TRUE(store->checkpoint(path("copy")).ok());
  EXPECT_EQ(holders(kSecret, "copy"), "");
  crash_copy("crashed");
  store.reset();
  EXPECT_EQ(holders(kSecret), "");
  for (const char* name : {"store", "copy", "crashed"}) {
    SCOPED_TRACE(name);
    const auto again = open(name);
    EXPECT_EQ(value(*again, "/secret/x"), kSecret);
    EXPECT_EQ(value(*again, "/other"), "in the open");
  }
}

TEST_F(StoredValues, WrongKeysAreRefusedAndNothingChanges) {
  open_with("a-").reset();
  auto store = open_with("a-");
  ASSERT_TRUE(put(*store, "/secret/x", kSecret).ok());
  store.reset();
  use("b-");
  const auto refused = try_open();
  ASSERT_TRUE(refused.is(Reason::kForbidden));
  EXPECT_NE(refused.status().message().find("unable to transform key \"/secret/x\": no key a"),
            std::string::npos)
      << refused.status().message();
  use("");
  EXPECT_TRUE(try_open().is(Reason::kForbidden));
  EXPECT_EQ(value(*open_with("ba"), "/secret/x"), kSecret);
}

TEST_F(StoredValues, PlainValuesAreReadOnlyWhereTheyMayBe) {
  auto store = open_with("-");
  ASSERT_TRUE(put(*store, "/secret/x", kSecret).ok());
  store.reset();
  use("a");
  EXPECT_TRUE(try_open().is(Reason::kForbidden));
  EXPECT_EQ(value(*open_with("a-"), "/secret/x"), kSecret);
}

TEST_F(StoredValues, ToolsWorkWithoutKeys) {
  auto store = open_with("a");
  ASSERT_TRUE(put(*store, "/secret/x", "old").ok());
  ASSERT_TRUE(put(*store, "/secret/x", kSecret).ok());
  store.reset();
  EXPECT_EQ(inspect_store(path())->sealed, 1u);
  size_t checked = 0;
  const auto count = [&](const Entry&) {
    ++checked;
    return std::nullopt;
  };
  const Result<StoreProblems> sealed = check_store(path(), count);
  EXPECT_TRUE(sealed->empty());
  EXPECT_EQ(sealed->sealed, 1u);
  EXPECT_EQ(checked, 0u) << "nothing can be said of a sealed value";
  EXPECT_TRUE(check_store(path(), count, toy_.get())->empty());
  EXPECT_EQ(checked, 1u);
  EXPECT_TRUE(check_store(path(), count, std::make_shared<ToyTransformer>("b").get())
                  .is(Reason::kForbidden));
  ASSERT_TRUE(compact_store(path()).ok());
  use("");
  options_.keep_sealed = true;
  store = open();
  ASSERT_TRUE(store->checkpoint(path("copy")).ok());
  store.reset();
  options_.keep_sealed = false;
  use("a");
  EXPECT_EQ(value(*open("copy"), "/secret/x"), kSecret);
}

TEST_F(StoredValues, OneCommitIsRefusedWhereItsKeyCannotBeUsed) {
  auto store = open_with("a");
  toy_->broken = true;
  const auto refused = put(*store, "/secret/x", kSecret);
  ASSERT_TRUE(refused.is(Reason::kInternalError));
  EXPECT_EQ(refused.status().message(), "the toy is broken");
  EXPECT_TRUE(put(*store, "/other", "1").ok());
  EXPECT_TRUE(store->health().ok());
  EXPECT_EQ(value(*store, "/secret/x"), "nothing");
  toy_->broken = false;
  EXPECT_TRUE(put(*store, "/secret/x", kSecret).ok());
}

TEST_F(StoredValues, ReencodingLeavesNoFormerFormAnywhere) {
  auto store = open_with("-");
  const auto make = [](int i) {
    const std::string number = std::to_string(i % 2000);
    return Put{"/secret/" + number, Bytes(std::string(kSecret) + number), {}};
  };
  fill(*store, 0, 2500, make);
  ASSERT_TRUE(store->compact(store->revision()).ok());
  fill(*store, 2500, 5000, make);
  ASSERT_TRUE(store->commit({{}, {Delete{"/secret/0"}}}, Durability::kSynced).ok());
  const Revision before = store->revision();
  const Revision created = (*store->get("/secret/7"))->create_revision();
  EXPECT_NE(holders(kSecret), "");

  ASSERT_TRUE(store->set_transformer(std::make_shared<ToyTransformer>("a-")).ok());
  ReencodeProgress last;
  ASSERT_TRUE(store->reencode([&](const ReencodeProgress& now) { last = now; }, {}).ok());
  EXPECT_EQ(last.stage, ReencodeProgress::Stage::kPurging);
  EXPECT_GT(last.rewritten, 2000u) << "of the history, too";
  EXPECT_EQ(holders(kSecret), "");
  EXPECT_EQ(store->revision(), before) << "clients notice nothing";
  crash_copy("crashed");
  store.reset();
  EXPECT_EQ(holders(kSecret), "");

  use("a");
  for (const char* name : {"crashed", "store"}) {
    SCOPED_TRACE(name);
    auto again = open(name);
    ASSERT_NE(again, nullptr);
    EXPECT_EQ(value(*again, "/secret/7"), std::string(kSecret) + "7");
    EXPECT_EQ((*again->get("/secret/7"))->create_revision(), created);
    EXPECT_EQ(value(*again, "/secret/0"), "nothing");
    EXPECT_EQ((*again->get("/secret/600", Revision{3000}))->value(), std::string(kSecret) + "600");
    ASSERT_TRUE(again->commit({{}, {Delete{"/secret/7"}}}, Durability::kSynced).ok());
    // Former versions of rewritten records must not come back when these are deleted.
    ASSERT_TRUE(again->compact(again->revision()).ok());
    again.reset();
    ASSERT_TRUE(compact_store(path(name)).ok());
    EXPECT_EQ(value(*open(name), "/secret/7"), "nothing");
    EXPECT_TRUE(check_store(path(name))->empty());
  }
}

TEST_F(StoredValues, ReencodingGoesOnAfterACrash) {
  auto store = open_with("-");
  fill(*store, 0, 6000, [](int i) {
    return Put{"/secret/" + std::to_string(i), Bytes(std::string(kSecret)), {}};
  });
  ASSERT_TRUE(store->set_transformer(std::make_shared<ToyTransformer>("a-")).ok());
  std::stop_source stop;
  const auto stop_within = [&](const ReencodeProgress& now) {
    if (now.rewritten > 0) stop.request_stop();
  };
  EXPECT_TRUE(store->reencode(stop_within, stop.get_token()).is(Reason::kTimeout));
  crash_copy("crashed");
  use("a");
  EXPECT_TRUE(try_open("crashed").is(Reason::kForbidden)) << "some are plain still";
  use("a-");
  auto crashed = open("crashed");
  ASSERT_EQ(reencode(*crashed), "");
  EXPECT_EQ(holders(kSecret, "crashed"), "");
  crashed.reset();
  use("a");
  EXPECT_EQ(value(*open("crashed"), "/secret/5999"), kSecret);
}

TEST_F(StoredValues, KeysRotateAndCanBeGivenUp) {
  auto store = open_with("a");
  ASSERT_TRUE(put(*store, "/secret/x", kSecret).ok());
  const auto unreadable = store->set_transformer(std::make_shared<ToyTransformer>("b-"));
  ASSERT_TRUE(unreadable.is(Reason::kForbidden)) << "a restart would not find the key";
  EXPECT_NE(unreadable.status().message().find("/secret/x"), std::string::npos);
  ASSERT_TRUE(put(*store, "/secret/y", kSecret).ok()) << "the former one is in force";

  ASSERT_TRUE(store->set_transformer(std::make_shared<ToyTransformer>("ba")).ok());
  ASSERT_EQ(reencode(*store), "");
  ASSERT_TRUE(store->set_transformer(std::make_shared<ToyTransformer>("b")).ok());
  store.reset();
  store = open_with("b");
  EXPECT_EQ(value(*store, "/secret/y"), kSecret);

  ASSERT_TRUE(store->set_transformer(std::make_shared<ToyTransformer>("-b")).ok());
  ASSERT_EQ(reencode(*store), "");
  store.reset();
  EXPECT_EQ(value(*open_with(""), "/secret/x"), kSecret);
}

}  // namespace stored_values_test
}  // namespace proa::store

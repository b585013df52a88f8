// What a store on etcd does besides commits and reads, on a real one.
#include <gtest/gtest.h>

#include "store/etcd/etcd_store.h"
#include "store/etcd/follow/follower.h"
#include "store/etcd/wire/messages.h"
#include "testkit/patience.h"
#include "testkit/store/test_etcd.h"
#include "testkit/store/toy_transformer.h"

namespace proa::store::etcd {
namespace upkeep_test {

using namespace std::chrono_literals;
using testkit::holds_within;
using testkit::TestEtcd;

// Begins what it transforms as encryption does, so that it is told from plain values.
class PrefixedTransformer final : public ValueTransformer {
 public:
  explicit PrefixedTransformer(std::string letters) : toy_(std::move(letters)) {}

  Result<void> writable(std::string_view key) const override { return toy_.writable(key); }
  Result<bool> to_disk(std::string_view key, std::string_view value,
                       std::string& out) const override {
    std::string transformed;
    const bool changed = TRY(toy_.to_disk(key, value, transformed));
    if (changed) out.append(kPrefix).append(transformed);
    return changed;
  }
  Result<std::optional<std::string>> from_disk(std::string_view key,
                                               const DiskValue& stored) const override {
    return toy_.from_disk(key, without_prefix(stored));
  }
  bool is_stale(std::string_view key, const DiskValue& stored) const override {
    return toy_.is_stale(key, without_prefix(stored));
  }

 private:
  static constexpr std::string_view kPrefix = "k8s:enc:toy:v1:";
  static DiskValue without_prefix(const DiskValue& stored) {
    if (!stored.transformed) return stored;
    return {.bytes = stored.bytes.substr(kPrefix.size()), .transformed = true};
  }

  testkit::ToyTransformer toy_;
};

class EtcdUpkeep : public testing::Test {
 protected:
  void SetUp() override {
    if (!TestEtcd::missing().empty()) GTEST_SKIP() << TestEtcd::missing();
    etcd_.emplace();
    options_.endpoints = {etcd_->origin()};
    options_.root = "";
    client_.emplace(options_.endpoints, http::ClientTls(), nullptr);
  }

  Result<std::unique_ptr<EtcdStore>> try_open() {
    return open_etcd_store(clock_, random_, options_);
  }
  std::unique_ptr<EtcdStore> open() {
    auto opened = try_open();
    if (!opened.ok()) ADD_FAILURE() << opened.status().message();
    return std::move(opened).value();
  }
  static Result<Committed> put(Store& store, const Key& key, std::string value) {
    return store.commit({{}, {Put{key, Bytes(std::move(value)), std::nullopt}}},
                        Durability::kSynced);
  }
  static std::string value_of(const Store& store, std::string_view key) {
    const auto found = store.get(key);
    return found.ok() && *found != nullptr ? std::string((*found)->value()) : "nothing";
  }
  // What stands in etcd; empty: nothing.
  std::string stored(std::string_view key, int64_t revision = 0) {
    const auto answer =
        client_->ask("KV/Range", write(RangeRequest{.key = key, .revision = revision}), 10s);
    if (!answer.ok()) return answer.status().message();
    const auto range = read_range(answer->view());
    return range.ok() && !range->kvs.empty() ? std::string(range->kvs[0].value) : "";
  }

  SystemClock clock_;
  SystemRandom random_;
  std::optional<TestEtcd> etcd_;
  EtcdOptions options_;
  std::optional<EtcdClient> client_;
};

TEST_F(EtcdUpkeep, HistoryIsCompactedByOneOfTwoServers) {
  options_.compaction_interval = 200ms;
  const auto one = open();
  const auto two = open();
  ASSERT_TRUE(put(*one, "/a", "1").ok());
  const int64_t revision = one->revision().value;
  ASSERT_TRUE(put(*one, "/a", "2").ok());
  EXPECT_TRUE(holds_within(
      30s, [&] { return stored("/registry/a", revision).find("compacted") != std::string::npos; }));
  // The servers' own history is not affected.
  EXPECT_TRUE(one->get("/a", {revision}).ok());
  EXPECT_EQ(value_of(*two, "/a"), "2");
  EXPECT_NE(stored("compact_rev_key"), "");
}

TEST_F(EtcdUpkeep, WatchesResumeBehindTheLastCompaction) {
  Revision compacted;
  {
    const auto store = open();
    for (int i = 0; i < 10; ++i) ASSERT_TRUE(put(*store, "/a", std::to_string(i)).ok());
    compacted = {store->revision().value - 5};
    ASSERT_TRUE(store->compact(compacted).ok());
  }
  const auto store = open();
  EXPECT_TRUE(store->watch({.prefix = "/", .from = compacted, .wake = {}}).is(Reason::kExpired));
  auto watch = store->watch({.prefix = "/", .from = compacted.next(), .wake = {}});
  ASSERT_TRUE(watch.ok()) << watch.status().message();
  const auto batch = (*watch)->next(100);
  ASSERT_TRUE(batch.ok());
  ASSERT_EQ(batch->events.size(), 5u);
  EXPECT_EQ(batch->events[0].previous->value(), "4");
  EXPECT_EQ(batch->events[4].entry->value(), "9");
}

TEST_F(EtcdUpkeep, ReadsWaitForRevisionsOfOthersKeys) {
  options_.trusts_progress = true;
  const auto store = open();
  for (int i = 0; i < 5; ++i) {
    const auto answer =
        client_->ask("KV/Put", write(PutRequest{.key = "other", .value = "x"}), 10s);
    ASSERT_TRUE(answer.ok());
    ASSERT_TRUE(store->wait_until_caught_up({}).ok());
    EXPECT_EQ(store->revision(), Revision{2 + i});
  }
}

TEST_F(EtcdUpkeep, ValuesAreEncryptedAndTheirKeyChanged) {
  options_.transformer = std::make_shared<PrefixedTransformer>("a");
  auto store = open();
  ASSERT_TRUE(put(*store, "/secret/s", "hidden").ok());
  ASSERT_TRUE(put(*store, "/plain", "shown").ok());
  EXPECT_EQ(value_of(*store, "/secret/s"), "hidden");
  EXPECT_TRUE(stored("/registry/secret/s").starts_with("k8s:enc:toy:v1:a:"));
  EXPECT_EQ(stored("/registry/plain"), "shown");
  // Another one must read what is there.
  EXPECT_TRUE(
      store->set_transformer(std::make_shared<PrefixedTransformer>("b")).is(Reason::kForbidden));
  ASSERT_TRUE(store->set_transformer(std::make_shared<PrefixedTransformer>("ba")).ok());
  ReencodeProgress last;
  ASSERT_TRUE(store->reencode([&](const ReencodeProgress& now) { last = now; }, {}).ok());
  EXPECT_EQ(last.rewritten, 1u);
  EXPECT_TRUE(stored("/registry/secret/s").starts_with("k8s:enc:toy:v1:b:"));
  ASSERT_TRUE(store->wait_until_caught_up({}).ok());
  EXPECT_EQ(value_of(*store, "/secret/s"), "hidden");
  store.reset();
  // The former key is needed for the history only, which is left out.
  options_.transformer = std::make_shared<PrefixedTransformer>("b");
  store = open();
  EXPECT_EQ(value_of(*store, "/secret/s"), "hidden");
  store.reset();
  options_.transformer = std::make_shared<PrefixedTransformer>("c");
  EXPECT_TRUE(try_open().is(Reason::kForbidden));
  options_.transformer = nullptr;
  EXPECT_TRUE(try_open().is(Reason::kForbidden));
}

TEST(Versions, ThatReportTheirProgressInOrder) {
  for (const char* version : {"3.4.25", "3.5.8", "3.5.13", "3.6.0", "3.6.0-rc.1", "4.0.0"})
    EXPECT_TRUE(reports_progress_in_order(version)) << version;
  for (const char* version : {"3.4.23", "3.4.9", "3.5.7", "3.3.27", "", "x", "3"})
    EXPECT_FALSE(reports_progress_in_order(version)) << version;
}

}  // namespace upkeep_test
}  // namespace proa::store::etcd

#include "apiserver/front/fairness/flow_control.h"

#include <gtest/gtest.h>

#include <latch>

#include "store/memory/memory_store.h"
#include "testkit/fake_clock.h"
#include "testkit/patience.h"

namespace proa::apiserver::fairness {
namespace flow_control_test {

using Decision = FlowControl::Decision;

constexpr std::chrono::seconds kPatience(20);
constexpr Duration kWait = std::chrono::seconds(15);

// Two levels of five seats each, of which a half may be lent; users whose names begin with the
// level's name.
class FlowControlTest : public testing::Test {
 protected:
  FlowControlTest() {
    for (const std::string name : {"a", "b"}) {
      put("/registry/prioritylevelconfigurations/" + name,
          R"({"metadata":{"name":")" + name + R"(","uid":"l-)" + name +
              R"("},"spec":{"type":"Limited","limited":{"nominalConcurrencyShares":10,)"
              R"("lendablePercent":50,"limitResponse":{"type":"Queue","queuing":{"queues":8,)"
              R"("handSize":2,"queueLengthLimit":10}}}}})");
      put("/registry/flowschemas/" + name,
          R"({"metadata":{"name":")" + name + R"(","uid":"s-)" + name +
              R"("},"spec":{"priorityLevelConfiguration":{"name":")" + name +
              R"("},"matchingPrecedence":100,"distinguisherMethod":{"type":"ByNamespace"},)"
              R"("rules":[{"subjects":[{"kind":"User","user":{"name":")" +
              name +
              R"("}}],"resourceRules":[{"verbs":["*"],"apiGroups":["*"],"resources":["*"],)"
              R"("namespaces":["*"],"clusterScope":true}]}]}})");
    }
    control_ = std::make_shared<FlowControl>(*store_, clock_, 10);
  }
  ~FlowControlTest() override { control_->stop(); }

  void put(const std::string& key, const std::string& value) {
    store::Txn txn;
    txn.operations.push_back(store::Put{.key = key, .value = Bytes(value)});
    ASSERT_TRUE(store_->commit(std::move(txn), store::Durability::kSynced).ok());
  }
  void remove(const std::string& key) {
    store::Txn txn;
    txn.operations.push_back(store::Delete{key});
    ASSERT_TRUE(store_->commit(std::move(txn), store::Durability::kSynced).ok());
  }
  TicketPtr classify(const std::string& name, const std::string& group = "") {
    const User user{.name = name, .uid = {}, .groups = {group}, .extra = {}};
    return control_->classify(
        {.request = {.user = &user, .verb = "get", .resource = "pods", .name_space = "n"},
         .path = "/p"});
  }
  // Keeps those that execute or wait.
  Decision start(const std::string& name) {
    tickets_.push_back(classify(name));
    Ticket& ticket = *tickets_.back();
    const Decision decision = control_->start(ticket, kWait);
    if (decision != Decision::kWaits) return decision;
    return control_->await(ticket, [this](bool executes) { (executes ? executed_ : ended_) += 1; });
  }
  size_t start_many(const std::string& name, size_t count) {
    size_t executing = 0;
    for (size_t i = 0; i < count; ++i) executing += start(name) == Decision::kExecutes;
    return executing;
  }

  SystemClock store_clock_;  // so that only one thread waits on the other
  const std::unique_ptr<store::Store> store_ = store::make_memory_store(store_clock_);
  testkit::FakeClock clock_;
  WorkerPool pool_{{.max_threads = 0}};  // its tasks end before stop() returns
  std::shared_ptr<FlowControl> control_;
  std::vector<TicketPtr> tickets_;
  std::atomic<int> executed_ = 0;
  std::atomic<int> ended_ = 0;
};

TEST_F(FlowControlTest, ClassifiesByObjectsOfTheStore) {
  EXPECT_EQ(classify("a")->schema_uid(), "s-a");
  EXPECT_EQ(classify("b")->level_uid(), "l-b");
  EXPECT_EQ(classify("c")->schema_uid(), "") << "the mandatory catch-all has no object";
  remove("/registry/flowschemas/a");
  EXPECT_EQ(classify("a")->schema_uid(), "");
  remove("/registry/prioritylevelconfigurations/b");
  EXPECT_EQ(classify("b")->level_uid(), "") << "dangling";
}

TEST_F(FlowControlTest, MastersAreNeverLimited) {
  for (int i = 0; i < 1000; ++i) {
    tickets_.push_back(classify("a", "system:masters"));
    ASSERT_EQ(control_->start(*tickets_.back(), kWait), Decision::kExecutes);
  }
}

TEST_F(FlowControlTest, LetsTheNextOneExecute) {
  const size_t executing = start_many("a", 12);
  ASSERT_LT(executing, 12u);
  EXPECT_EQ(executed_, 0);
  tickets_.front()->leave();
  EXPECT_EQ(executed_, 1);
  EXPECT_TRUE(tickets_.back()->abandon());
  EXPECT_FALSE(tickets_.back()->abandon());
  EXPECT_FALSE(tickets_.front()->abandon());
}

TEST_F(FlowControlTest, BorrowsSeatsOfWhoIsIdle) {
  const size_t before = start_many("a", 30);
  clock_.advance(std::chrono::seconds(11));
  // The next request notices.
  start("a");
  EXPECT_GE(before + static_cast<size_t>(executed_), 6u);
  // The other level wants its own: it gets what it does not lend at once, and the rest later.
  EXPECT_GE(start_many("b", 20), 2u);
}

TEST_F(FlowControlTest, EndsWaitsInTime) {
  control_->run(nullptr, pool_);
  start_many("a", 20);
  clock_.await_waiters(1);
  clock_.advance(kWait);
  EXPECT_TRUE(testkit::holds_within(kPatience, [&] { return ended_ > 0; }));
  EXPECT_EQ(control_->retry_after(*tickets_.back()), 1);
}

TEST_F(FlowControlTest, FreesSeatsOfWhoTakesTooLong) {
  control_->run(nullptr, pool_);
  start_many("a", 20);
  control_->free_seats_after(*tickets_.front(), std::chrono::seconds(5));
  clock_.await_waiters(1);
  clock_.advance(std::chrono::seconds(5));
  EXPECT_TRUE(testkit::holds_within(kPatience, [&] { return executed_ == 1; }));
  tickets_.front()->leave();
  EXPECT_EQ(executed_, 1) << "not twice";
}

TEST_F(FlowControlTest, WritesWhichSchemasDangle) {
  Mutex mutex;
  std::vector<std::string> written;
  control_->run(
      [&](const DanglingStatus& status) -> Result<void> {
        MutexLock lock(mutex);
        written.push_back(status.schema + (status.dangling ? " dangles" : " is found"));
        return {};
      },
      pool_);
  const auto has = [&](const std::string& text) {
    MutexLock lock(mutex);
    return std::ranges::find(written, text) != written.end();
  };
  EXPECT_TRUE(
      testkit::holds_within(kPatience, [&] { return has("a is found") && has("b is found"); }));
  remove("/registry/prioritylevelconfigurations/b");
  // Each once in ten seconds.
  EXPECT_TRUE(testkit::holds_within(kPatience, [&] {
    clock_.advance(std::chrono::seconds(1));
    return has("b dangles");
  }));
  control_->stop();
}

// A webhook may hold the write for as long as it likes.
TEST_F(FlowControlTest, NobodyWaitsForTheWriteOfAStatus) {
  std::atomic<int> writes = 0;
  std::latch release(1);
  WorkerPool pool({.max_threads = 1});
  control_->run(
      [&](const DanglingStatus&) -> Result<void> {
        ++writes;
        release.wait();
        return {};
      },
      pool);
  ASSERT_TRUE(testkit::holds_within(kPatience, [&] { return writes == 1; }));
  start_many("a", 20);
  clock_.await_waiters(1);
  clock_.advance(kWait);
  EXPECT_TRUE(testkit::holds_within(kPatience, [&] { return ended_ > 0; }));
  control_->stop();
  release.count_down();
}

TEST_F(FlowControlTest, ALevelGoesWithItsLastRequest) {
  control_->run(nullptr, pool_);
  start("a");
  control_->free_seats_after(*tickets_.front(), std::chrono::seconds(5));
  remove("/registry/flowschemas/a");
  remove("/registry/prioritylevelconfigurations/a");
  const auto exists = [&] {
    (void)classify("b");
    return control_->dump_levels().find("\na,") != std::string::npos;
  };
  EXPECT_TRUE(exists()) << "quiescing";
  clock_.await_waiters(1);
  clock_.advance(std::chrono::seconds(5));
  EXPECT_TRUE(testkit::holds_within(kPatience, [&] { return !exists(); }));
}

TEST_F(FlowControlTest, TicketsOutliveIt) {
  start_many("a", 20);
  control_->stop();
  tickets_.clear();
  EXPECT_EQ(ended_, 0);
}

}  // namespace flow_control_test
}  // namespace proa::apiserver::fairness

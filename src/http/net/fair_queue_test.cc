#include "http/net/fair_queue.h"

#include <gtest/gtest.h>

#include <memory>
#include <optional>
#include <vector>

namespace proa::http {
namespace fair_queue_test {

class FairQueueTest : public testing::Test {
 protected:
  void wait(const std::string& address, const std::string& name) {
    waiters_.push_back(
        std::make_unique<FairQueue::Waiter>([this, name] { called_ += name + " "; }));
    queue_.add(address, *waiters_.back());
  }

  std::string call_all() {
    while (!queue_.empty()) queue_.call_next();
    return std::exchange(called_, {});
  }

  FairQueue queue_;
  std::vector<std::unique_ptr<FairQueue::Waiter>> waiters_;
  std::string called_;
};

TEST_F(FairQueueTest, CallsTheNewestOfAnAddressFirst) {
  wait("a", "a1");
  wait("a", "a2");
  wait("a", "a3");
  EXPECT_EQ(call_all(), "a3 a2 a1 ");
}

TEST_F(FairQueueTest, LetsAddressesTakeTurns) {
  for (const char* name : {"a1", "a2", "a3"}) wait("a", name);
  for (const char* name : {"b1", "b2"}) wait("b", name);
  EXPECT_EQ(call_all(), "b2 a3 b1 a2 a1 ");
}

TEST_F(FairQueueTest, CallsAnAddressThatWasNotWaitingFirst) {
  for (const char* name : {"a1", "a2", "a3"}) wait("a", name);
  for (const char* name : {"b1", "b2"}) wait("b", name);
  queue_.call_next();
  wait("c", "c1");
  EXPECT_EQ(call_all(), "b2 c1 a3 b1 a2 a1 ");
}

TEST_F(FairQueueTest, ForgetsWhoLeaves) {
  for (const char* name : {"a1", "a2", "a3"}) wait("a", name);
  wait("b", "b1");
  waiters_[1].reset();
  waiters_[3]->leave();
  EXPECT_FALSE(waiters_[3]->waiting());
  EXPECT_TRUE(waiters_[0]->waiting());
  EXPECT_EQ(call_all(), "a3 a1 ");
}

TEST_F(FairQueueTest, LetsAWaiterWaitAgainOrGoInItsTurn) {
  int turns = 0;
  std::optional<FairQueue::Waiter> again;
  again.emplace([&] {
    EXPECT_FALSE(again->waiting());
    if (++turns < 3) return queue_.add("a", *again);
    again.reset();
  });
  queue_.add("a", *again);
  call_all();
  EXPECT_EQ(turns, 3);
  EXPECT_FALSE(again.has_value());
}

}  // namespace fair_queue_test
}  // namespace proa::http

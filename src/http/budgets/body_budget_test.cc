#include "http/budgets/body_budget.h"

#include <gtest/gtest.h>

#include <map>

namespace proa::http {
namespace body_budget_test {

constexpr size_t kMega = 1024 * 1024;

// A budget of 12 MB for large bodies: 6 for each payer, 3 for each connection.
class BodyBudgetTest : public testing::Test {
 protected:
  BodyBudget::Holder holder(const std::string& payer) {
    return {std::make_shared<BodyBudget::Account>(), payer};
  }
  // The share is kept under that name, also when it is granted later.
  BodyBudget::Answer take(const std::string& name, const BodyBudget::Holder& of, size_t bytes) {
    BodyBudget::Answer answer = budget_->take(of, bytes, [this, name](BodyBudget::SharePtr share) {
      granted_.push_back(name);
      shares_[name] = std::move(share);
    });
    if (answer.share) shares_[name] = answer.share;
    if (answer.waiting) waiting_[name] = answer.waiting;
    return answer;
  }
  void release(const std::string& name) {
    // The map may get others while the share is being returned.
    const BodyBudget::SharePtr released = std::move(shares_.at(name));
    shares_.erase(name);
  }
  bool has(const std::string& name) const { return shares_.contains(name); }

  std::shared_ptr<BodyBudget> budget_ = std::make_shared<BodyBudget>(BodyLimits{
      .total = 16 * kMega, .per_payer = 8 * kMega, .per_connection = 4 * kMega, .waiting = 3});
  std::map<std::string, BodyBudget::SharePtr> shares_;
  std::map<std::string, BodyBudget::Waiting> waiting_;
  std::vector<std::string> granted_;
};

TEST_F(BodyBudgetTest, BoundsConnectionsPayersAndTheTotal) {
  const auto connection = holder("jane");
  take("1", connection, 2 * kMega);
  take("2", connection, 2 * kMega);
  EXPECT_TRUE(has("1"));
  EXPECT_FALSE(has("2"));
  take("3", holder("jane"), 3 * kMega);
  take("4", holder("jane"), 3 * kMega);
  EXPECT_FALSE(has("4"));
  take("5", holder("jack"), 3 * kMega);
  take("6", holder("jack"), 3 * kMega);
  take("7", holder(""), kMega);
  EXPECT_TRUE(has("5") && has("6") && has("7"));
  EXPECT_EQ(budget_->used(), 12 * kMega);
  EXPECT_FALSE(take("8", holder("judy"), kMega).share);
}

TEST_F(BodyBudgetTest, KeepsRoomForSmallBodies) {
  for (const char* payer : {"a", "b", "c", "d"}) take(payer, holder(payer), 3 * kMega);
  EXPECT_EQ(budget_->used(), 12 * kMega);
  EXPECT_FALSE(take("large", holder("e"), kMega).share);
  EXPECT_TRUE(take("small", holder("e"), 1000).share);
  EXPECT_TRUE(take("of the same payer", holder("a"), 1000).share);
}

TEST_F(BodyBudgetTest, GrantsInOrderAndPastThoseWhoCannotUseIt) {
  const auto jane = holder("jane");
  take("jane", jane, 3 * kMega);
  for (const char* payer : {"a", "b", "c"}) take(payer, holder(payer), 3 * kMega);
  take("jane again", jane, 3 * kMega);
  take("d", holder("d"), 2 * kMega);
  take("e", holder("e"), 2 * kMega);
  EXPECT_TRUE(granted_.empty());
  release("a");
  EXPECT_EQ(granted_, std::vector<std::string>{"d"});
  release("jane");
  EXPECT_EQ(granted_, (std::vector<std::string>{"d", "jane again"}));
  release("b");
  EXPECT_EQ(granted_, (std::vector<std::string>{"d", "jane again", "e"}));
}

TEST_F(BodyBudgetTest, BoundsTheQueueAndForgetsThoseWhoLeave) {
  const auto jane = holder("jane");
  take("first", jane, 3 * kMega);
  for (const char* name : {"1", "2", "3"}) EXPECT_TRUE(take(name, jane, kMega).waiting);
  const BodyBudget::Answer refused = take("4", jane, kMega);
  EXPECT_FALSE(refused.share || refused.waiting);
  waiting_.erase("2");
  EXPECT_TRUE(take("4", jane, kMega).waiting);
  release("first");
  EXPECT_EQ(granted_, (std::vector<std::string>{"1", "3", "4"}));
}

TEST_F(BodyBudgetTest, GrowsWithoutWaiting) {
  const auto jane = holder("jane");
  take("a", jane, kMega);
  EXPECT_TRUE(shares_["a"]->grow(2 * kMega));
  EXPECT_EQ(shares_["a"]->bytes(), 3 * kMega);
  EXPECT_FALSE(shares_["a"]->grow(1));
  shares_.clear();
  EXPECT_EQ(budget_->used(), 0U);
}

}  // namespace body_budget_test
}  // namespace proa::http

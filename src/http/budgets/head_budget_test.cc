#include "http/budgets/head_budget.h"

#include <gtest/gtest.h>

#include <vector>

namespace proa::http {
namespace head_budget_test {

constexpr size_t kLittle = HeadBudget::kLittle;

std::shared_ptr<HeadBudget> budget_of(size_t total, size_t per_connection) {
  return std::make_shared<HeadBudget>(HeadLimits{.total = total, .per_connection = per_connection});
}

TEST(HeadBudget, RefusesWhatIsBeyondAConnectionsPart) {
  const auto budget = budget_of(100 * kLittle, 2 * kLittle);
  const auto one = std::make_shared<HeadBudget::Account>();
  auto first = budget->take(one, 2 * kLittle);
  ASSERT_NE(first, nullptr);
  EXPECT_EQ(budget->take(one, 1), nullptr);
  EXPECT_NE(budget->take(std::make_shared<HeadBudget::Account>(), 1), nullptr);
  EXPECT_EQ(budget->used(), 2 * kLittle);
  first.reset();
  EXPECT_EQ(budget->used(), 0U);
  EXPECT_NE(budget->take(one, 2 * kLittle), nullptr);
}

TEST(HeadBudget, KeepsTheLastQuarterForThoseWhoHoldLittle) {
  const auto budget = budget_of(8 * kLittle, 8 * kLittle);
  const auto large = std::make_shared<HeadBudget::Account>();
  std::vector<HeadBudget::SharePtr> shares;
  for (int i = 0; i < 6; ++i) {
    shares.push_back(budget->take(large, kLittle));
    EXPECT_NE(shares.back(), nullptr);
  }
  EXPECT_EQ(budget->take(large, 1), nullptr);
  for (int i = 0; i < 2; ++i) {
    shares.push_back(budget->take(std::make_shared<HeadBudget::Account>(), kLittle));
    EXPECT_NE(shares.back(), nullptr);
  }
  EXPECT_EQ(budget->take(std::make_shared<HeadBudget::Account>(), 1), nullptr);
  shares.clear();
  EXPECT_EQ(budget->used(), 0U);
  EXPECT_EQ(large->used.load(), 0U);
}

TEST(HeadBudget, GetsBackWhatAShareNeedsNoMore) {
  const auto budget = budget_of(kLittle, kLittle);
  const auto account = std::make_shared<HeadBudget::Account>();
  const auto share = budget->take(account, kLittle);
  ASSERT_NE(share, nullptr);
  share->shrink(100);
  EXPECT_EQ(share->bytes(), 100U);
  EXPECT_EQ(budget->used(), 100U);
  share->shrink(200);
  EXPECT_EQ(budget->used(), 100U);
  EXPECT_NE(budget->take(account, kLittle - 100), nullptr);
}

}  // namespace head_budget_test
}  // namespace proa::http

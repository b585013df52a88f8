#include "cel/expression/budget.h"

#include <gtest/gtest.h>

#include "json/parse.h"

namespace proa::cel {
namespace {

Cardinality within(const Cardinality& outer, std::string_view schema) {
  const auto document = json::parse(schema);
  return inner_cardinality(outer, document->root());
}

TEST(InnerCardinality, MultipliesTheLimits) {
  EXPECT_EQ(within(3, R"({"type": "array", "maxItems": 5})"), 15U);
  EXPECT_EQ(within(3, R"({"type": "object", "maxProperties": 7, "additionalProperties": {}})"),
            21U);
  EXPECT_EQ(within(3, R"({"type": "object", "maxProperties": 7})"), 3U);
  EXPECT_EQ(within(3, R"({"type": "array", "maxItems": -5})"), 0U);
  EXPECT_EQ(within(UINT64_MAX, R"({"type": "array", "maxItems": 5})"), UINT64_MAX);
}

TEST(InnerCardinality, HasNoLimitIfOneIsMissing) {
  EXPECT_EQ(within(3, R"({"type": "array"})"), std::nullopt);
  EXPECT_EQ(within(std::nullopt, R"({"type": "array", "maxItems": 5})"), std::nullopt);
  EXPECT_EQ(within(3, R"({"type": "object", "additionalProperties": true})"), std::nullopt);
}

TEST(ExpressionCost, IsThatOfAllEvaluations) {
  CompiledRule rule;
  rule.max_cost = 10;
  rule.max_cardinality = 1000;
  EXPECT_EQ(expression_cost(rule, 5), 50U);
  EXPECT_EQ(expression_cost(rule, std::nullopt), 10'000U);
  rule.max_cost = UINT64_MAX;
  EXPECT_EQ(expression_cost(rule, 5), UINT64_MAX);
}

TEST(CostMessage, SaysHowMuchTooMuch) {
  const auto factor = [](uint64_t cost) {
    const std::string text = cost_message("estimated rule cost", cost, 1000);
    constexpr std::string_view kStart = "estimated rule cost exceeds budget by factor of ";
    EXPECT_TRUE(text.starts_with(kStart));
    return text.substr(kStart.size(), text.find(" (try") - kStart.size());
  };
  EXPECT_EQ(factor(1100), "1.100000x");
  EXPECT_EQ(factor(2540), "2.5x");
  EXPECT_EQ(factor(100'000), "100.0x");
  EXPECT_EQ(factor(200'000), "more than 100x");
}

TEST(TotalCost, RemembersTheMostExpensive) {
  TotalCost total;
  for (uint64_t i = 1; i <= 6; ++i) total.add("rule" + std::to_string(i), i * 1'000'000);
  total.add("cheap", 10);
  EXPECT_EQ(total.total(), 21'000'010U);
  ASSERT_EQ(total.most_expensive().size(), 4U);
  EXPECT_EQ(total.most_expensive()[0].path, "rule6");
  total.add("endless", UINT64_MAX);
  EXPECT_EQ(total.total(), UINT64_MAX);
}

}  // namespace
}  // namespace proa::cel

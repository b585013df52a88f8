#include "cel/expression/budget.h"

#include <algorithm>
#include <cstdio>

namespace proa::cel {
namespace budget {

uint64_t product(uint64_t a, uint64_t b) {
  uint64_t result = 0;
  return __builtin_mul_overflow(a, b, &result) ? UINT64_MAX : result;
}

std::optional<uint64_t> limit(const json::Value& schema, std::string_view key) {
  const json::Value* value = schema.find(key);
  if (value == nullptr || !value->is(json::Kind::kInt)) return std::nullopt;
  return static_cast<uint64_t>(std::max<int64_t>(0, value->as_int()));
}

std::string printed(const char* format, double number) {
  char text[64];
  std::snprintf(text, sizeof(text), format, number);
  return text;
}

}  // namespace budget

Cardinality inner_cardinality(const Cardinality& outer, const json::Value& schema) {
  const json::Value* type = schema.find("type");
  const std::string_view name =
      type != nullptr && type->is(json::Kind::kString) ? type->as_string() : std::string_view();
  Cardinality factor = 1;
  if (name == "array") factor = budget::limit(schema, "maxItems");
  if (name == "object" && schema.find("additionalProperties") != nullptr) {
    factor = budget::limit(schema, "maxProperties");
  }
  if (!outer || !factor) return std::nullopt;
  return budget::product(*outer, *factor);
}

uint64_t expression_cost(const CompiledRule& rule, const Cardinality& cardinality) {
  return budget::product(rule.max_cost, cardinality.value_or(rule.max_cardinality));
}

std::string cost_message(std::string_view what, uint64_t cost, uint64_t limit) {
  const double factor = static_cast<double>(cost) / static_cast<double>(limit);
  // More than that is quadratic at least: the number would not help.
  constexpr double kMuch = 100;
  std::string times = "more than 100x";
  if (factor <= kMuch) times = budget::printed(factor < 1.5 ? "%fx" : "%.1fx", factor);
  return std::string(what) + " exceeds budget by factor of " + times +
         " (try simplifying the rule, or adding maxItems, maxProperties, and maxLength where "
         "arrays, maps, and strings are declared)";
}

void TotalCost::add(std::string_view path, uint64_t cost) {
  if (__builtin_add_overflow(total_, cost, &total_)) total_ = UINT64_MAX;
  if (cost < kDefinitionEstimateLimit / 100) return;
  constexpr size_t kMost = 4;
  most_expensive_.push_back({.path = std::string(path), .cost = cost});
  std::stable_sort(most_expensive_.begin(), most_expensive_.end(),
                   [](const Expensive& a, const Expensive& b) { return a.cost > b.cost; });
  if (most_expensive_.size() > kMost) most_expensive_.resize(kMost);
}

}  // namespace proa::cel

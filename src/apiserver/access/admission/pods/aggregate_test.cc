#include "apiserver/access/admission/pods/aggregate.h"

#include <gtest/gtest.h>

#include <vector>

namespace proa::apiserver {
namespace {

TEST(AggregateText, SaysEachFailureOnce) {
  const struct {
    std::vector<std::string> failures;
    std::string text;
  } cases[] = {
      {{}, ""},
      {{"a"}, "a"},
      {{"a", "a"}, "a"},
      {{"a", "b"}, "[a, b]"},
      {{"b", "a", "b"}, "[b, a]"},
  };
  for (const auto& c : cases) EXPECT_EQ(aggregate_text(c.failures), c.text);
}

}  // namespace
}  // namespace proa::apiserver

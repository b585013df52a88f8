#include "apiserver/representation/openapi/kept/difference.h"

#include <gtest/gtest.h>

namespace proa::apiserver {
namespace {

// Not the same text again and again: that would be small in any case.
std::string long_text() {
  std::string text;
  uint32_t number = 1;
  for (int i = 0; i < 3000; ++i) {
    number = number * 1664525U + 1013904223U;
    text += std::to_string(number) + " ";
  }
  return text;
}

TEST(Difference, IsSmallIfTheTextsAreAlike) {
  const std::string like = long_text();
  std::string text = like;
  text.replace(100, 5, "other");
  text.erase(20000, 300);
  text += "and an end";
  Differences differences;
  const Difference difference = differences.make(text, like);
  EXPECT_EQ(difference.text_size(), text.size());
  EXPECT_LT(difference.size(), 200U);
  std::string out = "before ";
  differences.read(difference, like, out);
  EXPECT_EQ(out, "before " + text);
}

TEST(Difference, IsTheTextIfNothingIsAlike) {
  Differences differences;
  for (const std::string& text : {std::string(), std::string("a"), long_text()}) {
    const Difference difference = differences.make(text, "nothing of it");
    std::string out;
    differences.read(difference, "nothing of it", out);
    EXPECT_EQ(out, text);
  }
}

}  // namespace
}  // namespace proa::apiserver

#include "base/text/words.h"

#include <gtest/gtest.h>

#include "base/strings.h"

namespace proa {
namespace {

TEST(Words, AreBetweenWhiteSpace) {
  EXPECT_TRUE(words("").empty());
  EXPECT_TRUE(words(" \t\r\n\v\f").empty());
  EXPECT_EQ(join(words("\ta  b\r\nc "), "|"), "a|b|c");
}

}  // namespace
}  // namespace proa

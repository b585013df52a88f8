#include "api/codec/base64.h"

#include <gtest/gtest.h>

namespace proa::api {
namespace {

TEST(Base64, TakesWhatGoTakes) {
  EXPECT_EQ(*read_base64(""), "");
  EXPECT_EQ(*read_base64("aGVsbG8="), "hello");
  EXPECT_EQ(*read_base64("aGVs\r\nbG8=\n"), "hello");
  EXPECT_EQ(*read_base64("aGVsbG9="), "hello");
  EXPECT_EQ(*read_base64("YR=="), "a");
}

TEST(Base64, NamesTheByteThatIsWrong) {
  EXPECT_EQ(read_base64("aGV!bG8=").status().message(), "illegal base64 data at input byte 3");
  EXPECT_EQ(read_base64("aGVsb").status().message(), "illegal base64 data at input byte 4");
  EXPECT_EQ(read_base64("=aaa").status().message(), "illegal base64 data at input byte 0");
}

}  // namespace
}  // namespace proa::api

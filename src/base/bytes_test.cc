#include "base/bytes.h"

#include <gtest/gtest.h>

namespace proa {
namespace bytes_test {

TEST(Bytes, SlicesKeepTheWholeAlive) {
  Bytes tail;
  {
    const Bytes whole(std::string("a long text that lives on the heap"));
    tail = whole.slice(2, 4);
    EXPECT_EQ(tail.data(), whole.data() + 2);
  }
  EXPECT_EQ(tail.view(), "long");
  tail.remove_prefix(2);
  EXPECT_EQ(tail.view(), "ng");
}

TEST(Bytes, CompareByContent) {
  EXPECT_EQ(Bytes::copy_of("abc"), Bytes::of_static("abc"));
  EXPECT_FALSE(Bytes::copy_of("abc") == Bytes());
  EXPECT_TRUE(Bytes().empty());
}

}  // namespace bytes_test
}  // namespace proa

#include "crypto/constant_time.h"

#include <gtest/gtest.h>

namespace proa::crypto {

TEST(EqualInConstantTime, ComparesAllBytes) {
  EXPECT_TRUE(equal_in_constant_time("secret", "secret"));
  EXPECT_FALSE(equal_in_constant_time("secret", "secreT"));
  EXPECT_FALSE(equal_in_constant_time("Secret", "secret"));
  EXPECT_FALSE(equal_in_constant_time("secret", "secre"));
  EXPECT_TRUE(equal_in_constant_time("", {}));
}

}  // namespace proa::crypto

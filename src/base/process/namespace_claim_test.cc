#include "base/process/namespace_claim.h"

#include <gtest/gtest.h>

namespace proa {
namespace {

TEST(NamespaceClaim, IsHeldOnce) {
  auto first = NamespaceClaim::take("proa-claim-test");
  ASSERT_TRUE(first.ok());
  ASSERT_TRUE(first->has_value());
  EXPECT_FALSE(NamespaceClaim::take("proa-claim-test").value().has_value());
  EXPECT_TRUE(NamespaceClaim::take("proa-claim-test-2").value().has_value());
  first->reset();
  EXPECT_TRUE(NamespaceClaim::take("proa-claim-test").value().has_value());
}

}  // namespace
}  // namespace proa

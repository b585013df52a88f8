#include "base/threads/guarded.h"

#include <gtest/gtest.h>

#include <stdexcept>

namespace proa {
namespace {

TEST(Guarded, PassesResultsOn) {
  EXPECT_EQ(guarded([]() -> Result<int> { return 7; }).value(), 7);
  EXPECT_TRUE(guarded([]() -> Result<int> {
                return Status(Reason::kConflict, "x");
              }).is(Reason::kConflict));
  EXPECT_TRUE(guarded([] {}).ok());
}

TEST(Guarded, TurnsExceptionsIntoAStatus) {
  const auto thrown = guarded([]() -> Result<int> { throw std::length_error("too long"); });
  EXPECT_TRUE(thrown.is(Reason::kInternalError));
  EXPECT_EQ(thrown.status().message(), "unexpected failure: too long");
  EXPECT_EQ(guarded([] { throw std::bad_alloc(); }).status().message(), "out of memory");
}

}  // namespace
}  // namespace proa

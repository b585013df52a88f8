#include "base/status.h"

#include <gtest/gtest.h>

#include <cerrno>

#include "base/result.h"

namespace proa {
namespace status_test {

TEST(Status, KnowsNameAndCodeOfEveryReason) {
  EXPECT_EQ(reason_name(Reason::kNotFound), "NotFound");
  EXPECT_EQ(http_code(Reason::kInvalid), 422);
  EXPECT_EQ(http_code(Reason::kUnknown), 500);
  for (int i = 0; i <= static_cast<int>(Reason::kInsufficientStorage); ++i) {
    const auto reason = static_cast<Reason>(i);
    EXPECT_EQ(reason_from_name(reason_name(reason)), reason);
  }
  EXPECT_EQ(reason_from_name("NoSuchReason"), Reason::kUnknown);
}

TEST(Status, SaysMoreWithoutChangingTheFirst) {
  const Status first(Reason::kNotFound, "no such pod");
  const Status second = first.in("binding").with_details({.name = "a", .kind = "pods"});
  EXPECT_EQ(first.message(), "no such pod");
  EXPECT_EQ(second.message(), "binding: no such pod");
  EXPECT_EQ(second.code(), 404);
  EXPECT_EQ(second.details().name, "a");
  EXPECT_EQ(errno_status("opening x", ENOENT).message(), "opening x: No such file or directory");
  EXPECT_TRUE(errno_status("opening x", ENOENT).is(Reason::kInternalError));
  EXPECT_TRUE(errno_status("writing x", ENOSPC).is(Reason::kInsufficientStorage));
  EXPECT_EQ(errno_status("writing x", ENOSPC).code(), 507);
}

Result<int> half(int number) {
  if (number % 2 != 0) return Status(Reason::kBadRequest, "odd");
  return number / 2;
}

Result<std::string> quarter(int number) {
  const int once = TRY(half(number));
  const int twice = TRY(half(once));
  return std::to_string(twice);
}

TEST(Result, TryReturnsTheFirstFailure) {
  EXPECT_EQ(*quarter(8), "2");
  EXPECT_TRUE(quarter(6).is(Reason::kBadRequest));
  EXPECT_FALSE(quarter(8).is(Reason::kBadRequest));
}

TEST(Result, MovesWhatCanOnlyBeMoved) {
  const auto make = []() -> Result<std::unique_ptr<int>> { return std::make_unique<int>(5); };
  const auto use = [&]() -> Result<int> {
    const std::unique_ptr<int> number = TRY(make());
    return *number;
  };
  EXPECT_EQ(*use(), 5);
}

TEST(ResultDeathTest, ValueOfAFailureIsABrokenInvariant) {
  EXPECT_DEATH((void)half(1).value(), "broken invariant");
}

}  // namespace status_test
}  // namespace proa

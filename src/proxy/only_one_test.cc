#include "proxy/only_one.h"

#include <gtest/gtest.h>
#include <sched.h>

#include <optional>
#include <thread>

namespace proa::proxy {
namespace {

TEST(OnlyOne, IsHeldOncePerNetworkNamespace) {
  bool permitted = true;
  std::thread apart([&permitted] {
    permitted = ::unshare(CLONE_NEWNET) == 0;
    if (!permitted) return;
    std::optional<Result<OnlyOne>> first(OnlyOne::take());
    EXPECT_TRUE(first->ok());
    EXPECT_TRUE(OnlyOne::take().is(Reason::kConflict));
    std::thread elsewhere([] {
      ASSERT_EQ(::unshare(CLONE_NEWNET), 0);
      EXPECT_TRUE(OnlyOne::take().ok());
    });
    elsewhere.join();
    first.reset();
    EXPECT_TRUE(OnlyOne::take().ok());
  });
  apart.join();
  if (!permitted) GTEST_SKIP() << "needs the right to make network namespaces";
}

}  // namespace
}  // namespace proa::proxy

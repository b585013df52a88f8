#include "apiserver/access/admission/quota/namespace_locks.h"

#include <gtest/gtest.h>

#include <thread>
#include <vector>

namespace proa::apiserver::quota {
namespace {

TEST(NamespaceLocks, AreSharedOrTaken) {
  NamespaceLocks locks;
  int counter = 0;  // guarded by the lock of "a"
  {
    std::vector<std::jthread> threads;
    for (int t = 0; t < 8; ++t) {
      threads.emplace_back([&] {
        for (int i = 0; i < 1000; ++i) {
          const auto held = locks.take("a");
          ++counter;
        }
      });
    }
  }
  EXPECT_EQ(counter, 8000);
  const auto one = locks.share("a");
  const auto other = locks.share("a");
  const auto elsewhere = locks.take("b");
  EXPECT_EQ(locks.size(), 2);
}

TEST(NamespaceLocks, KeepsWritersOutWhileShared) {
  NamespaceLocks locks;
  bool shared = true;  // guarded by the lock
  auto held = locks.share("a");
  std::jthread taker([&] {
    const auto taken = locks.take("a");
    EXPECT_FALSE(shared);
  });
  shared = false;
  held.reset();
}

TEST(NamespaceLocks, AreForgotten) {
  NamespaceLocks locks;
  for (int i = 0; i < 100; ++i) {
    locks.take("n" + std::to_string(i));
    locks.share("n" + std::to_string(i));
  }
  EXPECT_EQ(locks.size(), 0);
}

}  // namespace
}  // namespace proa::apiserver::quota

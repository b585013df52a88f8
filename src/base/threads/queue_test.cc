#include "base/threads/queue.h"

#include <gtest/gtest.h>

#include <memory>
#include <thread>

namespace proa {
namespace queue_test {

TEST(BoundedQueue, RefusesWhatDoesNotFitAndLeavesItAlone) {
  BoundedQueue<std::unique_ptr<int>> queue(1);
  EXPECT_TRUE(queue.try_push(std::make_unique<int>(1)));
  auto second = std::make_unique<int>(2);
  EXPECT_FALSE(queue.try_push(std::move(second)));
  ASSERT_NE(second, nullptr);  // NOLINT: the contract says that it was not moved
  EXPECT_EQ(**queue.try_pop(), 1);
  EXPECT_TRUE(queue.try_push(std::move(second)));
  EXPECT_EQ(queue.size(), 1U);
}

TEST(BoundedQueue, ClosedMeansNoMoreInButTheRestOut) {
  BoundedQueue<int> queue(10);
  EXPECT_TRUE(queue.try_push(1));
  queue.close();
  EXPECT_FALSE(queue.try_push(2));
  EXPECT_EQ(queue.pop(), 1);
  EXPECT_EQ(queue.pop(), std::nullopt);
  EXPECT_EQ(queue.try_pop(), std::nullopt);
}

TEST(BoundedQueue, HandsItemsOverInOrder) {
  BoundedQueue<int> queue(4);
  std::jthread producer([&] {
    for (int i = 0; i < 1000; ++i) {
      while (!queue.try_push(int{i})) std::this_thread::yield();
    }
    queue.close();
  });
  int expected = 0;
  while (const auto item = queue.pop()) EXPECT_EQ(*item, expected++);
  EXPECT_EQ(expected, 1000);
}

}  // namespace queue_test
}  // namespace proa

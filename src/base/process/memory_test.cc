#include "base/process/memory.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <numeric>
#include <string>
#include <vector>

namespace proa {
namespace memory_test {

TEST(Memory, EverythingWorksAsBeforeWhenItWasReleased) {
  std::vector<int> numbers(100'000);
  std::iota(numbers.begin(), numbers.end(), 1);
  const std::string text(50'000, 'x');
  EXPECT_GT(release_unused_memory(), 1'000'000U);
  EXPECT_EQ(std::accumulate(numbers.begin(), numbers.end(), int64_t{0}), 5'000'050'000);
  EXPECT_EQ(text, std::string(50'000, 'x'));
  // Through relocated tables of this program and of its libraries.
  EXPECT_THROW(throw std::string("still here"), std::string);
}

TEST(Memory, WhatIsAllocatedApartIsMemoryLikeAnyOther) {
  std::vector<char*> blocks;
  for (size_t size = 1; size < 100'000; size = size * 3 / 2 + 1) {
    blocks.push_back(static_cast<char*>(allocate_apart(size)));
    std::fill_n(blocks.back(), size, static_cast<char>(blocks.size()));
  }
  for (size_t i = 0; i < blocks.size(); ++i) {
    EXPECT_EQ(*blocks[i], static_cast<char>(i + 1));
    free_apart(blocks[i]);
  }
}

}  // namespace memory_test
}  // namespace proa

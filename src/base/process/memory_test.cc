#include "base/process/memory.h"

#include <gtest/gtest.h>

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

}  // namespace memory_test
}  // namespace proa
